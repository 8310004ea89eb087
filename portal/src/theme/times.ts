/** Writes dates, times and numbers by the person's choice of language, format and time zone; the only place that does. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { offsetAt, zoneOf } from '@cloudfit/contract/rules/time-window.ts';
import { chosenZone, pageFormat, pageLanguage } from './locale.ts';

type Instant = string | number | Date;

const two = (n: number) => String(n).padStart(2, '0');
const isUs = pageFormat === 'en-US';
const usClock = (hours: number, minutes: string) => `${hours % 12 || 12}${minutes}${hours < 12 ? 'am' : 'pm'}`;

/** The zone of all times that are shown and entered. */
export const viewerZone = (): string => chosenZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A date whose UTC parts are what clocks show at the instant; invalid for text that is no time. Without Intl for the browser's zone, because a formatter costs tens of milliseconds on the first page. */
export function wallClock(instant: Instant): Date {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return at;
  const ahead = chosenZone === undefined ? -at.getTimezoneOffset() * 60_000 : offsetAt(zoneOf(chosenZone), at.getTime());
  return new Date(at.getTime() + ahead);
}

/** The instant at which clocks show a local time, `2026-11-28T14:30`; an invalid date for text that is none. */
export function instantAt(local: string): Date {
  if (chosenZone === undefined) return new Date(local.length === 10 ? `${local}T00:00` : local);
  const asUtc = Date.parse(local.length === 10 ? `${local}T00:00Z` : `${local}Z`);
  const zone = zoneOf(chosenZone);
  // The offset at a first guess, which is wrong only within hours of a clock change.
  const guess = asUtc - (Number.isNaN(asUtc) ? 0 : offsetAt(zone, asUtc));
  return new Date(Number.isNaN(asUtc) ? asUtc : asUtc - offsetAt(zone, guess));
}

/** A time as the value of a `datetime-local` input, by default with seconds. */
export const inputTime = (instant: Instant, precision: 'minutes' | 'seconds' = 'seconds'): string =>
  wallClock(instant)
    .toISOString()
    .slice(0, precision === 'minutes' ? 16 : 19);

/** The day of an instant, `YYYY-MM-DD`. */
export const dayAt = (instant: Instant): string => inputTime(instant).slice(0, 10);

/** An hour of the day: `8:00am`, `08:00`. */
export const hourText = (hour: number): string => (isUs ? usClock(hour, ':00') : `${two(hour)}:00`);

const weekday = (wall: Date) => en.time.weekdays[wall.getUTCDay()] ?? '';
const minuteClock = (wall: Date) => `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}`;

function dateOf(wall: Date): string {
  const [day, month, year] = [wall.getUTCDate(), wall.getUTCMonth() + 1, wall.getUTCFullYear()];
  switch (pageFormat) {
    case 'en-US':
      return `${month}/${day}/${year}`;
    case 'en-GB':
      return `${two(day)}/${two(month)}/${year}`;
    case 'de-DE':
      return `${two(day)}.${two(month)}.${year}`;
    case 'iso':
      return `${year}-${two(month)}-${two(day)}`;
  }
}

/** `Nov 3`, `3 Nov`, `3. Nov` or `11-03`; with its year if that is given. */
function dayOf(wall: Date, year?: number): string {
  const [day, month] = [wall.getUTCDate(), en.time.monthNames[wall.getUTCMonth()] ?? ''];
  if (pageFormat === 'iso') return `${year === undefined ? '' : `${year}-`}${two(wall.getUTCMonth() + 1)}-${two(day)}`;
  if (isUs) return year === undefined ? `${month} ${day}` : `${month} ${day}, ${year}`;
  return `${day}${pageFormat === 'de-DE' ? '.' : ''} ${month}${year === undefined ? '' : ` ${year}`}`;
}

/** A whole time: `2:05pm, Tue, 11/3/2026` (SHELL-082), `14:05, Di, 03.11.2026`. */
export function exactTime(value: string): string {
  const wall = wallClock(value);
  if (Number.isNaN(wall.getTime())) return value;
  const hours = wall.getUTCHours();
  const clock = isUs ? usClock(hours, `:${two(wall.getUTCMinutes())}`) : minuteClock(wall);
  return `${clock}, ${weekday(wall)}, ${dateOf(wall)}`;
}

