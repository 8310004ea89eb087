/** Dates and times as people and programs write them. */
import type { DateOrder } from '@cloudfit/contract/configuration/lists.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { offsetAt, zoneOf } from '@cloudfit/contract/rules/time-window.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const germanMonths: Readonly<Record<string, number>> = { mär: 3, mrz: 3, mai: 5, okt: 10, dez: 12 };

function monthOf(name: string): number | undefined {
  const short = name.slice(0, 3).toLowerCase();
  return germanMonths[short] ?? (months.indexOf(short) + 1 || undefined);
}

const clock = String.raw`(?:[T ,]+(?:at |um )?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\.?)?(?: Uhr)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?`;
const iso = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${clock}$`, 'i');
const numbers = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})${clock}$`, 'i');
const dayName = new RegExp(`^(\\d{1,2})[-/. ]+([\\p{L}]{3,9})\\.?[-/, ]+(\\d{4}|\\d{2})${clock}$`, 'iu');
const nameDay = new RegExp(`^([\\p{L}]{3,9})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})${clock}$`, 'iu');

interface DateParts {
  year: number;
  month: number;
  day: number;
  rest: readonly (string | undefined)[];
}

const yearOf = (text = ''): number => (text.length === 2 ? 2_000 + Number(text) : Number(text));
const trimmed = (text: string): string => text.replace(/^\p{L}{2,9}\.?, /u, '').trim();

/** Which orders a date of numbers can have: both for 03/04/2026. */
export function ordersOf(text: string): readonly DateOrder[] {
  const [, first = '', separator, second = ''] = numbers.exec(trimmed(text)) ?? [];
  if (first === '') return [];
  // Points are written where the day comes first.
  if (separator === '.') return ['day-first'];
  if (Number(first) > 12) return ['day-first'];
  if (Number(second) > 12) return ['month-first'];
  return first === second ? [] : ['day-first', 'month-first'];
}

function partsOf(text: string, order: DateOrder): DateParts | undefined {
  const ofIso = iso.exec(text);
  if (ofIso) return { year: Number(ofIso[1]), month: Number(ofIso[2]), day: Number(ofIso[3]), rest: ofIso.slice(4) };
  const ofNumbers = numbers.exec(text);
  if (ofNumbers) {
    const [first, second] = [Number(ofNumbers[1]), Number(ofNumbers[3])];
    const isDayFirst = ofNumbers[2] === '.' || first > 12 || (order === 'day-first' && second <= 12);
    const [day, month] = isDayFirst ? [first, second] : [second, first];
    return { year: yearOf(ofNumbers[4]), month, day, rest: ofNumbers.slice(5) };
  }
  const ofDay = dayName.exec(text);
  if (ofDay) return { year: yearOf(ofDay[3]), month: monthOf(ofDay[2] ?? '') ?? 0, day: Number(ofDay[1]), rest: ofDay.slice(4) };
  const ofName = nameDay.exec(text);
  if (ofName) return { year: yearOf(ofName[3]), month: monthOf(ofName[1] ?? '') ?? 0, day: Number(ofName[2]), rest: ofName.slice(4) };
  return undefined;
}

/** The instant of a local time: of an hour that clocks repeat the first, of one that they leave out the same time after it. */
function instantOf(local: number, timeZone: string): number {
  const zone = zoneOf(timeZone);
  const [before, after] = [offsetAt(zone, local - dayMs), offsetAt(zone, local + dayMs)];
  const at = [before, after].map((offset) => local - offset).find((instant) => local - offsetAt(zone, instant) === instant);
  return at ?? local - before;
}

interface ReadDate {
  /** Local, as in 2026-12-25. */
  date: string;
  /** The instant, as an ISO text. */
  at: string;
}

/** The date or time of a text; undefined for a text that is none. A date alone is its first minute. */
export function readDate(text: string, order: DateOrder, timeZone: string): ReadDate | undefined {
  const parts = partsOf(trimmed(text), order);
  if (!parts) return undefined;
  const { year, month, day, rest } = parts;
  const [hour = '0', minute = '0', second = '0', half, offset] = rest;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  const midnight = Date.UTC(year, month - 1, day);
  const back = new Date(midnight);
  if (back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day || hours > 24 || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  const local = midnight + ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1_000;
  const [, sign, offsetHours, offsetMinutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset ?? '') ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000;
  const at = offset === undefined ? instantOf(local, timeZone) : local - (sign === undefined ? 0 : shift);
  return { date: back.toISOString().slice(0, 10), at: new Date(at).toISOString() };
}
