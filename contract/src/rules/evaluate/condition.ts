/** One condition of a rule and one event: what the condition sees, whether it is satisfied, and its memory after the event. */
import type { CompiledCondition, Window } from '../compile.ts';
import { silenceMs, watchedSince, type Fact, type RuleEvent } from '../facts.ts';
import { readMetric } from '../operands.ts';
import { isOfTwoReadings } from '../reading-measures.ts';
import { passes, valueFor } from './check.ts';
import type { ConditionMemory, PatternMemory, WindowedMemory } from './patterns.ts';
import { addToWindow, measuredAt, type WindowMemory } from './window.ts';

/** Whether every condition holds; stops at the first that does not. `turn` as for `valueFor`. */
export function allHold(conditions: readonly CompiledCondition[], event: RuleEvent, turn?: number): boolean {
  for (let i = 0; i < conditions.length; i += 1) {
    if (!passes((conditions[i] as CompiledCondition).step, event, turn)) return false;
  }
  return true;
}

/** The result of one condition for one event. */
export interface Observation {
  value: Fact;
  /** Whether the event has the values that the condition needs. */
  carried: boolean;
  /** Whether the operator holds. */
  holds: boolean;
  after: ConditionMemory;
  satisfied: boolean;
}

const nothing = (before: ConditionMemory): Observation => ({
  value: undefined,
  carried: false,
  holds: false,
  after: before,
  satisfied: false,
});

/**
 * Returns the value of a window at a time; if `whole`, undefined before a whole window was observed. `watchedFrom`: start of
 * observation.
 */
function windowValue(condition: CompiledCondition, memory: WindowMemory | undefined, at: number, watchedFrom: number): Fact {
  const window = condition.window as Window;
  const since = Math.max(memory?.since ?? Number.POSITIVE_INFINITY, watchedFrom);
  if (condition.wholeMs > 0 && at - since < condition.wholeMs) return undefined;
  return measuredAt(window.measure, memory, at, window.length, window.aheadMs);
}

/** Returns the value; undefined if the right side is read from the event and the event lacks it. */
function comparable({ right }: CompiledCondition, event: RuleEvent, value: Fact): Fact {
  return right && right(event) === undefined ? undefined : value;
}

function isAfterGap(condition: CompiledCondition, event: RuleEvent): boolean {
  return condition.gapMs === 0 || (silenceMs(event) ?? 0) > condition.gapMs;
}

function observeWindow(condition: CompiledCondition, event: RuleEvent, before: WindowedMemory | undefined): Observation {
  const window = condition.window as Window;
  const at = event.packet.timestamp;
  const reading = window.measure === 'count' ? 0 : readMetric(event, condition.field);
  if (reading === undefined && isOfTwoReadings(window.measure)) return nothing(before);
  const memory = addToWindow(before?.window, reading, at, window.length, window.measure);
  const since =
    condition.wholeMs > 0 ? watchedSince(event, condition.since, { ms: window.ms, stepMs: window.length.stepMs }) : condition.since;
  const value = comparable(condition, event, windowValue(condition, memory, at, since));
  const carried = value !== undefined || !(condition.needsReading || condition.wholeMs > 0);
  const holds = carried && condition.test(value, event);
  const patternBefore = before?.pattern;
  const pattern = condition.pattern && carried ? condition.pattern.advance(patternBefore, holds, value, at) : patternBefore;
  const same = before !== undefined && memory === before.window && pattern === patternBefore;
  return {
    value,
    carried,
    holds,
    after: same ? before : { window: memory, pattern },
    satisfied: condition.pattern
      ? carried && condition.pattern.satisfied(patternBefore, pattern, holds, at)
      : holds && isAfterGap(condition, event),
  };
}

/** Evaluates a condition with memory: its next memory and whether it is satisfied. */
export function observe(condition: CompiledCondition, event: RuleEvent, before: ConditionMemory): Observation {
  if (condition.window) return observeWindow(condition, event, before as WindowedMemory | undefined);
  const value = valueFor(condition.step, event);
  if (!condition.pattern || (value === undefined && condition.needsReading)) return nothing(before);
  const at = event.packet.timestamp;
  const holds = condition.test(value, event);
  const patternBefore = before as PatternMemory;
  const after = condition.pattern.advance(patternBefore, holds, value, at);
  return { value, carried: true, holds, after, satisfied: condition.pattern.satisfied(patternBefore, after, holds, at) };
}

/** Evaluates a condition without a pattern at a tick, which has no readings and does not change memory. */
export function observeTick(condition: CompiledCondition, event: RuleEvent, memory: ConditionMemory): Observation {
  const silence = silenceMs(event);
  if (condition.pattern || silence === undefined) return nothing(memory);
  const { window } = condition;
  const long = condition.gapMs === 0 || silence > condition.gapMs;
  // A tick has no reading to compare.
  if (condition.operand.reading) {
    const satisfied = condition.gapMs > 0 && long;
    return { value: undefined, carried: false, holds: satisfied, after: memory, satisfied };
  }
  const at = event.packet.timestamp;
  let value: Fact;
  if (!window) value = condition.read(event, condition.field);
  // The silence is longer than the window, so no packet is in the window.
  else if (silence > window.ms) value = measuredAt(window.measure, undefined, at, window.length, window.aheadMs);
  else {
    const watchedFrom = watchedSince(event, condition.since, { ms: window.ms, stepMs: window.length.stepMs });
    value = windowValue(condition, (memory as WindowedMemory | undefined)?.window, at, watchedFrom);
  }
  if (window) value = comparable(condition, event, value);
  const carried = value !== undefined || !(condition.needsReading || condition.wholeMs > 0);
  const holds = carried && condition.test(value, event);
  return { value, carried, holds, after: memory, satisfied: holds && long };
}
