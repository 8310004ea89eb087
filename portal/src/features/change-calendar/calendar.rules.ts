/** The days of a month, and what happens on each, in the viewer's time zone. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { weekDays } from '../../theme/locale.ts';
import { dayAt, instantAt } from '../../theme/times.ts';

/** Something with a time in the calendar. */
export interface CalendarEntry {
  key: string;
  kind: 'freeze' | 'change' | 'window';
  title: string;
  /** What a change's approval says; undefined for other kinds. */
  state?: 'approved' | 'open' | 'overridden' | undefined;
  /** The name of the tenant, shown when the calendar is about several. */
  tenant: string | undefined;
  /** Epoch milliseconds. */
  from: number;
  until: number;
  to: string;
}

export interface CalendarDay {
  /** Midnight in the viewer's time zone; the day ends before `end`. */
  start: number;
  end: number;
  dayOfMonth: number;
  isInMonth: boolean;
}

interface Month {
  year: number;
  /** From 0 on. */
  month: number;
}

/** `2026-12`, or the month of `now` where the text is no month. */
export function monthOf(text: string | null, now: number): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? '') ?? /^(\d{4})-(\d\d)/.exec(dayAt(now)) ?? [];
  return { year: Number(year), month: Number(month) - 1 };
}

/** The text of the month that is so many months later, or earlier when negative. */
export const monthText = ({ year, month }: Month, later = 0): string => dayText(Date.UTC(year, month + later, 1)).slice(0, 7);

const dayText = (utc: number): string => new Date(utc).toISOString().slice(0, 10);

/** The whole weeks that contain the month. Days are 23 or 25 hours long when clocks change. */
export function weeksOf({ year, month }: Month, days: readonly number[] = weekDays): CalendarDay[][] {
  const first = Date.UTC(year, month, 1);
  const next = Date.UTC(year, month + 1, 1);
  const lead = days.indexOf(new Date(first).getUTCDay());
  const weeks = Math.ceil((lead + (next - first) / dayMs) / 7);
  const startOf = (utc: number): number => instantAt(dayText(utc)).getTime();
  return Array.from({ length: weeks }, (_, week) =>
    days.map((_, weekday) => {
      const utc = first + (week * 7 + weekday - lead) * dayMs;
      return {
        start: startOf(utc),
        end: startOf(utc + dayMs),
        dayOfMonth: new Date(utc).getUTCDate(),
        isInMonth: utc >= first && utc < next,
      };
    }),
  );
}

const order: readonly CalendarEntry['kind'][] = ['freeze', 'change', 'window'];

/** What happens on the day: freezes first, then by time. One that ends at midnight does not touch the next day. */
export function entriesOn({ start, end }: CalendarDay, entries: readonly CalendarEntry[]): CalendarEntry[] {
  return entries
    .filter((entry) => entry.from < end && (entry.until > start || (entry.until === entry.from && entry.from >= start)))
    .toSorted(
      (a, b) =>
        Number(a.kind !== 'freeze') - Number(b.kind !== 'freeze') ||
        a.from - b.from ||
        order.indexOf(a.kind) - order.indexOf(b.kind) ||
        (a.title < b.title ? -1 : 1),
    );
}
