/** The conditions that come with a check, tried on what checks and plugins report. */
import { describe, expect, it } from 'vitest';
import { checkedWhen, conditionsOf, isAboutEveryCheck } from './checked-when.ts';
import { saysUpOrDown } from '../packages/says-up-or-down.ts';
import { compileRule } from './compile.ts';
import { evaluate } from './evaluate/evaluate.ts';
import { operandId } from './operands.ts';
import { operatorId } from './operators.ts';
import type { Condition } from './schema.ts';
import { checkRules } from './starter.ts';

const ofOne: Condition = { Type: 'And', LeftOperand: operandId.entity, Operator: operatorId.equals, RightOperand: 'op-1' };
const down = conditionsOf([ofOne], { reading: 'Down' });
const holds = (conditions: Condition[], message: object, id = 'op-1') => {
  const rule = compileRule({
    ruleId: 'r',
    name: 'r',
    ruleTypeId: 1,
    tenantId: 't',
    subscriptionId: null,
    timeConditions: null,
    conditions,
  });
  const entity = { id, kind: 'operation' as const, tenantId: 't' };
  return evaluate(rule, { entity, packet: { timestamp: 1_000, message } }, undefined).outcome === 'hit';
};
const packets = {
  up: { Metrics: { Up: 1 }, States: { RunStatus: 'Success' } },
  down: { Metrics: { Up: 0 }, States: { RunStatus: 'Success' } },
  unknown: { States: { RunStatus: 'Unknown' } },
  'plugin ok': { Metrics: { time: 0.2 }, States: { RunStatus: 'Success' } },
  'plugin warning': { States: { RunStatus: 'Warning' } },
  'plugin critical': { States: { RunStatus: 'Critical' } },
  'could not run': { States: { RunStatus: 'Failed' } },
};
const namesOf = (isOne: (message: object) => boolean) =>
  Object.entries(packets).flatMap(([name, message]) => (isOne(message) ? [name] : []));

describe('a check that is Down', () => {
  it('is one that says so, or a plugin that is critical, of the chosen operation alone', () => {
    expect(namesOf((message) => holds(down.conditions, message))).toEqual(['down', 'plugin critical']);
    expect(namesOf((message) => holds(down.conditions, message, 'op-2'))).toEqual([]);
  });

  it('is over when it says Up, or when the plugin is well', () => {
    expect(namesOf((message) => holds(down.recoveryConditions ?? [], message))).toEqual(['up', 'plugin ok', 'plugin warning']);
  });

  it('is what availability and synthetic operations say', () => {
    expect([0, 1, 2, 3, 4, 5, 6].filter(saysUpOrDown)).toEqual([2, 3]);
  });

  it('may be covered by a rule about every check', () => {
    const isCovered = (conditions: readonly Condition[] | undefined) => isAboutEveryCheck(conditions ?? []);
    expect([checkRules[0]?.conditions, checkRules[1]?.conditions, down.conditions, []].map(isCovered)).toEqual([true, false, false, false]);
  });
});

it('says what is missing of another reading, all at once', () => {
  const faults = (when: object) => checkedWhen.safeParse(when).error?.issues.map(({ path }) => path.join('.')) ?? [];
  expect(faults({ reading: 'Metric' })).toEqual(['name', 'operator', 'value']);
  expect(faults({ reading: 'Value' })).toEqual(['operator', 'value']);
  expect([faults({ reading: 'Down' }), faults({ reading: 'Value', operator: 3, value: '1' }), faults({ reading: 'Up' })]).toEqual([
    [],
    [],
    ['reading'],
  ]);
  const { conditions, recoveryConditions } = conditionsOf([ofOne], { reading: 'State', name: ' Disk ', operator: 1, value: 'full' });
  expect([holds(conditions, { States: { Disk: 'full' } }), holds(conditions, { States: { Disk: 'ok' } }), recoveryConditions]).toEqual([
    true,
    false,
    null,
  ]);
});
