/** How long server and agent wait before they try again what failed. */

/** Delays of which each is twice the one before. */
export function doublingDelays(firstMs: number, maxMs: number): readonly number[] {
  return firstMs < maxMs ? [firstMs, ...doublingDelays(firstMs * 2, maxMs)] : [maxMs];
}

export interface Backoff {
  /** One for each failure in a row; the last one stays. */
  delaysMs: readonly number[];
  /** The delay is multiplied by a random number between these, so that what failed together does not come back together. */
  jitter?: readonly [from: number, to: number];
}

/** The delay after so many failures in a row, of which there was at least one. */
export function backoffMs(
  failures: number,
  { delaysMs, jitter: [from, to] = [1, 1] }: Backoff,
  random: () => number = Math.random,
): number {
  const delay = delaysMs[Math.min(Math.max(failures, 1), delaysMs.length) - 1] ?? 0;
  return Math.round(delay * (from + (to - from) * random()));
}
