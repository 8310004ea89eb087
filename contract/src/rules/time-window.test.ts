import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeConditions, type TimeConditions } from './schema.ts';
import { compileTimeWindow } from './time-window.ts';

type Window = Parameters<typeof compileTimeWindow>[0];

function holds(at: string, window: Window): boolean {
  return compileTimeWindow(window)(Date.parse(at));
}

const newYork = 'America/New_York';
const vienna = 'Europe/Vienna';

describe('time window', () => {
  it('reads daily hours in the zone; the start is inside, the end is not', () => {
    const window = { DailyStartTime: '08:00', DailyEndTime: '17:00', TimeZoneId: vienna };
    expect(holds('2026-01-14T07:00:00Z', window)).toBe(true);
    expect(holds('2026-01-14T06:59:59.999Z', window)).toBe(false);
    expect(holds('2026-01-14T15:59:59.999Z', window)).toBe(true);
    expect(holds('2026-01-14T16:00:00Z', window)).toBe(false);
    expect(holds('2026-07-14T06:00:00Z', window)).toBe(true);
    expect(holds('2026-07-14T15:00:00Z', window)).toBe(false);
  });

  it('a day that ends at 23:59 ends at midnight', () => {
    const window = { DailyStartTime: '00:00', DailyEndTime: '23:59', TimeZoneId: 'UTC' };
    expect(holds('2026-01-14T23:59:59.999Z', window)).toBe(true);
  });

  it('skipped hours never hold, New York on 8 March and Vienna on 29 March 2026', () => {
    for (const [zone, day] of [
      [newYork, '2026-03-08'],
      [vienna, '2026-03-29'],
    ] as const) {
      const test = compileTimeWindow({ DailyStartTime: '02:00', DailyEndTime: '03:00', TimeZoneId: zone });
      const midnight = Date.parse(`${day}T00:00:00Z`);
      for (let minute = 0; minute < 1_440; minute += 1) expect(test(midnight + minute * 60_000)).toBe(false);
    }
    const after = { DailyStartTime: '03:00', DailyEndTime: '04:00', TimeZoneId: newYork };
    expect(holds('2026-03-08T06:59:59Z', after)).toBe(false);
    expect(holds('2026-03-08T07:00:00Z', after)).toBe(true);
    expect(holds('2026-03-08T08:00:00Z', after)).toBe(false);
  });

  it('repeated hours hold twice, New York on 1 November and Vienna on 25 October 2026', () => {
    const ny = { DailyStartTime: '01:00', DailyEndTime: '02:00', TimeZoneId: newYork };
    expect(['05:30', '06:30', '07:30'].map((time) => holds(`2026-11-01T${time}:00Z`, ny))).toEqual([true, true, false]);
    const at = { DailyStartTime: '02:00', DailyEndTime: '03:00', TimeZoneId: vienna };
    expect(['00:30', '01:30', '02:30'].map((time) => holds(`2026-10-25T${time}:00Z`, at))).toEqual([true, true, false]);
  });

  it('an end before the start wraps past midnight, and the morning belongs to the day before', () => {
    const friday = { DailyStartTime: '22:00', DailyEndTime: '06:00', DaysOfWeek: [5], TimeZoneId: newYork };
    expect(holds('2026-01-17T03:00:00Z', friday)).toBe(true);
    expect(holds('2026-01-17T10:59:00Z', friday)).toBe(true);
    expect(holds('2026-01-17T11:00:00Z', friday)).toBe(false);
    expect(holds('2026-01-16T10:00:00Z', friday)).toBe(false);
    expect(holds('2026-01-18T03:00:00Z', friday)).toBe(false);
    const first = { DailyStartTime: '22:00', DailyEndTime: '06:00', DaysOfMonth: [1], TimeZoneId: 'UTC' };
    expect(holds('2026-03-02T05:00:00Z', first)).toBe(true);
    expect(holds('2026-03-01T05:00:00Z', first)).toBe(false);
  });

  it('a wrapped night over a clock change lasts from clock to clock', () => {
    const night = { DailyStartTime: '22:00', DailyEndTime: '06:00', TimeZoneId: vienna };
    const test = compileTimeWindow(night);
    const hours = (from: string, to: string) => {
      let count = 0;
      for (let at = Date.parse(from); at < Date.parse(to); at += 900_000) if (test(at)) count += 1;
      return count / 4;
    };
    expect(hours('2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toBe(7);
    expect(hours('2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toBe(9);
    expect(hours('2026-06-10T12:00:00Z', '2026-06-11T12:00:00Z')).toBe(8);
  });

  it('a start without an end lasts to midnight, an end without a start begins there', () => {
    expect(holds('2026-01-14T23:30:00Z', { DailyStartTime: '22:00', TimeZoneId: 'UTC' })).toBe(true);
    expect(holds('2026-01-14T00:30:00Z', { DailyStartTime: '22:00', TimeZoneId: 'UTC' })).toBe(false);
    expect(holds('2026-01-14T00:30:00Z', { DailyEndTime: '01:00', TimeZoneId: 'UTC' })).toBe(true);
    expect(holds('2026-01-14T01:30:00Z', { DailyEndTime: '01:00', TimeZoneId: 'UTC' })).toBe(false);
  });

  it('reads hours to the second', () => {
    const window = { DailyStartTime: '09:05:10', DailyEndTime: '17:15:30', TimeZoneId: 'UTC' };
    expect(['09:05:09.999', '09:05:10', '17:15:29.999', '17:15:30'].map((time) => holds(`2026-01-14T${time}Z`, window))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(holds('2026-01-14T00:00:00Z', { DailyEndTime: '01:00', TimeZoneId: 'UTC' })).toBe(true);
  });

  it('an end at its start lasts a whole day, which belongs to the day on which it began', () => {
    const friday = { DailyStartTime: '08:00', DailyEndTime: '08:00', DaysOfWeek: [5], TimeZoneId: 'UTC' };
    expect(['16T07:59:59', '16T08:00:00', '17T07:59:59', '17T08:00:00'].map((at) => holds(`2026-01-${at}Z`, friday))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('keeps to the date range, days of week and days of month', () => {
    const range = { StartRange: '2026-01-14T10:00:00+01:00', EndRange: '2026-01-14T12:00:00Z', TimeZoneId: newYork };
    expect(holds('2026-01-14T08:59:59Z', range)).toBe(false);
    expect(holds('2026-01-14T09:00:00Z', range)).toBe(true);
    expect(holds('2026-01-14T12:00:00Z', range)).toBe(false);
    expect(holds('2026-01-18T03:00:00Z', { DaysOfWeek: [6], TimeZoneId: newYork })).toBe(true);
    expect(holds('2026-01-18T03:00:00Z', { DaysOfWeek: [0], TimeZoneId: 'UTC' })).toBe(true);
    expect(holds('2026-03-01T02:00:00Z', { DaysOfMonth: [28], TimeZoneId: newYork })).toBe(true);
    expect(holds('2026-01-14T02:00:00Z', { DaysOfWeek: [3], DaysOfMonth: [13], TimeZoneId: 'UTC' })).toBe(false);
  });

  it('counts the last day of each month, also of the shortest, beside the named days, and to the end of its night', () => {
    const last = { LastDayOfMonth: true, TimeZoneId: 'UTC' };
    const days = (time: Omit<TimeConditions, 'TimeZoneId'>, year: number) =>
      Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(year, 0, 1 + day, 12)))
        .filter((at) => at.getUTCFullYear() === year && compileTimeWindow({ ...time, TimeZoneId: 'UTC' })(at.getTime()))
        .map((at) => at.toISOString().slice(5, 10));
    const ends = ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30', '12-31'];
    expect(days(last, 2026)).toEqual(ends);
    expect(days(last, 2028)).toEqual(ends.with(1, '02-29'));
    expect(days({ DaysOfMonth: [31] }, 2026)).toHaveLength(7);
    expect(days({ ...last, DaysOfMonth: [1] }, 2026)).toHaveLength(24);
    expect(days({ LastDayOfMonth: false }, 2026)).toHaveLength(365);
    const night = { ...last, DailyStartTime: '22:00', DailyEndTime: '06:00' };
    expect(['2026-02-28T23:00:00Z', '2026-03-01T05:00:00Z', '2026-02-28T05:00:00Z'].map((at) => holds(at, night))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('[RULE-046] blank days mean all days', () => {
    for (let day = 0; day < 40; day += 1) {
      expect(compileTimeWindow({ DaysOfMonth: [], DaysOfWeek: null, TimeZoneId: vienna })(Date.UTC(2026, 0, 1 + day, 12))).toBe(true);
    }
  });

  it('[RULE-045] takes days of the month from 1 to 31', () => {
    expect(timeConditions.safeParse({ DaysOfMonth: [1, 31], TimeZoneId: 'UTC' }).success).toBe(true);
    for (const day of [0, 32]) expect(timeConditions.safeParse({ DaysOfMonth: [day], TimeZoneId: 'UTC' }).success).toBe(false);
  });

  it('agrees with the wall clock that Intl shows, at any instant of ten years in any order', () => {
    const zones = [newYork, vienna, 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns', 'UTC'];
    const formats = new Map(
      zones.map((zone) => [
        zone,
        new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' }),
      ]),
    );
    const instant = fc.integer({ min: Date.UTC(2020, 0, 1) / 1_000, max: Date.UTC(2030, 0, 1) / 1_000 });
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (second, zone) => {
        const clock = formats.get(zone)?.format(second * 1_000) ?? '';
        const before = compileTimeWindow({ DailyStartTime: '09:30', DailyEndTime: '17:15:30', TimeZoneId: zone });
        expect(before(second * 1_000)).toBe(clock >= '09:30:00' && clock < '17:15:30');
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses a zone that does not exist', () => {
    expect(() => compileTimeWindow({ TimeZoneId: 'Mars/Olympus' })).toThrow('The timezone "Mars/Olympus" is not known.');
  });
});
