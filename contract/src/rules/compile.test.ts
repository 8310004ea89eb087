import { describe, expect, it } from 'vitest';
import { ruleTypes } from '../enums.ts';
import { compileRule, ruleTypeId, type RuleDefinition } from './compile.ts';
import { evaluate } from './evaluate/evaluate.ts';
import type { MatchFact, RuleEntity, RuleEvent, Totals } from './facts.ts';
import type { Condition } from './schema.ts';

const web: RuleEntity = { id: 'e1', kind: 'device', tenantId: 't1', subscriptionId: 's1', device: { id: 'e1', name: 'web' } };
const db: RuleEntity = { ...web, id: 'e2', device: { id: 'e2', name: 'db' } };

const about = (LeftOperand: number, Operator: number, RightOperand?: string, extra: Partial<Condition> = {}): Condition => ({
  Type: 'And',
  LeftOperand,
  Operator,
  RightOperand,
  ...extra,
});

const ruleOf = (ruleTypeId: number, ...conditions: Condition[]): RuleDefinition => ({
  ruleId: 'own',
  name: 'r',
  ruleTypeId,
  tenantId: 't1',
  conditions,
});

/** Returns a condition that compares the metric `Used` with a value of the event, in place of a fixed value. */
const against = (RightReading: Condition['RightReading'], extra: Partial<Condition> = {}): Condition =>
  about(62, 3, undefined, { LeftOperandFieldName: 'Used', RightReading, ...extra });

const keysOf = (rule: RuleDefinition): string[] => compileRule(rule).conditions.map((condition) => condition.key);

describe('rule types', () => {
  it('have the ids that the choices have', () => {
    const byName = Object.fromEntries(ruleTypes.map(({ label, value }) => [label.charAt(0).toLowerCase() + label.slice(1), value]));
    expect(ruleTypeId).toEqual(byName);
  });
});

describe('a rule that cannot be evaluated', () => {
  it.each([
    ['Condition 2: The left operand 999 is not known.', [about(31, 1, 'web'), about(999, 1, 'x')]],
    ['Condition 1: The operator 15 is not known.', [about(31, 15, 'x')]],
    ['Condition 1: Packet Count cannot be used in a rule of this type.', [about(71, 1, '1')]],
    ['Condition 1: Contains does not make sense for Seconds Since Last Packet.', [about(70, 5, '1')]],
    ['Condition 1: Metric needs a field name.', [about(62, 3, '1')]],
    ['Condition 1: Please enter a value.', [about(31, 1)]],
    ['Condtions are required for rules.', []],
    ['Condition 1: Diagnostic cannot be the right side of a condition.', [against({ Operand: 64, FieldName: 'x' })]],
    ['Condition 1: 999 cannot be the right side of a condition.', [against({ Operand: 999 })]],
    ['Condition 1: Metric needs a field name.', [against({ Operand: 62 })]],
    ['Condition 1: Contains does not compare with a reading.', [{ ...against({ Operand: 60 }), LeftOperand: 63, Operator: 5 }]],
    ['Condition 1: Device Name can only be compared with a fixed value.', [{ ...against({ Operand: 60 }), LeftOperand: 31, Operator: 1 }]],
  ])('says: %s', (message, conditions) => {
    expect(() => compileRule(ruleOf(1, ...conditions))).toThrow(expect.objectContaining({ name: 'RuleError', message }));
  });
});

