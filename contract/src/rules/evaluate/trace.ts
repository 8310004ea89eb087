/** Traces an evaluation: every condition with its value, including those that the evaluator skipped. */
import { baselineOf, baselineReading, type BaselineReading } from '../baselines/baseline.ts';
import type { CompiledCondition, CompiledGroup, CompiledRule } from '../compile.ts';
import { watchedSince, type Fact, type RuleEvent } from '../facts.ts';
import { passes, valueFor } from './check.ts';
import { observe, observeTick } from './condition.ts';
import type { ConditionMemory, RuleState } from './patterns.ts';
import { windowLength } from '../reading-measures.ts';

export type Outcome = 'hit' | 'miss';

export interface ConditionTrace {
  /** Position of the condition in the rule, and number of its Or-group. */
  index: number;
  group: number;
  /** The value that the condition compares; null without one. */
  value: Exclude<Fact, undefined>;
  /** The right side, if the condition reads it from the event; null when the event does not have it. */
  right?: Exclude<Fact, undefined>;
  /** For a condition on a baseline: the reading and its usual value; null when the event does not have them. */
  usual?: BaselineReading | null;
  /** For a condition without a value because it needs a whole window: since when it counts, and for how many seconds it must. */
  fills?: { since: number; seconds: number };
  /** False when the packet lacks the reading, or when the group does not concern this entity. */
  observed: boolean;
  /** Whether the operator holds for the value. */
  held: boolean;
  /** Whether the condition is satisfied, including its occurrence pattern. */
  satisfied: boolean;
  /** The condition's memory before and after the event. */
  before: Exclude<ConditionMemory, undefined> | null;
  after: Exclude<ConditionMemory, undefined> | null;
}

export interface Trace {
  at: number;
  inScope: boolean;
  /** Null when the rule has no time limitations. */
  inTimeWindow: boolean | null;
  /** For each Or-group, whether it holds. */
  groups: boolean[];
  conditions: ConditionTrace[];
  outcome: Outcome;
}

/** The input that all conditions of one trace share. */
interface TraceInput {
  event: RuleEvent;
  state: RuleState | undefined;
}

function traceCondition(condition: CompiledCondition, group: number, about: boolean, { event, state }: TraceInput): ConditionTrace {
  const { index, pattern, window, step } = condition;
  const isGate = condition.operand.selects === true && condition.gapMs === 0;
  if (!pattern && !window && (event.kind !== 'tick' || isGate)) {
    const value = valueFor(step, event);
    const satisfied = passes(step, event);
    const carried = value !== undefined || !condition.needsReading;
    // For a condition on a gap between packets, a gap that is too short fails the condition, although the operator may hold for
    // the value.
    const held = satisfied || (condition.gapMs > 0 && carried && condition.test(value, event));
    return { index, group, value: value ?? null, observed: about && carried, held, satisfied, before: null, after: null };
  }
  const before = state?.[condition.key];
  const observation = event.kind === 'tick' && !isGate ? observeTick(condition, event, before) : observe(condition, event, before);
  return {
    index,
    group,
    value: observation.value ?? null,
    observed: about && observation.carried,
    held: observation.holds,
    // A group that does not concern the entity does not evaluate conditions with memory, so they are not satisfied.
    satisfied: observation.satisfied && (about || !(pattern || window)),
    before: before ?? null,
    after: (about ? observation.after : before) ?? null,
  };
}

/** Returns since when a condition counts that has no value yet because it needs a whole window. */
function filling({ wholeMs, since, window }: CompiledCondition, trace: ConditionTrace, event: RuleEvent): ConditionTrace['fills'] {
  if (wholeMs === 0 || trace.value !== null) return undefined;
  const isPacket = event.kind === 'packet' || event.kind === undefined;
  const whole = { ms: wholeMs, stepMs: windowLength(wholeMs / 1_000).stepMs };
  const memory = trace.after ?? trace.before;
  const first = window && typeof memory === 'object' && memory !== null && 'window' in memory ? memory.window.since : 0;
  const from = Math.max(isPacket ? since : watchedSince(event, since, whole), first);
  return event.packet.timestamp - from < wholeMs ? { since: from, seconds: wholeMs / 1_000 } : undefined;
}

/**
 * The trace of a condition that selects the counted entities. Such a condition is evaluated when packets are counted, not
 * here.
 */
const unasked = { value: null, observed: true, held: true, satisfied: true, before: null, after: null } as const;

function traceGroup(group: CompiledGroup, number: number, scoped: boolean, traced: TraceInput, into: ConditionTrace[]): boolean {
  let all = true;
  const add = (conditions: readonly CompiledCondition[], about: boolean): void => {
    for (const condition of conditions) {
      const trace = traceCondition(condition, number, about, traced);
      if (condition.operand.baseline) trace.usual = baselineReading(traced.event, condition.field, baselineOf(condition.source)) ?? null;
      const fills = about ? filling(condition, trace, traced.event) : undefined;
      if (fills) trace.fills = fills;
      if (condition.right) trace.right = condition.right(traced.event) ?? null;
      into[condition.index] = trace;
      if (!trace.satisfied) all = false;
    }
  };
  for (const member of group.members) into[member.index] = { ...unasked, index: member.index, group: number };
  add(group.gates, scoped);
  const about = scoped && all;
  add(group.withMemory, about);
  add(group.plain, about);
  return all && (traced.event.kind !== 'tick' || group.silenceMs !== undefined);
}

/**
 * Traces the evaluation of an event. `state` is the memory of the rule before the event; `scoped`: whether the entity is in the
 * scope of the rule.
 */
export function traceOf(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined, scoped: boolean, outcome: Outcome): Trace {
  const traced: TraceInput = { event, state };
  const conditions: ConditionTrace[] = [];
  const groups = rule.groups.map((group, number) => traceGroup(group, number, scoped, traced, conditions));
  return {
    at: event.packet.timestamp,
    inScope: scoped,
    inTimeWindow: rule.inTimeWindow ? rule.inTimeWindow(event.packet.timestamp) : null,
    groups,
    conditions,
    outcome,
  };
}
