/** When a rule applies: date range, days and daily hours in an IANA time zone. */
import { dayMs } from '../durations.ts';
import { RuleError } from './errors.ts';
import type { TimeConditions } from './schema.ts';

/**
 * A quarter of an hour. Since 2012 every zone changes its offset only at quarters of an hour, so that one computation per
 * quarter is exact.
 */
const quarterMs = 900_000;
const quartersKept = 4_096;

export interface Zone {
  format: Intl.DateTimeFormat;
  offsets: Map<number, number>;
  lastQuarter: number;
  lastOffset: number;
}

const zones = new Map<string, Zone>();

export function zoneOf(id: string): Zone {
  let zone = zones.get(id);
  if (!zone) {
    let format: Intl.DateTimeFormat;
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: id,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new RuleError(`The timezone "${id}" is not known.`);
    }
    zone = { format, offsets: new Map(), lastQuarter: Number.NaN, lastOffset: 0 };
    zones.set(id, zone);
  }
  return zone;
}

export function isTimeZone(id: string): boolean {
  try {
    zoneOf(id);
    return true;
  } catch {
    return false;
  }
}

function computeOffset(zone: Zone, at: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of zone.format.formatToParts(at)) part[type] = Number(value);
  return Date.UTC(part['year'] ?? 0, (part['month'] ?? 1) - 1, part['day'], part['hour'], part['minute'], part['second']) - at;
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
export function offsetAt(zone: Zone, at: number): number {
  const quarter = Math.floor(at / quarterMs);
  if (quarter === zone.lastQuarter) return zone.lastOffset;
  let offset = zone.offsets.get(quarter);
  if (offset === undefined) {
    offset = computeOffset(zone, quarter * quarterMs);
    if (zone.offsets.size >= quartersKept) zone.offsets.clear();
    zone.offsets.set(quarter, offset);
  }
  zone.lastQuarter = quarter;
  zone.lastOffset = offset;
  return offset;
}

function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return (hours * 3_600 + minutes * 60 + seconds) * 1_000;
}

/** 23:59 as an end means the end of the day, because the format cannot express 24:00. */
function endOfDay(text: string): number {
  return text.startsWith('23:59') ? dayMs : timeOfDay(text);
}

const dayOfMonth = (day: number): number => new Date(day * dayMs).getUTCDate();

/**
 * Returns a test for instants (epoch milliseconds). Starts are inclusive and ends exclusive, but a daily end of 23:59 lasts to
 * midnight. A daily end at or before its start wraps past midnight, and the part after midnight belongs to the day on which it
 * started: `Fri 22:00-06:00` holds on Saturday at 05:00 and not on Friday at 05:00. Local hours that a clock change skips never
 * hold; hours that it repeats hold twice. Empty days mean all days; a month without a named day is left out. With days of the week and of the month, both must hold.
 */
export function compileTimeWindow(conditions: TimeConditions): (at: number) => boolean {
  const zone = zoneOf(conditions.TimeZoneId);
  const from = conditions.StartRange ? Date.parse(conditions.StartRange) : Number.NEGATIVE_INFINITY;
  const to = conditions.EndRange ? Date.parse(conditions.EndRange) : Number.POSITIVE_INFINITY;
  const weekDays = conditions.DaysOfWeek?.length ? new Set(conditions.DaysOfWeek) : undefined;
  const isLastCounted = conditions.LastDayOfMonth ?? false;
  const monthDays = conditions.DaysOfMonth?.length || isLastCounted ? new Set(conditions.DaysOfMonth) : undefined;
  const start = conditions.DailyStartTime ? timeOfDay(conditions.DailyStartTime) : 0;
  const end = conditions.DailyEndTime ? endOfDay(conditions.DailyEndTime) : dayMs;

  return (at) => {
    if (at < from || at >= to) return false;
    const local = at + offsetAt(zone, at);
    let day = Math.floor(local / dayMs);
    const time = local - day * dayMs;
    if (end > start) {
      if (time < start || time >= end) return false;
    } else if (time < start) {
      if (time >= end) return false;
      day -= 1;
    }
    if (weekDays && !weekDays.has((((day + 4) % 7) + 7) % 7)) return false;
    if (!monthDays || monthDays.has(dayOfMonth(day))) return true;
    return isLastCounted && dayOfMonth(day + 1) === 1;
  };
}
