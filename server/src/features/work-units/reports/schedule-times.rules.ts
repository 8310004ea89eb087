/** When a report by mail is due, and which days it is about. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { instantOf } from '@cloudfit/contract/on-call/shifts.ts';
import type { MailedPeriod, ScheduleRhythm } from '@cloudfit/contract/reports/schedules.ts';
import { offsetAt, zoneOf } from '@cloudfit/contract/rules/time-window.ts';

export interface ScheduleTimes {
  rhythm: ScheduleRhythm;
  day: number;
  hour: number;
  timeZone: string;
}

/** More days than between two times of any rhythm. */
const longestDays = 32;

/** Midnight of the day that the zone's clocks show, as if it were UTC. */
function localDay(timeZone: string, at: number): number {
  const local = at + offsetAt(zoneOf(timeZone), at);
  return local - (((local % dayMs) + dayMs) % dayMs);
}

function isDay({ rhythm, day }: ScheduleTimes, local: number): boolean {
  if (rhythm === 'Daily') return true;
  const date = new Date(local);
  return day === (rhythm === 'Weekly' ? date.getUTCDay() : date.getUTCDate());
}

/**
 * The first time after `after`. An hour that a clock change skips is the moment of the change; one that comes twice counts the first
 * time only.
 */
export function nextRun(times: ScheduleTimes, after: number): number {
  const today = localDay(times.timeZone, after);
  for (let n = 0; n <= longestDays; n++) {
    const local = today + n * dayMs;
    if (!isDay(times, local)) continue;
    const at = instantOf(zoneOf(times.timeZone), local + times.hour * 3_600_000);
    if (at > after) return at;
  }
  throw new Error(`A ${times.rhythm} report has no time on day ${times.day}.`);
}

const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);
const lengths: Partial<Record<MailedPeriod, number>> = { Last7Days: 7, Last30Days: 30, Last90Days: 90 };

/** The days before the day that the clocks of the zone show; `isOver`: whether all of them are over in UTC, by which reports count. */
export function daysOf(period: MailedPeriod, timeZone: string, now: number): { from: string; to: string; isOver: boolean } {
  const today = localDay(timeZone, now);
  const date = new Date(today);
  let [from, end] = [today - (lengths[period] ?? 0) * dayMs, today];
  if (period === 'LastWeek') {
    end = today - ((date.getUTCDay() + 6) % 7) * dayMs;
    from = end - 7 * dayMs;
  } else if (period === 'LastMonth') {
    end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1);
  }
  return { from: dayText(from), to: dayText(end - dayMs), isOver: end <= now };
}
