/** Why an evaluation came out as it did: every condition with what it saw, also those that were not needed. */
import type { CompiledCondition, CompiledRule } from './compile.ts';
import { inScope, observe, observeTick, type Observation, type Outcome, type RuleState } from './observe.ts';
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
  since: number,
): ConditionTrace {
  const before = state?.[condition.key];
  const seen = look(condition, event, before, since);
  return {
    index: condition.index,
    group,
    value: seen.value ?? null,
    observed: about && seen.carried,
    held: seen.held,
    // A memory moves only where the group is about the entity.
    satisfied: seen.satisfied && (about || !(condition.pattern || condition.window)),
    before: before ?? null,
    after: (about ? seen.after : before) ?? null,
  };
}

function look(condition: CompiledCondition, event: RuleEvent, before: Memory, since: number): Observation {
  const isGate = condition.operand.selects === true && condition.gapMs === 0;
  if (event.kind === 'tick' && !isGate) return observeTick(condition, event, before, since);
  if (condition.pattern || condition.window) return observe(condition, event, before, since);
  const value = condition.read(event, condition.field);
  const carried = value !== undefined || !condition.needsReading;
  const held = carried && condition.test(value);
  return { value, carried, held, after: undefined, satisfied: held && (condition.gapMs === 0 || condition.holds(event)) };
}

/** Selects the entities that are counted, each by itself. */
const unasked = { value: null, observed: true, held: true, satisfied: true, before: null, after: null } as const;

/** `state` is what the rule remembered before the event. */
export function traceOf(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined, outcome: Outcome): Trace {
  const scoped = inScope(rule, event);
  const since = rule.rule.since ?? 0;
  const conditions: ConditionTrace[] = [];
  const groups = rule.groups.map((group, number) => {
    let all = true;
    let about = scoped;
    const add = (condition: CompiledCondition) => {
      const trace = traceCondition(condition, number, event, state, about, since);
      conditions[condition.index] = trace;
      if (!trace.satisfied) all = false;
    };
    for (const member of group.members) conditions[member.index] = { ...unasked, index: member.index, group: number };
    for (const gate of group.gates) add(gate);
    about = scoped && all;
    for (const condition of group.withMemory) add(condition);
    for (const condition of group.plain) add(condition);
    return all && (event.kind !== 'tick' || group.silenceMs !== undefined);
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
