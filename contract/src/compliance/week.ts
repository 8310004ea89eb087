/** Compliance weeks start on Monday, by the UTC date. */
import { dayMs } from '../durations.ts';

/** Returns midnight UTC of the Monday of the week that contains `instant`. */
export function mondayOf(instant: string): string {
  const midnight = Math.floor(Date.parse(instant) / dayMs) * dayMs;
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  return new Date(midnight - sinceMonday * dayMs).toISOString();
}
