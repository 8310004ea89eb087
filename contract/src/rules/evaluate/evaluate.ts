/**
 * The evaluator: computes the outcome of a compiled rule from an event and the rule's memory of the entity. Other folders import
 * only this file of the room.
 */
import type { CompiledCondition, CompiledGroup, CompiledRule } from '../compile.ts';
import type { PatternCheck } from '../group-parts.ts';
import { countsFor } from '../count-groups.ts';
import { silenceMs, type RuleEntity, type RuleEvent } from '../facts.ts';
import { allPass, holdsFor, turnOf, valueFor, type ConditionCheck } from './check.ts';
import { allHold, observe, observeTick } from './condition.ts';
import type { ConditionMemory, PatternMemory, RuleState } from './patterns.ts';
import { traceOf, type Outcome, type Trace } from './trace.ts';

export { newReadings } from './check.ts';
export type { Trace } from './trace.ts';
export type { RuleState } from './patterns.ts';

export interface Evaluation {
  outcome: Outcome;
  /** The state for the next evaluation of this rule and entity; undefined when nothing must be stored. */
  state: RuleState | undefined;
  /** Whether `state` differs from the state before the evaluation. */
  changed: boolean;
  /** Present if the options request a trace. */
  trace?: Trace;
}

/**
 * Whether the rule sees the entity: only entities of its tenant and, when it names a subscription, only entities of that
 * subscription.
 */
export function inScope(rule: CompiledRule, event: Pick<RuleEvent, 'entity'>): boolean {
  const { entity } = event;
  if (rule.tenantId !== entity.tenantId) return false;
  // A group may contain devices of several subscriptions; the rule counts the devices of its own subscription.
  return (
    rule.subscriptionId === null ||
    rule.subscriptionId === entity.subscriptionId ||
    (entity.kind === 'group' && countsFor(rule.rule, entity))
  );
}

/** Whether events of the entity can concern the rule: it is in the scope of the rule, and the gates of a group select it. */
export function selects(rule: CompiledRule, entity: RuleEntity): boolean {
  const event = { entity, packet: { timestamp: 0, message: {} } };
  return inScope(rule, event) && rule.groups.some((group) => allHold(group.gates, event) && allHold(group.members, event));
}

const restingHit: Evaluation = Object.freeze({ outcome: 'hit', state: undefined, changed: false });
const restingMiss: Evaluation = Object.freeze({ outcome: 'miss', state: undefined, changed: false });

/**
 * Returns the state with the memory of one condition replaced, and without memory of conditions that the rule no longer has.
 */
function remember(rule: CompiledRule, state: RuleState | undefined, key: string, memory: ConditionMemory): RuleState | undefined {
  const next: Record<string, Exclude<ConditionMemory, undefined>> = {};
  let any = false;
  for (const condition of rule.remembering) {
    const value = condition.key === key ? memory : state?.[condition.key];
    if (value === undefined) continue;
    next[condition.key] = value;
    any = true;
  }
  return any ? next : undefined;
}

/** Whether no operator of these patterns, whose memory is empty, holds: then the group does not hold, and the memory stays empty. */
function staysAtRest(conditions: readonly CompiledCondition[], event: RuleEvent, turn: number): boolean {
  for (let i = 0; i < conditions.length; i += 1) {
    const { step, needsReading } = conditions[i] as CompiledCondition;
    const value = valueFor(step, event, turn);
    if ((value !== undefined || !needsReading) && holdsFor(step, value, event)) return false;
  }
  return true;
}

/** Evaluates a rule of one group whose only memory is that of one pattern, as `evaluateWithMemory` does. */
function evaluatePattern(rule: CompiledRule, check: PatternCheck, event: RuleEvent, state: RuleState | undefined): Evaluation {
  const turn = turnOf(rule.readings, event);
  const { step, pattern, key } = check;
  const value = valueFor(step, event, turn);
  if (value === undefined && check.needsReading) return unchanged(state);
  const holds = holdsFor(step, value, event);
  if ((state === undefined && check.rests && !holds) || !allPass(check.gates, event, turn)) return unchanged(state);
  const at = event.packet.timestamp;
  const before = state === undefined ? undefined : (state[key] as PatternMemory);
  const after = pattern.advance(before, holds, value, at);
  const hit =
    pattern.satisfied(before, after, holds, at) &&
    allPass(check.plain, event, turn) &&
    (rule.inTimeWindow === undefined || rule.inTimeWindow(at));
  const next = after === before ? state : after === undefined ? undefined : { [key]: after };
  if (next === undefined && state === undefined) return hit ? restingHit : restingMiss;
  return { outcome: hit ? 'hit' : 'miss', state: next, changed: next !== state };
}

const unchanged = (state: RuleState | undefined): Evaluation =>
  state === undefined ? restingMiss : { outcome: 'miss', state, changed: false };

