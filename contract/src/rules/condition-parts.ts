/** Parts of a compiled condition: the reader of its right side, its window, and the key of its memory. */
import type { CountBy } from '../enums.ts';
import { baselineOf } from './baselines/baseline.ts';
import { RuleError } from './errors.ts';
import type { Fact, RuleEvent } from './facts.ts';
import { isNumeric, numberOf, type Operator } from './operators.ts';
import { comparing, operandOf } from './operands.ts';
import { digest } from './patterns.ts';
import type { Condition, RightReading } from './schema.ts';
import { windowSecondsOf } from './window.ts';

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
  return digest(JSON.stringify(parts));
}
