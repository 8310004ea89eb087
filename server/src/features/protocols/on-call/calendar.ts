/** The resulting shifts of a schedule as an iCalendar text (RFC 5545). */
import type { Shift } from '@cloudfit/contract/on-call/shifts.ts';

const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');

const escaped = (text: string): string => text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll(/\r\n?|\n/g, String.raw`\n`);

/** Folds a line that has more than 75 bytes: it continues after a line break and a space. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > 75) {
      parts.push(part);
      part = ' ';
      bytes = 1;
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join('\r\n');
}

export interface CalendarOf {
  onCallScheduleId: string;
  name: string;
  shifts: readonly (Shift & { name: string })[];
  /** When the text is generated. */
  now: number;
}

export function calendarText({ onCallScheduleId, name, shifts, now }: CalendarOf): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//CloudFit//On call//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escaped(`On call: ${name}`)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...shifts.flatMap((shift) => [
      'BEGIN:VEVENT',
      `UID:${onCallScheduleId}-${stamp(shift.from)}@cloudfit`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(shift.from)}`,
      `DTEND:${stamp(shift.to)}`,
      `SUMMARY:${escaped(`${shift.name} on call: ${name}`)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}