describe('a right side that is read', () => {
  const values = { max: '80', unit: 'Celsius' };
  const outcome = (condition: Condition, message: RuleEvent['packet']['message'], device = values) =>
    evaluate(
      compileRule(ruleOf(1, condition)),
      { entity: { ...web, device: { id: 'e1', values: device } }, packet: { timestamp: 0, message } },
      undefined,
    ).outcome;

  it('is another reading of the packet, times a factor', () => {
    const condition = against({ Operand: 62, FieldName: 'Total', Factor: 0.9 });
    expect(outcome(condition, { Metrics: { Used: 91, Total: 100 } })).toBe('hit');
    expect(outcome(condition, { Metrics: { Used: 90, Total: 100 } })).toBe('miss');
    expect(outcome(against({ Operand: 61, FieldName: 'Limit' }), { Metrics: { Used: 5 }, Properties: { Limit: '4.5' } })).toBe('hit');
    expect(outcome(against({ Operand: 60 }), { Metrics: { Used: 5 }, Value: 6 })).toBe('miss');
  });

  it('is a value of the device', () => {
    expect(outcome(against({ Operand: 36, FieldName: 'max' }), { Metrics: { Used: 81 } })).toBe('hit');
    expect(outcome(against({ Operand: 36, FieldName: 'max' }), { Metrics: { Used: 80 } })).toBe('miss');
    const unit = against({ Operand: 36, FieldName: 'unit' }, { LeftOperand: 63, LeftOperandFieldName: 'Unit', Operator: 2 });
    expect(outcome(unit, { States: { Unit: 'celsius' } })).toBe('miss');
    expect(outcome(unit, { States: { Unit: 'Kelvin' } })).toBe('hit');
  });

  it('holds for nothing where it is missing, or no number where one is compared', () => {
    const { Operand, FieldName } = { Operand: 36, FieldName: 'unit' };
    for (const Operator of [2, 3, 4, 7]) {
      const condition = against({ Operand, FieldName, Factor: 2 }, { Operator });
      expect(outcome(condition, { Metrics: { Used: 1 } })).toBe('miss');
      expect(outcome(against({ Operand: 62, FieldName: 'Total' }, { Operator }), { Metrics: { Used: 1 } })).toBe('miss');
    }
  });

  it('is in the trace with the value that it had', () => {
    const event: RuleEvent = { entity: web, packet: { timestamp: 0, message: { Metrics: { Used: 91, Total: 100 } } } };
    const rule = (FieldName: string) => compileRule(ruleOf(1, against({ Operand: 62, FieldName, Factor: 0.5 })));
    const traced = (FieldName: string) => evaluate(rule(FieldName), event, undefined, { trace: true }).trace?.conditions[0];
    expect(traced('Total')).toMatchObject({ value: 91, right: 50, satisfied: true });
    expect(traced('Gone')).toMatchObject({ value: null, right: null, observed: false });
  });

  it('is part of the key of a memory', () => {
    const counted = (FieldName: string) =>
      keysOf(ruleOf(1, against({ Operand: 62, FieldName }, { OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } })));
    expect(counted('Total')).not.toEqual(counted('Limit'));
  });
});

describe('the key of a memory', () => {
  it('changes with the window of a condition that has one', () => {
    const [counts, minute] = [60, 120].map((WindowSeconds) => keysOf(ruleOf(3, about(71, 3, '1', { WindowSeconds }))));
    expect(counts).not.toEqual(minute);
    const [plain, windowed] = [60, 120].map((WindowSeconds) => keysOf(ruleOf(3, about(70, 3, '1', { WindowSeconds }))));
    expect(plain).toEqual(windowed);
  });

  it('changes with the members of a rule about many entities, and with nothing else of the rule', () => {
    const count = about(71, 3, '1');
    const keyBeside = (other: Condition, type = 6) => keysOf(ruleOf(type, count, other))[0];
    expect(keyBeside(about(31, 1, 'web'))).not.toBe(keyBeside(about(31, 1, 'db')));
    expect(keyBeside(about(71, 4, '5'))).toBe(keyBeside(about(71, 4, '6')));
    const twice = { OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } } as const;
    expect(keyBeside(about(31, 1, 'web', twice))).toBe(keyBeside(about(31, 1, 'db', twice)));
    expect(keyBeside(about(31, 1, 'web'), 3)).toBe(keyBeside(about(31, 1, 'db'), 3));
  });
});

describe('the shortest silence that can hit', () => {
  it.each([
    [60_000, about(70, 3, '60')],
    [60_000, about(70, 6, '60')],
    [0, about(70, 3, '-5')],
    [undefined, about(70, 4, '60')],
    [undefined, about(70, 3, '60', { OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } })],
    [30_000, about(31, 1, 'web', { OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 30 } })],
    [10_000, about(71, 4, '1', { WindowSeconds: 60 })],
    [20_000, about(71, 4, '1', { WindowSeconds: 600 })],
    [30_000, about(71, 4, '1', { WindowSeconds: 60, OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 30 } })],
  ])('is %s ms', (silenceMs, condition) => {
    expect(compileRule(ruleOf(3, condition)).silenceMs).toBe(silenceMs);
    expect(compileRule(ruleOf(3, about(31, 1, 'web'), condition)).groups[0]?.silenceMs).toBe(silenceMs);
  });

  it('is that of the slowest condition of a group, and of the quickest group', () => {
    const slow = [about(70, 3, '60'), about(70, 3, '90')];
    expect(compileRule(ruleOf(3, ...slow)).silenceMs).toBe(90_000);
    expect(compileRule(ruleOf(3, ...slow, about(70, 3, '70', { Type: 'Or' }))).silenceMs).toBe(70_000);
  });

  it('exists only for History rules', () => {
    expect(compileRule(ruleOf(1, about(70, 3, '60'))).silenceMs).toBeUndefined();
  });
});

