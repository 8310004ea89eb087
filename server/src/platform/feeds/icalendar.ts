/** Events as an iCalendar text (RFC 5545). */

export interface CalendarEvent {
  uid: string;
  from: number;
  to: number;
  summary: string;
  description?: string | undefined;
  url?: string | undefined;
  isTentative?: boolean | undefined;
  /** Whether the time counts as busy in the reader's calendar. */
  isBusy?: boolean | undefined;
}

export const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');

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

/** `product` names the kind of calendar in its identifier; `now` is when the text is generated. */
export function icalendarText(product: string, name: string, events: readonly CalendarEvent[], now: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//CloudFit//${product}//EN`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...events.flatMap(({ uid, from, to, summary, description, url, isTentative, isBusy }) => [
      'BEGIN:VEVENT',
      `UID:${uid}@cloudfit`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(from)}`,
      `DTEND:${stamp(to)}`,
      `SUMMARY:${escaped(summary)}`,
      ...(description ? [`DESCRIPTION:${escaped(description)}`] : []),
      ...(url ? [`URL:${url}`] : []),
      ...(isTentative === undefined ? [] : [`STATUS:${isTentative ? 'TENTATIVE' : 'CONFIRMED'}`]),
      ...(isBusy ? [] : ['TRANSP:TRANSPARENT']),
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}
