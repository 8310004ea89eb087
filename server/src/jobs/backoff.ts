/** When a failed job is tried again. */

const delaysMs = [10_000, 30_000, 120_000, 600_000, 3_600_000];

/** Delay after the given try, 20 % more or less so that what failed together does not return together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const base = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 10_000;
  return base * (0.8 + 0.4 * random());
}