/** Evaluates a rule with memory: all groups, even after a group holds, so that each group updates its memory. */
function evaluateWithMemory(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined): Evaluation {
  const turn = turnOf(rule.readings, event);
  let next = state;
  let hit = false;
  for (let i = 0; i < rule.groups.length; i += 1) {
    const group = rule.groups[i] as CompiledGroup;
    if (state === undefined && group.rests && staysAtRest(group.withMemory, event, turn)) continue;
    if (!allPass(group.steps.gates, event, turn)) continue;
    let all = true;
    for (let k = 0; k < group.withMemory.length; k += 1) {
      const condition = group.withMemory[k] as CompiledCondition;
      const before = state?.[condition.key];
      let after = before;
      let satisfied = false;
      if (condition.window) ({ after, satisfied } = observe(condition, event, before));
      else if (condition.pattern) {
        // Inlines `observe`, whose result object would reduce the evaluations per second by a tenth.
        const value = valueFor(condition.step, event, turn);
        if (value !== undefined || !condition.needsReading) {
          const holds = holdsFor(condition.step, value, event);
          after = condition.pattern.advance(before as PatternMemory, holds, value, event.packet.timestamp);
          satisfied = condition.pattern.satisfied(before as PatternMemory, after as PatternMemory, holds, event.packet.timestamp);
        }
      }
      if (after !== before) next = remember(rule, next, condition.key, after);
      if (!satisfied) all = false;
    }
    if (all && !hit) hit = allPass(group.steps.plain, event, turn);
  }
  if (hit && rule.inTimeWindow && !rule.inTimeWindow(event.packet.timestamp)) hit = false;
  if (next === undefined && state === undefined) return hit ? restingHit : restingMiss;
  return { outcome: hit ? 'hit' : 'miss', state: next, changed: next !== state };
}

/** Evaluates a rule without memory: stops at the first group that holds. */
function evaluateResting({ readings }: CompiledRule, groups: readonly ConditionCheck[][], event: RuleEvent): boolean {
  const turn = turnOf(readings, event);
  for (let i = 0; i < groups.length; i += 1) if (allPass(groups[i] as ConditionCheck[], event, turn)) return true;
  return false;
}

/** Evaluates a tick. A group holds when time satisfies each of its conditions; memory does not change. */
function evaluateTick(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined): boolean {
  const holds = (condition: CompiledCondition) => observeTick(condition, event, state?.[condition.key]).satisfied;
  return rule.groups.some(
    (group) => group.silenceMs !== undefined && allHold(group.gates, event) && group.withMemory.every(holds) && group.plain.every(holds),
  );
}

/** The shortest time until a tick of the same silence can hit; 0 once it could, infinite for an entity that the rule does not select. */
export function silenceLeftMs(rule: CompiledRule, tick: RuleEvent): number {
  if (!inScope(rule, tick)) return Infinity;
  const silence = silenceMs(tick) ?? 0;
  const left = rule.groups.flatMap((group) =>
    group.silenceMs !== undefined && allHold(group.gates, tick) ? [Math.max(0, group.silenceMs - silence)] : [],
  );
  return Math.min(Infinity, ...left);
}

function decide(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined): Evaluation {
  const { simple } = rule;
  // Most evaluations: asking only for this first raises their number per second by a tenth.
  if (simple !== undefined && state === undefined && event.kind !== 'tick' && rule.tenantId === event.entity.tenantId)
    return allPass(simple, event, turnOf(rule.readings, event)) ? restingHit : restingMiss;
  return decideAny(rule, event, state);
}

function decideAny(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined): Evaluation {
  if (!inScope(rule, event)) return state ? { outcome: 'miss', state, changed: false } : restingMiss;
  if (event.kind === 'tick') {
    const hit = evaluateTick(rule, event, state) && (!rule.inTimeWindow || rule.inTimeWindow(event.packet.timestamp));
    return { outcome: hit ? 'hit' : 'miss', state, changed: false };
  }
  if (rule.pattern) return evaluatePattern(rule, rule.pattern, event, state);
  if (!rule.resting) return evaluateWithMemory(rule, event, state);
  const hit = evaluateResting(rule, rule.resting, event) && (!rule.inTimeWindow || rule.inTimeWindow(event.packet.timestamp));
  // A rule without memory has no state: a stored state is memory of conditions that the rule no longer has.
  return state ? { outcome: hit ? 'hit' : 'miss', state: undefined, changed: true } : hit ? restingHit : restingMiss;
}

/**
 * Evaluates one event of one entity, at the event's own time. Events of an entity come in order. Time conditions limit only the
 * outcome: memory is updated outside the permitted times too. A condition on a reading that the packet does not contain does
 * not hold, and its memory does not change; `IsEmpty` and `IsNotEmpty` evaluate every packet. In a group whose conditions on
 * the entity itself (device, tag, block, ...) do not hold, memory does not change. A tick changes no memory.
 */
export function evaluate(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined, options?: { trace: boolean }): Evaluation {
  return options?.trace ? traced(rule, event, state) : decide(rule, event, state);
}

function traced(rule: CompiledRule, event: RuleEvent, state: RuleState | undefined): Evaluation {
  const { outcome, state: after, changed } = decide(rule, event, state);
  return { outcome, state: after, changed, trace: traceOf(rule, event, state, inScope(rule, event), outcome) };
}
