/** The days of a report, as the address of the page has them. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { instantAt } from '../../theme/times.ts';

export const presets = [7, 30, 90, 365] as const;
const usualDays = 30;

interface ReportPeriod {
  /** As `YYYY-MM-DD`, UTC. */
  from: string;
  to: string;
  /** The number of days that end today; undefined for chosen days. */
  days: number | undefined;
}

const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);
const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** Reads `from` and `to`, or `days`; without them, the last 30 days. */
export function periodOf(params: URLSearchParams, now: number): ReportPeriod {
  const [from, to] = [params.get('from'), params.get('to')];
  if (isDay(from) && isDay(to)) return { from, to, days: undefined };
  const days = presets.find((preset) => String(preset) === params.get('days')) ?? usualDays;
  return { from: dayText(now - (days - 1) * dayMs), to: dayText(now), days };
}

/** Midnight in the viewer's time zone, so that the axis of a chart names the day that was counted. */
export const timeOfDay = (day: string): number => instantAt(day).getTime();
