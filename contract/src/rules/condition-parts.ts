/** Parts of a compiled condition: the reader of its right side, its window, and the key of its memory. */
import type { CountBy } from '../enums.ts';
import { baselineOf } from './baselines/baseline.ts';
import { RuleError } from './errors.ts';
import { watchedSince, type Fact, type RuleEvent } from './facts.ts';
import { isNumeric, numberOf, operatorId, type Operator } from './operators.ts';
import { comparing, operandOf, type Operand } from './operands.ts';
import { digest } from './evaluate/patterns.ts';
import { windowLength } from './reading-measures.ts';
import { windowSecondsOf, type Condition, type RightReading } from './schema.ts';
import { isOfTotals, measured, type Measure } from './evaluate/window.ts';

/** Returns the same text as the engine stores names of properties: to read a property by another text takes twice as long. */
export const nameOf = (text: string): string => Object.keys({ [text]: 0 })[0] ?? text;

/** Since when conditions count that need a whole window: times by the key of their memory. */
export type WatchedSince = Readonly<Record<string, string>>;

/** Operators that a partial window can satisfy, because further packets and further time only add to it. */
export const atLeast: ReadonlySet<number> = new Set([operatorId.greaterThan, operatorId.greaterThanOrEqual]);

export function windowMsOf(source: Condition): number {
  return windowSecondsOf(operandOf(source.LeftOperand)?.measure, source) * 1_000;
}

/**
 * Returns a reader of a condition's right side. Its value is undefined if the event lacks it, or has no number for a numeric
 * comparison.
 */
export function rightOf({ Operand, FieldName, Factor }: RightReading, operator: Operator): (event: RuleEvent) => Fact {
  const operand = operandOf(Operand);
  if (!operand?.isRight || !operand.read) throw new RuleError(`${operand?.name ?? Operand} cannot be the right side of a condition.`);
  if (!comparing.includes(operator.id)) throw new RuleError(`${operator.name} does not compare with a reading.`);
  const { read } = operand;
  const field = FieldName ?? '';
  if (operand.needsFieldName && field === '') throw new RuleError(`${operand.name} needs a field name.`);
  const factor = Factor ?? 1;
  if (!isNumeric(operator.id) && factor === 1) return (event) => read(event, field) ?? undefined;
  return (event) => {
    const number = numberOf(read(event, field)) * factor;
    return Number.isNaN(number) ? undefined : number;
  };
}

/** Returns a reader of totals, which has no value before `wholeMs` were observed. */
export function readTotals(measure: Measure, key: string, since: number, wholeMs: number): (event: RuleEvent) => Fact {
  const window = { ms: wholeMs, stepMs: windowLength(wholeMs / 1_000).stepMs };
  return (event: RuleEvent): Fact => {
    if (!isOfTotals(measure) || (wholeMs > 0 && event.packet.timestamp - watchedSince(event, since, window) < wholeMs)) return undefined;
    return measured(measure, event.totals?.[key]);
  };
}

/** Since when a condition counts, by the key of its memory. */
export function sinceOf(
  { since = 0, watchedSince }: { since?: number | undefined; watchedSince?: WatchedSince | null | undefined },
  key: string,
): number {
  const conditionSince = watchedSince?.[key];
  return conditionSince === undefined ? since : Date.parse(conditionSince);
}

/** A count needs a whole window, except for > and ≥. */
export function wholeMsOf({ measure }: Operand, source: Condition): number {
  return measure === 'count' && !atLeast.has(source.Operator) ? windowMsOf(source) : 0;
}

/** What the sums of a rule about many entities depend on in addition to the condition. */
interface AggregationParts {
  members: readonly Condition[];
  countBy: CountBy | undefined;
  countTag: string | null | undefined;
}

/**
 * The key of a condition's memory. It changes when the condition changes; for a rule about many entities, also when the rule
 * counts other entities or groups entities differently.
 */
export function keyOfCondition(source: Condition, ofMany: AggregationParts | undefined): string {
  const parts: unknown[] = [
    source.LeftOperand,
    source.LeftOperandFieldName ?? '',
    source.Operator,
    source.RightOperand ?? '',
    source.OccurrencePattern ?? null,
  ];
  if (operandOf(source.LeftOperand)?.measure || operandOf(source.LeftOperand)?.readMatches) parts.push(windowMsOf(source));
  if (source.RightReading || source.AheadSeconds) parts.push(source.RightReading ?? null, source.AheadSeconds ?? null);
  if (operandOf(source.LeftOperand)?.baseline) parts.push(baselineOf(source));
  if (ofMany) parts.push(ofMany.members);
  if (ofMany && (ofMany.countBy ?? 'Subscription') !== 'Subscription') parts.push(ofMany.countBy, ofMany.countTag);
  return nameOf(digest(JSON.stringify(parts)));
}
