/** The present time by the clock of the server: that of the browser may be minutes off, and times are read as relative to now. */

/** Answers name whole seconds, and take their time; what is less than this may be that. */
const tolerated = 5_000;

let aheadMs = 0;

/** The present time in epoch milliseconds. */
export const nowMs = (): number => Date.now() + aheadMs;

/** Learns from the header `Date` of an answer, asked for at `askedMs` by the clock of the browser. */
export function learnNow(date: string | null, askedMs: number): void {
  const ahead = Date.parse(date ?? '') + 500 - (askedMs + Date.now()) / 2;
  // A slow answer says little; its moment may be any between question and answer.
  if (!(Date.now() - askedMs < tolerated)) return;
  if (Math.abs(ahead - aheadMs) > tolerated) aheadMs = Math.abs(ahead) > tolerated ? ahead : 0;
}
