/** Time windows in steps: the bounded memory of one condition, with the same result as a sum over all packets of the window. */
import type { Totals } from '../facts.ts';
import { addReading, readingAt, stepOf, type ReadingMeasure, type WindowLength } from '../reading-measures.ts';

/** What an operand computes from totals of the packets in its window. */
export type TotalsMeasure = 'count' | 'average' | 'minimum' | 'maximum' | 'sum';

/** What an operand computes over successive packets. */
export type Measure = TotalsMeasure | ReadingMeasure;

const totalsMeasures: readonly string[] = ['count', 'average', 'minimum', 'maximum', 'sum'] satisfies TotalsMeasure[];

export const isOfTotals = (measure: Measure): measure is TotalsMeasure => totalsMeasures.includes(measure);

/**
 * For a measure of totals, `steps` has four numbers per step with packets: the step's number, the count, the sum, and the
 * minimum or maximum. Other measures store what `addReading` returns.
 */
export interface WindowMemory {
  /** The time of the first packet observed for this window (epoch milliseconds). */
  since: number;
  steps: readonly number[];
}

const stride = 4;

/** The memory after a packet; `value` is its metric (any number when only packets are counted). */
export function addToWindow(
  memory: WindowMemory | undefined,
  value: number | undefined,
  at: number,
  length: WindowLength,
  measure: Measure,
): WindowMemory {
  const before = memory ?? { since: at, steps: [] };
  if (value === undefined) return before;
  if (!isOfTotals(measure)) {
    const steps = addReading(measure, before.steps, value, at, length);
    return steps === before.steps ? before : { since: before.since, steps };
  }
  const step = stepOf(at, length);
  const inWindow: number[] = [];
  for (let i = 0; i < before.steps.length; i += stride)
    if ((before.steps[i] as number) > step - length.steps) inWindow.push(...before.steps.slice(i, i + stride));
  const last = inWindow.length - stride;
  if (last >= 0 && inWindow[last] === step) {
    const extreme = inWindow[last + 3] as number;
    inWindow[last + 1] = (inWindow[last + 1] as number) + 1;
    inWindow[last + 2] = (inWindow[last + 2] as number) + value;
    inWindow[last + 3] = measure === 'minimum' ? Math.min(extreme, value) : Math.max(extreme, value);
  } else inWindow.push(step, 1, value, value);
  return { since: before.since, steps: inWindow };
}

/** The totals of the window at a time. */
export function totalsAt(memory: WindowMemory | undefined, at: number, length: WindowLength): Totals {
  const totals = { count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  const last = stepOf(at, length);
  const steps = memory?.steps ?? [];
  for (let i = 0; i < steps.length; i += stride) {
    const step = steps[i] as number;
    if (step <= last - length.steps || step > last) continue;
    totals.count += steps[i + 1] as number;
    totals.sum += steps[i + 2] as number;
    totals.min = Math.min(totals.min, steps[i + 3] as number);
    totals.max = Math.max(totals.max, steps[i + 3] as number);
  }
  return totals;
}

/** Returns the number that a condition compares; undefined if no packet had the metric. */
export function measured(measure: TotalsMeasure, totals: Totals | undefined): number | undefined {
  if (measure === 'count') return totals?.count ?? 0;
  if (!totals || totals.count === 0) return undefined;
  if (measure === 'average') return totals.sum / totals.count;
  return measure === 'sum' ? totals.sum : measure === 'minimum' ? totals.min : totals.max;
}

/** The value of a measure at a time. `aheadMs`: how far a forecast looks ahead. */
export function measuredAt(
  measure: Measure,
  memory: WindowMemory | undefined,
  at: number,
  length: WindowLength,
  aheadMs: number,
): number | undefined {
  return isOfTotals(measure)
    ? measured(measure, totalsAt(memory, at, length))
    : readingAt(measure, memory?.steps ?? [], at, length, aheadMs);
}
