import { expect, it } from 'vitest';
import { operandId } from './operands.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './trace.ts';
import { whatHeld } from './what-held.ts';

const on = (LeftOperand: number, Operator: number, RightOperand: string, field?: string, Type: 'And' | 'Or' = 'And'): Condition => ({
  Type,
  LeftOperand,
  Operator,
  RightOperand,
  ...(field ? { LeftOperandFieldName: field } : {}),
});
const conditions = [
  on(operandId.tenant, 1, crypto.randomUUID()),
  on(operandId.metric, 3, '90', 'Disk'),
  on(operandId.state, 1, 'down', 'Service', 'Or'),
];
const trace = (...values: [group: number, value: ConditionTrace['value'], satisfied: boolean][]): Trace => ({
  at: 0,
  inScope: true,
  inTimeWindow: null,
  groups: [0, 1].map((group) => values.every(([of, , satisfied]) => of !== group || satisfied)),
  conditions: values.map(([group, value, satisfied], index) => ({
    index,
    group,
    value,
    observed: true,
    held: satisfied,
    satisfied,
    before: null,
    after: null,
  })),
  outcome: 'hit',
});

it('names the conditions of the group that held with their values, and not where the rule applies', () => {
  expect(whatHeld(conditions, trace([0, 't', true], [0, 97, true], [1, 'up', false]), {})).toEqual({
    condition: 'Metric Disk > 90',
    values: 'Disk 97',
  });
  expect(whatHeld(conditions, trace([0, 't', true], [0, 97, true], [1, 'down', true]), {}).values).toBe('Disk 97, Service down');
});

it('reads the packet when there is no trace, or the rule has other conditions now', () => {
  const message = { Metrics: { Disk: 98 } };
  expect(whatHeld(conditions, undefined, message).values).toBe('Disk 98');
  expect(whatHeld(conditions, trace([0, 97, true]), message).values).toBe('Disk 98');
  expect(whatHeld([on(operandId.value, 3, '5')], undefined, { Value: 0 })).toMatchObject({ values: 'Value 0' });
});

it('says a measured value with its window, and nothing of a rule about the entity alone', () => {
  const average = { ...on(operandId.averageOfMetric, 3, '50', 'Cpu'), WindowSeconds: 300 };
  expect(whatHeld([average], trace([0, 55.75, true]), {})).toEqual({
    condition: 'Average of Metric Cpu in 5 min > 50',
    values: 'Average of Metric Cpu 55.75',
  });
  expect(whatHeld(conditions.slice(0, 1), undefined, {})).toEqual({ condition: '', values: '' });
});
