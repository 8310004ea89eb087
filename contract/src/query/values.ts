/** Converts texts of queries and rows to canonical values (see `Value`), and canonical values to text. */
import type { Type, Value } from './tree.ts';

const dateTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[-+ ]\d\d:\d\d)?$/i;
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const isoDuration = /^(-)?P(?:(\d{1,7})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;
const clockDuration = /^(\d{2,4}):([0-5]\d):([0-5]\d)$/;

const int32 = 2_147_483_648n;
const int64 = 9_223_372_036_854_775_808n;

/** Converts a canonical timestamp to microseconds since 1970. */
export function microsOf(timestamp: string): bigint {
  return BigInt(Date.parse(`${timestamp.slice(0, 23)}Z`)) * 1000n + BigInt(timestamp.slice(23, 26));
}

/** Converts microseconds since 1970 to a canonical timestamp; undefined outside the years 1 to 9999. */
export function timestampOf(micros: bigint): string | undefined {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const ms = Number((micros - rest) / 1000n);
  if (ms < -62_135_596_800_000 || ms > 253_402_300_799_999) return undefined;
  return `${new Date(ms).toISOString().slice(0, 23)}${String(rest).padStart(3, '0')}Z`;
}

/** Converts an ISO 8601 text to a canonical timestamp; undefined for another text, or without a time zone. */
export function timestamp(text: string): string | undefined {
  const parts = dateTime.exec(text);
  if (!parts?.[8]) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = parts;
  const date = `${year}-${month}-${day}`;
  if (!calendarDate(date) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const local = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
  if (/^(z|.00:00)$/i.test(zone)) return local;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  if (minutes > 18 * 60 || Number(zone.slice(4, 6)) > 59) return undefined;
  return timestampOf(microsOf(local) - BigInt((zone.startsWith('-') ? -60 : 60) * minutes) * 1_000_000n);
}

export function calendarDate(text: string): string | undefined {
  const ms = Date.parse(`${text}T00:00:00Z`);
  const real = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) && !text.startsWith('0000');
  return real ? text : undefined;
}

export function timeOfDay(text: string): string | undefined {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?$/.exec(text);
  if (!parts) return undefined;
  const [, hour, minute, second = '00', fraction = ''] = parts;
  return `${hour}:${minute}:${second}.${fraction.slice(0, 6).padEnd(6, '0')}`;
}

export function guidValue(text: string): string | undefined {
  return guid.test(text) ? text.toLowerCase() : undefined;
}

/** Converts `PT1H30M` or `01:30:00` to seconds; undefined for another text. */
export function duration(text: string): number | undefined {
  const clock = clockDuration.exec(text);
  if (clock) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  const iso = isoDuration.exec(text);
  if (!iso || /[pt]$/i.test(text)) return undefined;
  const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = iso;
  const total = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign && total > 0 ? -total : total;
}

/** A number and the narrowest type that can represent it; undefined when none can. */
export function number(text: string): { type: Type; value: Value } | undefined {
  if (!/^[-+]?\d+$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? { type: 'decimal', value: value + 0 } : undefined;
  }
  const exact = BigInt(text);
  if (exact >= int64 || exact < -int64) return undefined;
  return { type: exact >= int32 || exact < -int32 ? 'bigint' : 'int', value: whole(exact) };
}

/** Returns a JavaScript number if it can represent the value exactly, otherwise the bigint. */
export function whole(exact: bigint): number | bigint {
  const value = Number(exact);
  return Number.isSafeInteger(value) ? value : exact;
}

export function isInt64(exact: bigint): boolean {
  return exact < int64 && exact >= -int64;
}

/** A literal in the spelling of the standard. */
export function literalText(type: Type, value: Value): string {
  if (value === null) return 'null';
  switch (type) {
    case 'text':
      return `'${String(value).replaceAll("'", "''")}'`;
    case 'decimal':
      return /[.e]/.test(String(value)) ? String(value).replace('e+', 'e') : `${value}.0`;
    case 'timestamp':
      return `${shortClock(String(value).slice(0, 26), 19)}Z`;
    case 'timeOfDay':
      return shortClock(String(value), 8);
    case 'duration':
      return `duration'${Number(value) < 0 ? '-' : ''}PT${Math.abs(Number(value))}S'`;
    default:
      return String(value);
  }
}

/** Drops trailing zeros of the fraction, which starts at `at`. */
function shortClock(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at).replace(/\.?0+$/, '');
}
