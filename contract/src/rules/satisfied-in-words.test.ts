import { expect, it } from 'vitest';
import { operandId } from './operands.ts';
import { builtWords } from './rule-words.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './evaluate/trace.ts';
import { comparisonsInWords, satisfiedInWords } from './satisfied-in-words.ts';

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
  expect(satisfiedInWords(conditions, trace([0, 't', true], [0, 97, true], [1, 'up', false]), {}, builtWords)).toEqual({
    condition: 'Metric Disk > 90',
    values: 'Disk 97',
  });
  expect(satisfiedInWords(conditions, trace([0, 't', true], [0, 97, true], [1, 'down', true]), {}, builtWords).values).toBe(
    'Disk 97, Service down',
  );
});

it('reads the packet when there is no trace, or the rule has other conditions now', () => {
  const message = { Metrics: { Disk: 98 } };
  expect(satisfiedInWords(conditions, undefined, message, builtWords).values).toBe('Disk 98');
  expect(satisfiedInWords(conditions, trace([0, 97, true]), message, builtWords).values).toBe('Disk 98');
  expect(satisfiedInWords([on(operandId.value, 3, '5')], undefined, { Value: 0 }, builtWords)).toMatchObject({ values: 'Value 0' });
});

it('says a measured value with its window, and nothing of a rule about the entity alone', () => {
  const average = { ...on(operandId.averageOfMetric, 3, '50', 'Cpu'), WindowSeconds: 300 };
  expect(satisfiedInWords([average], trace([0, 55.75, true]), {}, builtWords)).toEqual({
    condition: 'Average of Metric Cpu in 5 min > 50',
    values: 'Average of Metric Cpu 55.75',
  });
  expect(satisfiedInWords(conditions.slice(0, 1), undefined, {}, builtWords)).toEqual({ condition: '', values: '' });
});

it('says each comparison that held, and its condition where there is no value', () => {
  const texts = (of: readonly Condition[], ...values: [number, ConditionTrace['value'], boolean][]) =>
    comparisonsInWords(of, trace(...values), builtWords);
  expect(texts(conditions, [0, 't', true], [0, 97, true], [1, 'up', false])).toBe('Disk 97 > 90');
  expect(texts(conditions, [0, 't', true], [0, 97, true], [1, 'DOWN', true])).toBe('Disk 97 > 90, Service = DOWN');
  const [, disk] = conditions as [Condition, Condition];
  const inRow = { ...disk, OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } } as const;
  expect(texts([inRow], [0, 97, true])).toBe('Disk 97 > 90, 3 times in a row');
  const silent = { ...disk, OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 600 } } as const;
  expect(texts([silent], [0, null, true])).toBe('Metric Disk > 90, not seen for 10 min');
  expect(texts([on(operandId.state, 14, '', 'Service')], [0, 'up', true])).toBe('Service up');
  // A rule without conditions on readings is described by its conditions on the entity.
  expect(texts([on(operandId.deviceName, 9, 'db')], [0, 'db-1', true])).toBe('Device Name db-1 starts with db');

  const right = { ...disk, RightOperand: null, RightReading: { Operand: operandId.metric, FieldName: 'Limit', Factor: 0.9 } };
  const [read] = trace([0, 97, true]).conditions as [ConditionTrace];
  const textOfOne = (condition: Condition, more: Partial<ConditionTrace>) =>
    comparisonsInWords([condition], { ...trace([0, 97, true]), conditions: [{ ...read, ...more }] }, builtWords);
  expect(textOfOne(right, { right: 72 })).toBe('Disk 97 > 72 (0.9 × Metric Limit)');
  expect(textOfOne(inRow, { held: false, value: 4 })).toBe('Metric Disk > 90, 3 times in a row (Disk 4)');
  const usual = { value: 97, mean: 40, deviation: 5, readings: 240, weeks: 4 };
  expect(textOfOne(on(87, 3, '3', 'Disk'), { usual, value: 11.4 })).toBe('Disk 97 (11.4 deviations above the usual 40 ± 5)');
});
