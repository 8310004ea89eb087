/** When the digest of a person's inbox is sent. Pure. */
import { dayMs, hourMs } from '../durations.ts';
import { offsetAt, zoneOf } from '../rules/time-window.ts';
import { instantOf } from './shifts.ts';

export interface DigestTime {
  /** The day of the week, 0 is Sunday; null for every day. */
  day: number | null;
  /** The hour by the clock of the person. */
  hour: number;
}

/** What a person who chooses a digest starts from. */
export const firstDigestTime: DigestTime = { day: null, hour: 8 };

/** January 1, 1970 was a Thursday. */
const weekDayOf = (date: number): number => (((date + 4) % 7) + 7) % 7;

/**
 * Returns the first time of a digest after an instant. An hour that a clock change skips counts at the change; one that comes twice
 * counts the first time, so that no day has two.
 */
export function nextDigest({ day, hour }: DigestTime, timeZone: string, after: number): number {
  const zone = zoneOf(timeZone);
  const today = Math.floor((after + offsetAt(zone, after)) / dayMs);
  for (let date = today; ; date += 1) {
    if (day !== null && weekDayOf(date) !== day) continue;
    const at = instantOf(zone, date * dayMs + hour * hourMs);
    if (at > after) return at;
  }
}
