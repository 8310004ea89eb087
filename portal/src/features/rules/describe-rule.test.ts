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
it('leaves out the value where the operator takes none', () => {
  for (const [Operator, words] of [
    [13, 'Cpu is empty'],
    [14, 'Cpu is not empty'],
  ] as const) {
    expect(describeConditions([{ ...cpu, Operator, OccurrencePattern: null }])).toBe(words);
  }
});