/** A time with seconds: `14:12:30` today, `Nov 3 14:12:30` this year, otherwise with the year. */
export function clockTime(value: string): string {
  const wall = wallClock(value);
  if (Number.isNaN(wall.getTime())) return value;
  const clock = `${minuteClock(wall)}:${two(wall.getUTCSeconds())}`;
  const today = wallClock(Date.now());
  if (wall.toISOString().slice(0, 10) === today.toISOString().slice(0, 10)) return clock;
  const year = wall.getUTCFullYear();
  if (isUs) return `${dayOf(wall)}${year === today.getUTCFullYear() ? '' : ` ${year}`} ${clock}`;
  return `${dayOf(wall, year === today.getUTCFullYear() ? undefined : year)} ${clock}`;
}

/** A sentence of the server with each time in it, which is `2026-11-03T14:12:30.000Z` there, as people read it. */
export const withTimes = (sentence: string): string => sentence.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, clockTime);

/** A time of the days to come: `Tue, Nov 3, 14:05`. */
export function shortTime(instant: Instant): string {
  const wall = wallClock(instant);
  return `${namedDay(instant)}, ${minuteClock(wall)}`;
}

/** A day of the days to come: `Tue, Nov 3`. */
export const namedDay = (instant: Instant): string => `${weekday(wallClock(instant))}, ${dayOf(wallClock(instant))}`;

/** The clock alone if the time is today, otherwise with its day. */
export const untilText = (instant: Instant): string =>
  dayAt(instant) === dayAt(Date.now()) ? minuteClock(wallClock(instant)) : shortTime(instant);

/** A time with the zone in which it is written, where other zones are about: `Tue, Nov 3, 14:05 UTC`. */
export function zoneTime(instant: Instant): string {
  const format = new Intl.DateTimeFormat(pageLanguage === 'de' ? 'de-DE' : 'en-US', { timeZone: viewerZone(), timeZoneName: 'short' });
  const name = format.formatToParts(new Date(instant)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${shortTime(instant)} ${name}`;
}

/** A day: `Nov 3`; `2026-11-03` names the day itself, an instant the day that it is in. */
export const shortDay = (day: Instant): string => dayOf(wallOf(day));

/** A day with its year: `Nov 3, 2026`. */
export const longDay = (day: Instant): string => dayOf(wallOf(day), wallOf(day).getUTCFullYear());

/** A day with its weekday: `3 Tue`. */
export const dayOfWeek = (instant: Instant): string => `${wallClock(instant).getUTCDate()} ${weekday(wallClock(instant))}`;

const wallOf = (day: Instant): Date => (typeof day === 'string' && day.length === 10 ? new Date(`${day}T00:00Z`) : wallClock(day));

/** Days from the first to the last: `Nov 16 – 22, 2026`. */
export function daysText(from: string, to: string): string {
  const [first, last] = [wallOf(from), wallOf(to)];
  const [year, lastYear] = [first.getUTCFullYear(), last.getUTCFullYear()];
  if (from === to) return longDay(from);
  if (year !== lastYear) return `${longDay(from)} – ${longDay(to)}`;
  if (isUs && first.getUTCMonth() === last.getUTCMonth()) return `${dayOf(first)} – ${last.getUTCDate()}, ${year}`;
  return isUs ? `${dayOf(first)} – ${dayOf(last, year)}` : `${pageFormat === 'iso' ? longDay(from) : dayOf(first)} – ${longDay(to)}`;
}

/** A time on the axis of a chart: `3:30pm` or `15:30`; at midnight the date, `11/26`. */
export function axisTime(seconds: number): string {
  const wall = wallClock(seconds * 1_000);
  const [hours, minutes] = [wall.getUTCHours(), wall.getUTCMinutes()];
  if (hours === 0 && minutes === 0) return dateOf(wall).replace(/^\d{4}-|[/]\d{4}$|(?<=\.)\d{4}$/, '');
  if (!isUs) return minuteClock(wall);
  return usClock(hours, minutes === 0 ? '' : `:${two(minutes)}`);
}

/** A number with separators and at most some decimals: `1,234.5` or `1.234,5`. */
export function decimalText(value: number, decimals: number): string {
  const [whole = '', part = ''] = value.toFixed(decimals).split('.');
  const [group, point] = pageFormat === 'de-DE' ? ['.', ','] : [',', '.'];
  const rest = part.replace(/0+$/, '');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, group)}${rest === '' ? '' : `${point}${rest}`}`.replace(/^-0$/, '0');
}
