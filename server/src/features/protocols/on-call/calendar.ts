/** The resulting shifts of a schedule as an iCalendar text. */
import type { Shift } from '@cloudfit/contract/on-call/shifts.ts';
import { icalendarText, stamp } from '../../../platform/feeds/icalendar.ts';

export interface CalendarOf {
  onCallScheduleId: string;
  name: string;
  shifts: readonly (Shift & { name: string })[];
  /** When the text is generated. */
  now: number;
}

export function calendarText({ onCallScheduleId, name, shifts, now }: CalendarOf): string {
  const events = shifts.map((shift) => ({
    uid: `${onCallScheduleId}-${stamp(shift.from)}`,
    from: shift.from,
    to: shift.to,
    summary: `${shift.name} on call: ${name}`,
  }));
  return icalendarText('On call', `On call: ${name}`, events, now);
}