describe('sums of many packets', () => {
  const few = about(71, 4, '3', { WindowSeconds: 30 });

  /** Whether the rule hits at a time when each of its conditions has these sums. */
  function hits(rule: RuleDefinition, at: number, totals: Totals, extra: Partial<RuleEvent> = {}): boolean {
    const compiled = compileRule(rule);
    const ofRule = Object.fromEntries(compiled.conditions.map(({ key }) => [`own ${key}`, totals]));
    return (
      evaluate(
        compiled,
        { kind: 'count', entity: web, packet: { timestamp: at, message: {} }, totals: ofRule, gaps: [], ...extra },
        undefined,
      ).outcome === 'hit'
    );
  }
  const two: Totals = { count: 2, sum: 0, min: 0, max: 0 };

  it('are too few once a whole window is watched since the change of the rule or the end of an outage', () => {
    expect([29_999, 30_000].map((at) => hits(ruleOf(6, few), at, two))).toEqual([false, true]);
    expect([39_999, 40_000].map((at) => hits({ ...ruleOf(6, few), since: 10_000 }, at, two))).toEqual([false, true]);
    const gaps = [
      { from: 1_000, until: 2_000 },
      { from: 15_000, until: 20_000 },
    ];
    // The window has steps of a second.
    expect([48_999, 49_000].map((at) => hits({ ...ruleOf(6, few), since: 10_000 }, at, two, { gaps }))).toEqual([false, true]);
  });

  it('are enough at any time', () => {
    expect(hits(ruleOf(6, about(71, 6, '2', { WindowSeconds: 30 })), 1, two)).toBe(true);
    expect(hits(ruleOf(6, about(71, 6, '3', { WindowSeconds: 30 })), 1, two)).toBe(false);
  });

  it('say nothing of a metric that no packet has', () => {
    const notFive = about(72, 2, '5', { LeftOperandFieldName: 'Cpu', WindowSeconds: 30 });
    expect(hits(ruleOf(6, notFive), 90_000, { ...two, count: 0 })).toBe(false);
    expect(hits(ruleOf(6, notFive), 90_000, { ...two, sum: 8 })).toBe(true);
  });
});

describe('matches of other rules', () => {
  const match = (extra: Partial<MatchFact> = {}): MatchFact => ({ ruleId: 'r1', entity: web, open: true, lastMatch: 90_000, ...extra });
  const hits = (rule: RuleDefinition, ...matches: MatchFact[]): boolean =>
    evaluate(
      compileRule(rule),
      { kind: rule.ruleTypeId === 6 ? 'count' : 'match', entity: web, packet: { timestamp: 100_000, message: {} }, matches },
      undefined,
    ).outcome === 'hit';

  it('count by the rules that the group names by Equals, whatever their case', () => {
    const oneOf = (operator: number) => ruleOf(2, about(80, operator, 'R1'), about(81, 6, '1'));
    expect(hits(oneOf(1), match())).toBe(true);
    expect(hits(ruleOf(2, about(80, 1, 'r1'), about(81, 6, '2')), match(), match({ ruleId: 'r2' }))).toBe(false);
    expect(hits(oneOf(2), match({ ruleId: 'r2' }))).toBe(true);
  });

  it('of any rule satisfy a condition that names none', () => {
    expect(hits(ruleOf(2, about(80, 14)), match())).toBe(true);
    expect(hits(ruleOf(2, about(80, 14)), match({ open: false }))).toBe(false);
    expect(hits(ruleOf(2, about(80, 13)))).toBe(true);
  });

  it('count for the entities that the group selects, in a rule about many', () => {
    const rule = ruleOf(6, about(31, 1, 'web'), about(81, 6, '1'));
    expect([hits(rule, match()), hits(rule, match({ entity: db }))]).toEqual([true, false]);
    const open = ruleOf(6, about(31, 1, 'web'), about(80, 14));
    expect([hits(open, match()), hits(open, match({ entity: db }))]).toEqual([true, false]);
  });

  it('count within their window, its start excluded, and never those of the rule itself', () => {
    const rule = ruleOf(2, about(82, 6, '1', { WindowSeconds: 10 }));
    const closed = (lastMatch: number, extra: Partial<MatchFact> = {}) => hits(rule, match({ open: false, lastMatch, ...extra }));
    expect([closed(90_001), closed(90_000), closed(90_001, { ruleId: 'own' })]).toEqual([true, false, false]);
    expect(hits(rule, match({ ruleId: 'own' }))).toBe(false);
    expect(hits(ruleOf(2, about(82, 6, '2')), match(), match({ ruleId: 'r2' }))).toBe(false);
    expect(hits(ruleOf(2, about(82, 6, '2')), match(), match({ entity: db }))).toBe(true);
    expect(hits(ruleOf(2, about(81, 6, '2')), match(), match({ ruleId: 'own' }))).toBe(false);
    expect(hits(ruleOf(2, about(81, 1, '0')))).toBe(true);
  });
});
