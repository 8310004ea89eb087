import { describe, expect, it } from 'vitest';
import { compileRule, type RuleDefinition } from '../compile.ts';
import { evaluate } from './evaluate.ts';
import type { RuleEvent } from '../facts.ts';
import type { Condition } from '../schema.ts';
import type { ConditionTrace, Trace } from './trace.ts';

const entity = { id: 'e1', kind: 'device' as const, tenantId: 't1', device: { id: 'e1', name: 'web' } };

const about = (LeftOperand: number, Operator: number, RightOperand?: string, extra: Partial<Condition> = {}): Condition => ({
  Type: 'And',
  LeftOperand,
  Operator,
  RightOperand,
  ...extra,
});
const cpu = (extra: Partial<Condition> = {}) => about(62, 3, '90', { LeftOperandFieldName: 'Cpu', ...extra });
const twice = { OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } } as const;
const notSeen = { OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 60 } } as const;

const ruleOf = (ruleTypeId: number, ...conditions: Condition[]): RuleDefinition => ({
  ruleId: 'r',
  name: 'r',
  ruleTypeId,
  tenantId: 't1',
  conditions,
});

const packet = (seconds: number, Cpu?: number, extra: Partial<RuleEvent> = {}): RuleEvent => ({
  entity,
  packet: { timestamp: seconds * 1_000, message: Cpu === undefined ? {} : { Metrics: { Cpu } } },
  ...extra,
});
const tick = (seconds: number): RuleEvent => packet(seconds, undefined, { kind: 'tick', previous: { timestamp: 0 } });

/** Returns the trace of the last event. */
function traceOf(rule: RuleDefinition, ...events: RuleEvent[]): Trace {
  const compiled = compileRule(rule);
  let state: ReturnType<typeof evaluate>['state'];
  let trace: Trace | undefined;
  for (const event of events) ({ state, trace } = evaluate(compiled, event, state, { trace: true }));
  if (!trace) throw new Error('There is no event.');
  return trace;
}

const conditionOf = (rule: RuleDefinition, ...events: RuleEvent[]): ConditionTrace | undefined => traceOf(rule, ...events).conditions[0];
const flags = (trace: Partial<ConditionTrace> = {}) => ({ observed: trace.observed, held: trace.held, satisfied: trace.satisfied });

describe('the trace of a condition without memory', () => {
  it('has its value and whether the operator holds', () => {
    expect(conditionOf(ruleOf(1, cpu()), packet(0, 95))).toEqual({
      index: 0,
      group: 0,
      value: 95,
      observed: true,
      held: true,
      satisfied: true,
      before: null,
      after: null,
    });
    expect(conditionOf(ruleOf(1, cpu()), packet(0, 5))).toMatchObject({ value: 5, observed: true, held: false, satisfied: false });
  });

  it('is not observed in a packet without the reading, unless it looks at every packet', () => {
    expect(conditionOf(ruleOf(1, cpu()), packet(0))).toMatchObject({ value: null, observed: false, held: false, satisfied: false });
    const empty = about(62, 13, undefined, { LeftOperandFieldName: 'Cpu' });
    expect(conditionOf(ruleOf(1, empty), packet(0))).toMatchObject({ value: null, observed: true, held: true, satisfied: true });
  });

  it('is not observed where the group does not concern the entity', () => {
    const rule = ruleOf(1, about(31, 1, 'db'), cpu());
    expect(traceOf(rule, packet(0, 95)).conditions.map(flags)).toEqual([
      { observed: true, held: false, satisfied: false },
      { observed: false, held: true, satisfied: true },
    ]);
  });

  it('holds after a gap that is too short without being satisfied', () => {
    const rule = ruleOf(1, cpu(notSeen));
    const after = (seconds: number, value?: number) =>
      flags(conditionOf(rule, packet(100, value, { previous: { timestamp: seconds * 1_000 } })));
    expect(after(39, 95)).toEqual({ observed: true, held: true, satisfied: true });
    expect(after(40, 95)).toEqual({ observed: true, held: true, satisfied: false });
    expect(after(40, 5)).toEqual({ observed: true, held: false, satisfied: false });
    expect(after(40)).toEqual({ observed: false, held: false, satisfied: false });
    const other = ruleOf(1, about(62, 2, '5', { LeftOperandFieldName: 'Cpu', ...notSeen }));
    expect(flags(conditionOf(other, packet(100, undefined, { previous: { timestamp: 0 } })))).toEqual({
      observed: false,
      held: false,
      satisfied: false,
    });
  });

  it('does not hold for a text that is no number', () => {
    const state = about(63, 3, '90', { LeftOperandFieldName: 'Load' });
    const event = { ...packet(0), packet: { timestamp: 0, message: { States: { Load: 'high' } } } };
    expect(flags(conditionOf(ruleOf(1, state), event))).toEqual({ observed: true, held: false, satisfied: false });
  });
});

