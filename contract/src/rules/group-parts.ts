/** What the rule index and the evaluator need of a compiled group, apart from its conditions. */
import { isLimit, kinds, type ConditionCheck } from './evaluate/check.ts';
import type { OccurrenceMemory } from './evaluate/patterns.ts';
import type { Operand, ReadingSource } from './operands.ts';

/** The properties that an event needs for the group to hold or to change its memory. The rule index searches by them. */
export interface GroupSelectors {
  /** The event must match each entry: the key (`keyOf`) of the operand's value is one of `keys`. */
  entity: readonly { operand: Operand; keys: readonly string[] }[];
  /** The packet must have at least one of these readings; null when any packet concerns the group. */
  readings: readonly ReadingSelector[] | null;
}

export interface ReadingSelector {
  source: ReadingSource;
  /** Name of the metric, state, ...; empty for `Value`. */
  field: string;
  /** A number outside this limit does not satisfy the group, and changes only a memory that is not empty. */
  limit: Pick<ConditionCheck, 'kind' | 'number'>;
}

/** What is asked of a compiled condition here. */
interface ConditionParts {
  operand: Operand;
  field: string;
  needsReading: boolean;
  pattern: OccurrenceMemory | undefined;
  window: object | undefined;
  step: ConditionCheck;
  key: string;
}

const noLimit: ReadingSelector['limit'] = { kind: kinds.test, number: Number.NaN };

/** The reading that a condition needs, if any. */
export function readingOf({ needsReading, operand, field, pattern, window, step }: Omit<ConditionParts, 'key'>): ReadingSelector[] {
  const limit = window || operand.baseline || pattern?.restsUntilHeld === false ? noLimit : step;
  return needsReading && operand.reading ? [{ source: operand.reading, field, limit: { kind: limit.kind, number: limit.number } }] : [];
}

/** Chooses the most selective reading: one with a limit, if any. */
export function narrowest(readings: readonly ReadingSelector[]): ReadingSelector[] {
  const narrow = readings.find(({ limit }) => isLimit(limit.kind)) ?? readings[0];
  return narrow ? [narrow] : [];
}

/** A condition with a pattern in the form that the evaluator runs, with the conditions that stand beside it. */
export interface PatternCheck {
  step: ConditionCheck;
  pattern: OccurrenceMemory;
  key: string;
  needsReading: boolean;
  rests: boolean;
  gates: ConditionCheck[];
  plain: ConditionCheck[];
}

/** The one condition with memory of a rule, if it has a pattern and stands in the only group. */
export function patternCheckOf(
  [group, ...others]: readonly { steps: Pick<PatternCheck, 'gates' | 'plain'> }[],
  [condition, ...more]: readonly ConditionParts[],
): PatternCheck | undefined {
  if (!group || !condition?.pattern || condition.window || others.length + more.length > 0) return undefined;
  const { step, pattern, key, needsReading } = condition;
  return { step, pattern, key, needsReading, rests: pattern.restsUntilHeld, gates: group.steps.gates, plain: group.steps.plain };
}
