/** A condition as the evaluator runs it; this is where evaluation spends its time. */
import type { Fact, RuleEvent } from './facts.ts';
import { operatorId, type Test } from './operators.ts';
import { numberIn } from './fold.ts';

export type Predicate = (event: RuleEvent) => boolean;

export interface Parts {
  read: (event: RuleEvent, field: string) => Fact;
  field: string;
  test: Test;
  /** A packet that does not carry the reading makes the condition false. */
  needsReading: boolean;
  /** Gap before the packet that must be exceeded; 0 for none. */
  gapMs: number;
}

/** A value that conditions of many rules look at: read once per event, however many ask. */
interface SharedReading extends Pick<Parts, 'read' | 'field'> {
  /** The turn in which it was read. */
  turn: number;
  value: Fact;
}

export const kinds = { test: 0, greater: 1, less: 2, greaterOrEqual: 3, lessOrEqual: 4, equal: 5 } as const;

const kindOf: Readonly<Record<number, number | undefined>> = {
  [operatorId.greaterThan]: kinds.greater,
  [operatorId.lessThan]: kinds.less,
  [operatorId.greaterThanOrEqual]: kinds.greaterOrEqual,
  [operatorId.lessThanOrEqual]: kinds.lessOrEqual,
  [operatorId.equals]: kinds.equal,
};

/** One shape for all conditions, run by one loop: a call of its own for each would take several times as long. */
export interface ConditionCheck {
  kind: number;
  reading: SharedReading;
  /** What numbers are compared with. */
  number: number;
  /** What is equal without a closer look. */
  text: string;
  test: Test;
  needsReading: boolean;
  gapMs: number;
}

/** Readings by reader and field; what is forgotten is read again by newer rules. */
const readings = new Map<Parts['read'], Map<string, SharedReading>>();
const maxFields = 20_000;

function readingOf({ read, field }: Parts): SharedReading {
  let fields = readings.get(read);
  if (!fields) readings.set(read, (fields = new Map()));
  let reading = fields.get(field);
  if (reading) return reading;
  if (fields.size >= maxFields) fields.clear();
  reading = { read, field, turn: 0, value: undefined };
  fields.set(field, reading);
  return reading;
}

export function stepOf(parts: Parts, operator: number, right: string, shared: boolean): ConditionCheck {
  const { test, needsReading, gapMs, read, field } = parts;
  const reading = shared ? readingOf(parts) : { read, field, turn: 0, value: undefined };
  const kind = gapMs > 0 ? kinds.test : (kindOf[operator] ?? kinds.test);
  return { kind, reading, number: numberIn(right) ?? Number.NaN, text: right, test, needsReading, gapMs };
}

/** Whose values the readings hold. Events are not changed once they are evaluated. */
let current: RuleEvent | undefined;
let turn = 0;

function turnOf(event: RuleEvent): number {
  if (event !== current) {
    current = event;
    turn += 1;
  }
  return turn;
}

function readNow(reading: SharedReading, event: RuleEvent): Fact {
  reading.value = reading.read(event, reading.field);
  reading.turn = turn;
  return reading.value;
}

/** What a condition looks at in an event. */
export function valueFor({ reading }: ConditionCheck, event: RuleEvent): Fact {
  return reading.turn === turnOf(event) ? reading.value : readNow(reading, event);
}

/** Whether the kind of step alone decides about a number. */
export function isLimit(kind: number): boolean {
  return kind >= kinds.greater && kind <= kinds.lessOrEqual;
}

/** Whether a number keeps a limit; true for kinds that are none. An index keeps the limits of many steps side by side. */
export function keepsLimit(kind: number, limit: number, value: number): boolean {
  switch (kind) {
    case kinds.greater:
      return value > limit;
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

/** All that the loop's own comparisons leave: texts, gaps, readings that are not there. */
function passesOtherwise(step: ConditionCheck, event: RuleEvent, value: Fact): boolean {
  if (value === undefined && step.needsReading) return false;
  const { packet, previous } = event;
  if (step.gapMs > 0 && !(previous !== undefined && packet.timestamp - previous.timestamp > step.gapMs)) return false;
  return step.test(value);
}

/** Whether a condition holds for an event, without regard to a pattern that remembers. */
export function passes(step: ConditionCheck, event: RuleEvent): boolean {
  const value = valueFor(step, event);
  if (typeof value === 'number') {
    if (isLimit(step.kind)) return keepsLimit(step.kind, step.number, value);
  } else if (step.kind === kinds.equal && value === step.text) return true;
  return passesOtherwise(step, event, value);
}

/** Whether all do; stops at the first that does not. `passes` written out, which runs a third more of them a second: every rule goes through here. */
export function allPass(steps: readonly ConditionCheck[], event: RuleEvent): boolean {
  const now = turnOf(event);
  for (let i = 0; i < steps.length; i += 1) {
    const step = steps[i] as ConditionCheck;
    const { reading, kind } = step;
    const value = reading.turn === now ? reading.value : readNow(reading, event);
    if (typeof value === 'number') {
      if (kind === kinds.greater) {
        if (value > step.number) continue;
        return false;
      }
      if (kind === kinds.less) {
        if (value < step.number) continue;
        return false;
      }
      if (isLimit(kind)) {
        if (keepsLimit(kind, step.number, value)) continue;
        return false;
      }
    } else if (kind === kinds.equal && value === step.text) continue;
    if (!passesOtherwise(step, event, value)) return false;
  }
  return true;
}
