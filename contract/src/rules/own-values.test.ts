import { expect, it } from 'vitest';
import { constantsOf, withOwnValues } from './own-values.ts';
import type { Condition } from './schema.ts';

const metric = (RightOperand: string, name = 'Cpu'): Condition => ({
  Type: 'And',
  LeftOperand: 62,
  LeftOperandFieldName: name,
  Operator: 3,
  RightOperand,
});
const tag: Condition = { Type: 'And', LeftOperand: 32, Operator: 5, RightOperand: 'prod' };
const silence: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 14 };

it('names the constants of conditions on packets, whatever they are, and each of equal ones', () => {
  const keys = (conditions: Condition[]) => constantsOf(conditions).map(({ key, at }) => [key, at]);
  expect(keys([tag, metric('90'), silence, metric('80', 'Disk'), metric('95')])).toEqual([
    ['62 Cpu 3', 1],
    ['62 Disk 3', 3],
    ['62 Cpu 3 2', 4],
  ]);
  expect(keys([metric('50')])).toEqual([['62 Cpu 3', 0]]);
});

it('puts own constants in their places and leaves the rule as it is', () => {
  const conditions = [tag, metric('90'), metric('80', 'Disk')];
  const changed = withOwnValues(conditions, { '62 Cpu 3': '95', '62 Memory 3': '1', constructor: 'x' });
  expect(changed.map(({ RightOperand }) => RightOperand)).toEqual(['prod', '95', '80']);
  expect(conditions[1]?.RightOperand).toBe('90');
  expect(withOwnValues(conditions, null)).toEqual(conditions);
});