describe('the trace of a condition with memory', () => {
  it('has the memory before and after', () => {
    const rule = ruleOf(1, cpu(twice));
    expect(conditionOf(rule, packet(0, 95))).toMatchObject({ observed: true, held: true, satisfied: false, before: null, after: 1 });
    expect(conditionOf(rule, packet(0, 95), packet(1, 96))).toMatchObject({ value: 96, satisfied: true, before: 1, after: 2 });
    expect(conditionOf(rule, packet(0, 95), packet(1, 5))).toMatchObject({ held: false, satisfied: false, before: 1, after: null });
  });

  it('keeps its memory over a packet without the reading, which it does not observe', () => {
    const trace = conditionOf(ruleOf(1, cpu(twice)), packet(0, 95), packet(1));
    expect(trace).toMatchObject({ value: null, observed: false, held: false, satisfied: false, before: 1, after: 1 });
  });

  it('does not change and is not satisfied where the group does not concern the entity', () => {
    const rule = ruleOf(1, about(31, 1, 'db'), cpu({ OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }));
    expect(traceOf(rule, packet(0, 95), packet(1, 95)).conditions[1]).toMatchObject({
      value: 95,
      observed: false,
      satisfied: false,
      before: null,
      after: null,
    });
    const counts = ruleOf(3, about(31, 1, 'db'), about(71, 6, '1', { WindowSeconds: 60 }));
    expect(traceOf(counts, packet(0, 95)).conditions[1]).toMatchObject({ observed: false, satisfied: false, before: null, after: null });
  });
});

describe('the trace of a tick', () => {
  it('explains silence by its length', () => {
    const rule = ruleOf(3, about(31, 1, 'web'), about(70, 3, '60'));
    expect(traceOf(rule, tick(61)).conditions).toMatchObject([
      { value: 'web', observed: true, satisfied: true },
      { value: 61, observed: true, held: true, satisfied: true },
    ]);
    expect(traceOf(rule, tick(61))).toMatchObject({ at: 61_000, groups: [true], outcome: 'hit', inScope: true, inTimeWindow: null });
    expect(traceOf(rule, tick(60))).toMatchObject({ groups: [false], outcome: 'miss' });
  });

  it('has no reading to observe', () => {
    expect(conditionOf(ruleOf(3, cpu(notSeen)), tick(61))).toMatchObject({ value: null, observed: false, held: true, satisfied: true });
    expect(conditionOf(ruleOf(3, cpu(notSeen)), tick(60))).toMatchObject({ observed: false, held: false, satisfied: false });
    expect(conditionOf(ruleOf(3, cpu()), tick(61))).toMatchObject({ value: null, observed: false, held: false, satisfied: false });
  });

  it('leaves occurrence patterns alone', () => {
    const rule = ruleOf(3, about(70, 3, '60', twice), about(70, 3, '60', { Type: 'Or' }));
    expect(traceOf(rule, tick(61)).conditions.map(flags)).toEqual([
      { observed: false, held: false, satisfied: false },
      { observed: true, held: true, satisfied: true },
    ]);
    expect(traceOf(rule, tick(61))).toMatchObject({ groups: [false, true], outcome: 'hit' });
  });

  it('says nothing of silence before the first packet', () => {
    const rule = ruleOf(3, about(70, 3, '60'));
    const first = packet(61, undefined, { kind: 'tick' });
    expect(conditionOf(rule, first)).toMatchObject({ value: null, observed: false, satisfied: false });
  });
});

describe('the trace of a check of many entities', () => {
  it('has an entry for the conditions that select them', () => {
    const rule = ruleOf(6, about(31, 1, 'web'), about(71, 6, '0', { WindowSeconds: 60 }));
    const check = packet(100, undefined, { kind: 'count', totals: {}, gaps: [] });
    expect(traceOf(rule, check)).toMatchObject({
      groups: [true],
      conditions: [
        { index: 0, group: 0, value: null, observed: true, held: true, satisfied: true, before: null, after: null },
        { index: 1, group: 0, value: 0, satisfied: true },
      ],
    });
  });
});
