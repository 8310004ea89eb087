/** Delays before server and agent retry after a failure. */

/** Returns delays from `firstMs` to `maxMs` that double each time. */
export function doublingDelays(firstMs: number, maxMs: number): readonly number[] {
  return firstMs < maxMs ? [firstMs, ...doublingDelays(firstMs * 2, maxMs)] : [maxMs];
}

export interface Backoff {
  /** The delay after each failure in a row; the last delay repeats. */
  delaysMs: readonly number[];
  /** Range of a random factor of the delay, so that callers that failed together do not retry together. */
  jitter?: readonly [from: number, to: number];
}

/** Returns the delay after this many failures in a row (at least one). */
export function backoffMs(
  failures: number,
  { delaysMs, jitter: [from, to] = [1, 1] }: Backoff,
  random: () => number = Math.random,
): number {
  const delay = delaysMs[Math.min(Math.max(failures, 1), delaysMs.length) - 1] ?? 0;
  return Math.round(delay * (from + (to - from) * random()));
}
