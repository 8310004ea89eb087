/** Why an evaluation came out as it did: every condition with what it saw, also those that were not needed. */
import type { CompiledCondition, CompiledGroup, CompiledRule } from './compile.ts';
import { allHold, holds, inScope, observe, type Outcome, type RuleState } from './observe.ts';
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

function traceCondition(condition: CompiledCondition, group: number, event: RuleEvent, state: RuleState | undefined, about: boolean): ConditionTrace {
  const value = condition.read(event, condition.field);
  const observed = about && !(value === undefined && condition.needsReading);
  const before = condition.pattern ? state?.[condition.key] : undefined;
  const { after, satisfied } = condition.pattern && observed
    ? observe(condition, event, before)
    : { after: before, satisfied: !condition.pattern && holds(condition, event) };
  const held = !(value === undefined && condition.needsReading) && condition.test(value);
  return { index: condition.index, group, value: value ?? null, observed, held, satisfied, before: before ?? null, after: after ?? null };
}

function traceGroup(group: CompiledGroup, index: number, event: RuleEvent, state: RuleState | undefined, scoped: boolean): ConditionTrace[] {
  const about = scoped && allHold(group.gates, event);
  return [
    ...group.gates.map((gate) => traceCondition(gate, index, event, state, scoped)),
    ...[...group.withMemory, ...group.plain].map((condition) => traceCondition(condition, index, event, state, about)),
  ];
}

/** `state` is what the rule remembered before the event. */
export function traceOf(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined, outcome: Outcome): Trace {
  const scoped = inScope(rule, event);
  const groups = rule.groups.map((group, index) => traceGroup(group, index, event, state, scoped));
  return {
    at: event.packet.timestamp,
    inScope: scoped,
    inTimeWindow: rule.inTimeWindow ? rule.inTimeWindow(event.packet.timestamp) : null,
    groups: groups.map((group) => group.every((condition) => condition.satisfied)),
    conditions: groups.flat().sort((a, b) => a.index - b.index),
    outcome,
  };
}
