/** Which metric a match compared, and the limit that its rule sets for it. */
import { operatorFormOf } from '@cloudfit/contract/rules/operator-forms.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';

export interface MatchedMetric {
  metric: string;
  /** Undefined if the rule compares with another reading or a baseline, or compares no value of the metric itself. */
  limit: number | undefined;
}

/** The metric itself, and its average, minimum, maximum, percentiles and forecast: their limits are values of the metric. */
const ofMetric: readonly number[] = [62, 68, 72, 73, 74, 76, 77, 78, 79];

function limitOf({ LeftOperand, Operator, RightOperand, RightReading }: Condition): number | undefined {
  if (!ofMetric.includes(LeftOperand) || operatorFormOf(Operator)?.right !== 'number' || RightReading || !RightOperand?.trim())
    return undefined;
  const limit = Number(RightOperand);
  return Number.isFinite(limit) ? limit : undefined;
}

/** The first metric that the conditions compare and that the packet of the match has. */
export function metricOfMatch(conditions: readonly Condition[], packet: unknown): MatchedMetric | undefined {
  const metrics = (packet as { Metrics?: unknown } | null)?.Metrics;
  if (typeof metrics !== 'object' || metrics === null) return undefined;
  const isIn = (name: string | null | undefined): name is string =>
    typeof name === 'string' && typeof (metrics as Record<string, unknown>)[name] === 'number';
  const condition = conditions.find(({ LeftOperandFieldName }) => isIn(LeftOperandFieldName));
  return condition && isIn(condition.LeftOperandFieldName)
    ? { metric: condition.LeftOperandFieldName, limit: limitOf(condition) }
    : undefined;
}
