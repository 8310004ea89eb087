/** Time windows in steps: the bounded memory of one condition, equal to counting all packets of the window again. */
import type { Totals } from './facts.ts';

/** What an operand computes over the packets in its window. */
export type Measure = 'count' | 'average' | 'minimum' | 'maximum' | 'sum';

/** The default window in seconds; equals the default lifetime of a match. */
export const defaultWindowSeconds = 300;

const maxSteps = 30;

/**
 * A window of at most thirty steps with fixed boundaries (multiples of the step since 1970). At a time it contains every packet
 * of the current step and of the whole steps before it.
 */
export interface WindowLength {
  stepMs: number;
  steps: number;
}

export function windowLength(seconds: number): WindowLength {
  const stepMs = Math.max(1_000, Math.ceil((seconds * 1_000) / maxSteps));
  return { stepMs, steps: Math.ceil((seconds * 1_000) / stepMs) };
}

/** Number of the step that a time is in. */
export function stepOf(at: number, { stepMs }: WindowLength): number {
  return Math.floor(at / stepMs);
}

/** `steps` has four numbers per step with packets: its number, the count, the sum, and the minimum or maximum. */
export interface WindowMemory {
  /** When the observation began. */
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

/** The number that a condition compares; undefined where no packet carried the metric. */
export function measured(measure: Measure, totals: Totals | undefined): number | undefined {
  if (measure === 'count') return totals?.count ?? 0;
  if (!totals || totals.count === 0) return undefined;
  if (measure === 'average') return totals.sum / totals.count;
  return measure === 'sum' ? totals.sum : measure === 'minimum' ? totals.min : totals.max;
}
