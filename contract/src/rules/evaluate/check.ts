/** Conditions in the form that the evaluator runs. Evaluation spends most of its time here. */
import { silenceMs, type Fact, type RuleEvent } from '../facts.ts';
import { operatorId } from '../operators.ts';
import { numberIn } from '../fold.ts';

export type Predicate = (event: RuleEvent) => boolean;

/** Whether a value satisfies the condition. The test reads the right side from the event if the condition says so. */
export type ConditionTest = (value: Fact, event: RuleEvent) => boolean;

export interface Parts {
  read: (event: RuleEvent, field: string) => Fact;
  field: string;
  test: ConditionTest;
  /** Whether the condition is false for a packet without the reading. */
  needsReading: boolean;
  /** The time since the previous packet must exceed this, unless 0. */
  gapMs: number;
}

/**
 * A value of the event under evaluation. The first condition that needs the value reads it; further conditions, of any rule,
 * reuse it.
 */
interface SharedReading extends Pick<Parts, 'read' | 'field'> {
  /** The `turn` of the shared readings at which the value was read. */
  turn: number;
  value: Fact;
}

/**
 * Values that conditions read from the event under evaluation. Rules that see the same events are compiled with one object of
 * this type. Without it, each condition would read the event again, and 20 rules with the same metrics would be evaluated at
 * less than half the rate.
 */
export interface SharedReadings {
  readonly byField: Map<Parts['read'], Map<string, SharedReading>>;
  /** The event from which the values were read. Events do not change once they are evaluated. */
  event: RuleEvent | undefined;
  /** The number of events so far; readings of an earlier turn are out of date. */
  turn: number;
}

export function newReadings(): SharedReadings {
  return { byField: new Map(), event: undefined, turn: 0 };
}

export const kinds = { test: 0, greater: 1, less: 2, greaterOrEqual: 3, lessOrEqual: 4, equal: 5 } as const;

const kindOf: Readonly<Record<number, number | undefined>> = {
  [operatorId.greaterThan]: kinds.greater,
  [operatorId.lessThan]: kinds.less,
  [operatorId.greaterThanOrEqual]: kinds.greaterOrEqual,
  [operatorId.lessThanOrEqual]: kinds.lessOrEqual,
  [operatorId.equals]: kinds.equal,
};

/**
 * A condition as data. All conditions have the same shape, so that one loop evaluates them; a closure per condition takes
 * several times as long.
 */
export interface ConditionCheck {
  kind: number;
  readings: SharedReadings;
  reading: SharedReading;
  /** The right side as a number. */
  number: number;
  /** The right side as text. A value with exactly this text is equal to it without a further test. */
  text: string;
  test: ConditionTest;
  needsReading: boolean;
  gapMs: number;
}

function sharedReading({ byField }: SharedReadings, { read, field }: Parts): SharedReading {
  let fields = byField.get(read);
  if (!fields) byField.set(read, (fields = new Map()));
  let reading = fields.get(field);
  if (!reading) fields.set(field, (reading = { read, field, turn: 0, value: undefined }));
  return reading;
}

/** Compiles a condition. `shared`: whether conditions with the same reader and field share the value. */
export function compileCheck(parts: Parts, operator: number, right: string, readings: SharedReadings, shared: boolean): ConditionCheck {
  const { test, needsReading, gapMs, read, field } = parts;
  const reading = shared ? sharedReading(readings, parts) : { read, field, turn: 0, value: undefined };
  // Only a condition with a fixed right side and without a gap has a direct comparison.
  const kind = gapMs > 0 || right === '' ? kinds.test : (kindOf[operator] ?? kinds.test);
  return { kind, readings, reading, number: numberIn(right) ?? Number.NaN, text: right, test, needsReading, gapMs };
}

/** Returns the turn of the shared readings for this event: a new one if the last call was for another event. */
export function turnOf(readings: SharedReadings, event: RuleEvent): number {
  if (readings.event !== event) {
    readings.event = event;
    readings.turn += 1;
  }
  return readings.turn;
}

function readNow(reading: SharedReading, event: RuleEvent, turn: number): Fact {
  reading.value = reading.read(event, reading.field);
  reading.turn = turn;
  return reading.value;
}

/**
 * Returns the value that the condition compares; reads it from the event unless another condition has read it. `turn`: the result
 * of `turnOf`, from a caller that evaluates several conditions of a rule.
 */
export function valueFor({ reading, readings }: ConditionCheck, event: RuleEvent, turn = turnOf(readings, event)): Fact {
  return reading.turn === turn ? reading.value : readNow(reading, event, turn);
}

/** Whether a check of this kind compares a number with a limit. */
export function isLimit(kind: number): boolean {
  return kind >= kinds.greater && kind <= kinds.lessOrEqual;
}

/** Whether a number is within a limit; true for kinds without a limit. The rule index calls it with limits from its arrays. */
export function keepsLimit(kind: number, limit: number, value: number): boolean {
  if (kind === kinds.greater) return value > limit;
  switch (kind) {
    case kinds.less:
      return value < limit;
    case kinds.greaterOrEqual:
      return value >= limit;
    case kinds.lessOrEqual:
      return value <= limit;
    default:
      return true;
  }
}

/** Decides the cases that `passes` and `allPass` do not decide by a direct comparison: texts, gaps, missing readings. */
function passesOtherwise(step: ConditionCheck, event: RuleEvent, value: Fact): boolean {
  if (value === undefined && step.needsReading) return false;
  if (step.gapMs > 0 && (silenceMs(event) ?? 0) <= step.gapMs) return false;
  return step.test(value, event);
}

/** Whether the operator holds for a value that the event has, or that the condition does not need. For conditions without a gap. */
export function holdsFor(step: ConditionCheck, value: Fact, event: RuleEvent): boolean {
  if (typeof value === 'number') {
    if (isLimit(step.kind)) return keepsLimit(step.kind, step.number, value);
  } else if (step.kind === kinds.equal && value === step.text) return true;
  return step.test(value, event);
}

/** Whether a condition holds for an event, without its occurrence pattern. `turn` as for `valueFor`. */
export function passes(step: ConditionCheck, event: RuleEvent, turn?: number): boolean {
  const value = valueFor(step, event, turn);
  if (typeof value === 'number') {
    if (isLimit(step.kind)) return keepsLimit(step.kind, step.number, value);
  } else if (step.kind === kinds.equal && value === step.text) return true;
  return passesOtherwise(step, event, value);
}

/**
 * Whether all conditions hold. Inlines `passes`, which raises the evaluations per second by a third. Moves a condition that does not
 * hold to the front: it will most likely decide the next event too, before the others are evaluated. `turn`: the result of `turnOf`.
 */
export function allPass(steps: ConditionCheck[], event: RuleEvent, turn: number): boolean {
  for (let i = 0; i < steps.length; i += 1) {
    const step = steps[i] as ConditionCheck;
    const { reading, kind } = step;
    const value = reading.turn === turn ? reading.value : readNow(reading, event, turn);
    if (typeof value === 'number') {
      if (
        kind === kinds.greater
          ? value > step.number
          : kind === kinds.less
            ? value < step.number
            : isLimit(kind)
              ? keepsLimit(kind, step.number, value)
              : passesOtherwise(step, event, value)
      )
        continue;
    } else if ((kind === kinds.equal && value === step.text) || passesOtherwise(step, event, value)) continue;
    if (i > 0) {
      steps[i] = steps[0] as ConditionCheck;
      steps[0] = step;
    }
    return false;
  }
  return true;
}
