/** Why an evaluation came out as it did: every condition with what it saw, also those that were not needed. */
import type { CompiledCondition, CompiledRule } from './compile.ts';
import { inScope, observe, type Outcome, type RuleState } from './observe.ts';
import type { Fact, RuleEvent } from './facts.ts';
import type { Memory } from './patterns.ts';

export interface ConditionTrace {
  /** Place in the rule's list, and the Or-group it belongs to. */
  index: number;
  group: number;
  /** What the event said; null when it said nothing. */
  value: Exclude<Fact, undefined>;
  /** False when the packet does not carry the reading, or the group is not about this entity. */
  observed: boolean;
  /** Whether the operator held for the value. */
  held: boolean;
  /** Whether the condition counts, its occurrence pattern included. */
  satisfied: boolean;
  /** What the pattern remembered before and after. */
  before: Exclude<Memory, undefined> | null;
  after: Exclude<Memory, undefined> | null;
}

export interface Trace {
  at: number;
  inScope: boolean;
  /** Null when the rule has no time limitations. */
  inTimeWindow: boolean | null;
  /** Per Or-group, whether all its conditions are satisfied. */
  groups: boolean[];
  conditions: ConditionTrace[];
  outcome: Outcome;
}

function traceCondition(
  condition: CompiledCondition,
  group: number,
  event: RuleEvent,
  state: RuleState | undefined,
  about: boolean,
): ConditionTrace {
  const value = condition.read(event, condition.field);
  const carried = value !== undefined || !condition.needsReading;
  const held = carried && condition.test(value);
  const trace: ConditionTrace = {
    index: condition.index,
    group,
    value: value ?? null,
    observed: about && carried,
    held,
    satisfied: false,
    before: null,
    after: null,
  };
  if (!condition.pattern) {
    trace.satisfied = held && (condition.gapMs === 0 || condition.holds(event));
    return trace;
  }
  const before = state?.[condition.key];
  trace.before = before ?? null;
  trace.after = trace.before;
  if (about) {
    const { after, satisfied } = observe(condition, event, before);
    trace.after = after ?? null;
    trace.satisfied = satisfied;
  }
  return trace;
}

/** `state` is what the rule remembered before the event. */
export function traceOf(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined, outcome: Outcome): Trace {
  const scoped = inScope(rule, event);
  const conditions: ConditionTrace[] = [];
  const groups = rule.groups.map((group, number) => {
    let all = true;
    let about = scoped;
    const add = (condition: CompiledCondition) => {
      const trace = traceCondition(condition, number, event, state, about);
      conditions[condition.index] = trace;
      if (!trace.satisfied) all = false;
    };
    for (const gate of group.gates) add(gate);
    about = scoped && all;
    for (const condition of group.withMemory) add(condition);
    for (const condition of group.plain) add(condition);
    return all;
  });
  return {
    at: event.packet.timestamp,
    inScope: scoped,
    inTimeWindow: rule.inTimeWindow ? rule.inTimeWindow(event.packet.timestamp) : null,
    groups,
    conditions,
    outcome,
  };
}
