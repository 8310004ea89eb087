/**
 * The time by which the server decides. It is that of this machine, unless the clock of this machine differs noticeably from that
 * of the database, which all processes share: then the difference is corrected.
 */

/** A smaller difference is not corrected: it takes time to ask the database. */
export const noticeableDifferenceMs = 2_000;

let differenceMs = 0;

/** Returns by how many milliseconds the clock of this machine is ahead of the database's; 0 unless that is noticeable. */
export function clockDifference(): number {
  return differenceMs;
}

/** Notes a measurement; returns whether it is noticeably another one than the last. */
export function noteClockDifference(measuredMs: number): boolean {
  const next = Math.abs(measuredMs) < noticeableDifferenceMs ? 0 : Math.round(measuredMs);
  if (Math.abs(next - differenceMs) < noticeableDifferenceMs / 2 && (next === 0) === (differenceMs === 0)) return false;
  differenceMs = next;
  return true;
}

/** The present time in epoch milliseconds. */
export function currentTime(): number {
  return Date.now() - differenceMs;
}

/** The present time. */
export function currentDate(): Date {
  return new Date(currentTime());
}
