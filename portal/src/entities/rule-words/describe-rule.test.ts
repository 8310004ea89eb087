import { expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { describeConditions } from './describe-rule.ts';

const cpu: Condition = {
  Type: 'And',
  LeftOperand: 62,
  LeftOperandFieldName: 'Cpu',
  Operator: 3,
  RightOperand: '90',
  OccurrencePattern: { Kind: 'TimesInRow', Times: 3 },
};

it('says a rule in plain words', () => {
  const name: Condition = { Type: 'Or', LeftOperand: 31, Operator: 9, RightOperand: 'db-' };
  expect(describeConditions([cpu, name])).toBe('Cpu over 90, 3 times in a row or Device Name starts with db-');
});
it('says how far from its baseline a metric is', () => {
  const below: Condition = { ...cpu, LeftOperand: 88, RightOperand: '2.5', Operator: 6, OccurrencePattern: null };
  expect(describeConditions([below])).toBe('Cpu is at least 2.5 standard deviations below the same hour of the last 4 weeks');
});
it('says what is measured before where, unless the order means something', () => {
  const name: Condition = { Type: 'And', LeftOperand: 31, Operator: 9, RightOperand: 'db-' };
  expect(describeConditions([name, cpu])).toBe('Cpu over 90, 3 times in a row and Device Name starts with db-');
  expect(describeConditions([name, { ...cpu, Type: 'Or' }])).toBe('Device Name starts with db- or Cpu over 90, 3 times in a row');
});
it('leaves out the value where the operator takes none', () => {
  for (const [Operator, words] of [
    [13, 'Cpu is empty'],
    [14, 'Cpu is not empty'],
  ] as const) {
    expect(describeConditions([{ ...cpu, Operator, OccurrencePattern: null }])).toBe(words);
  }
});
it('calls rows and choices by their names', () => {
  const id = '7de8991c-4e5f-5a3b-adaa-47c4b7f9a210';
  const ofTenant: Condition = { Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: id };
  const nameOf = (resource: string, of: string) => (resource === 'tenants' && of === id ? 'Alder Water' : undefined);
  expect(describeConditions([ofTenant], nameOf)).toBe('Tenant is Alder Water');
  expect(describeConditions([ofTenant], () => undefined)).toBe(`Tenant is ${id}`);
});
