/** Working time: what of the time between two instants counts, and when an amount of it will have passed. Pure. */
import { dayMs } from '../durations.ts';
import { hoursBetween, type Restriction } from '../on-call/shifts.ts';
import { zoneOf } from '../rules/time-window.ts';

export interface WorkingHours {
  timeZone: string;
  hours: readonly Restriction[];
  /** Local dates without working hours, as in 2026-12-25. */
  holidays: readonly string[];
}

/** How many days of a calendar are read at once, and for how long a due time is looked for. */
const stretchMs = 14 * dayMs;
const longestMs = 3 * 366 * dayMs;

/** Returns the working times between two instants; without a calendar all time counts. */
function workingTimes(calendar: WorkingHours | null, from: number, to: number): [number, number][] {
  if (!calendar) return to > from ? [[from, to]] : [];
  const holidays = new Set(calendar.holidays);
  return hoursBetween(zoneOf(calendar.timeZone), calendar.hours, (date) => !holidays.has(date), from, to)
    .map(([begins, ends]): [number, number] => [Math.max(from, begins), Math.min(to, ends)])
    .filter(([begins, ends]) => ends > begins);
}

/** Returns the working time between two instants in milliseconds. */
export function workedMs(calendar: WorkingHours | null, from: number, to: number): number {
  return workingTimes(calendar, from, to).reduce((sum, [begins, ends]) => sum + ends - begins, 0);
}

/**
 * Returns the first instant at which this much working time has passed since `from`; null when that is not within three years, as with a
 * calendar of holidays only.
 */
export function afterWorking(calendar: WorkingHours | null, from: number, ms: number): number | null {
  if (ms <= 0) return from;
  if (!calendar) return from + ms;
  let remaining = ms;
  for (let start = from; start < from + longestMs; start += stretchMs) {
    for (const [begins, ends] of workingTimes(calendar, start, start + stretchMs)) {
      if (ends - begins >= remaining) return begins + remaining;
      remaining -= ends - begins;
    }
  }
  return null;
}
