/** The days of a month, and what happens on each, in the viewer's time zone. */

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
  isInMonth: boolean;
}

/** `2026-12`, or the month of `now` where the text is no month. */
export function monthOf(text: string | null, now: number): { year: number; month: number } {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? '') ?? [];
  if (year !== undefined && month !== undefined) return { year: Number(year), month: Number(month) - 1 };
  const date = new Date(now);
  return { year: date.getFullYear(), month: date.getMonth() };
}

/** The text of the month that is so many months later, or earlier when negative. */
export function monthText({ year, month }: { year: number; month: number }, later = 0): string {
  const date = new Date(year, month + later, 1);
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}

/** Whole weeks from Monday to Sunday that contain the month. Days are 23 or 25 hours long when clocks change. */
export function weeksOf({ year, month }: { year: number; month: number }): CalendarDay[][] {
  const lead = (new Date(year, month, 1).getDay() + 6) % 7;
  const length = new Date(year, month + 1, 0).getDate();
  const weeks = Math.ceil((lead + length) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => {
      const day = 1 - lead + week * 7 + weekday;
      return {
        start: new Date(year, month, day).getTime(),
        end: new Date(year, month, day + 1).getTime(),
        isInMonth: day >= 1 && day <= length,
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
