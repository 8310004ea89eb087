import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { nextDigest, type DigestTime } from './digest.ts';

const at = (text: string): number => Date.parse(text);
const quarter = 15 * 60_000;
const day = 24 * 60 * 60_000;

function clockOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(part['year'] ?? 0, (part['month'] ?? 1) - 1, part['day'], part['hour'], part['minute']);
  };
}

/** Watches the clock on the wall each quarter of an hour until it reaches an hour for the first time. */
function slowNext({ day: weekDay, hour }: DigestTime, timeZone: string, after: number): number {
  const clock = clockOf(timeZone);
  let latest = Number.NEGATIVE_INFINITY;
  for (let now = Math.floor(after / quarter) * quarter - 3 * day; ; now += quarter) {
    const shown = clock(now);
    const isReached = [-2, -1, 0].some((back) => {
      const midnight = Math.floor(shown / day) * day + back * day;
      const target = midnight + hour * 60 * 60_000;
      return latest < target && target <= shown && (weekDay === null || new Date(midnight).getUTCDay() === weekDay);
    });
    if (isReached && now > after) return now;
    latest = Math.max(latest, shown);
  }
}

describe('the next digest', () => {
  it('is each week at the same hour by the clock of the person, also across a clock change', () => {
    const monday = { day: 1, hour: 8 };
    expect(nextDigest(monday, 'Europe/Berlin', at('2026-03-23T07:00Z'))).toBe(at('2026-03-30T06:00Z'));
    expect(nextDigest(monday, 'Europe/Berlin', at('2026-10-19T06:00Z'))).toBe(at('2026-10-26T07:00Z'));
    expect(nextDigest(monday, 'Europe/Berlin', at('2026-10-26T06:59:59.999Z'))).toBe(at('2026-10-26T07:00Z'));
  });

  it('comes once on a day that has its hour twice, and on a day that does not have it', () => {
    const daily = { day: null, hour: 2 };
    const first = nextDigest(daily, 'Europe/Berlin', at('2026-10-24T12:00Z'));
    expect(first).toBe(at('2026-10-25T00:00Z'));
    expect(nextDigest(daily, 'Europe/Berlin', first)).toBe(at('2026-10-26T01:00Z'));
    expect(nextDigest(daily, 'Europe/Berlin', at('2026-03-28T12:00Z'))).toBe(at('2026-03-29T01:00Z'));
  });

  it('is what a clock on the wall shows', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'America/Santiago',
      'Africa/Casablanca',
      'UTC',
    ];
    // Around the clock changes of both halves of the year, and between them.
    const moments = fc.oneof(
      fc.integer({ min: at('2026-03-01T00:00Z'), max: at('2026-04-20T00:00Z') }),
      fc.integer({ min: at('2026-09-01T00:00Z'), max: at('2026-11-15T00:00Z') }),
    );
    fc.assert(
      fc.property(
        fc.record({ day: fc.option(fc.integer({ min: 0, max: 6 })), hour: fc.integer({ min: 0, max: 23 }) }),
        fc.constantFrom(...zones),
        moments,
        (time, zone, after) => {
          const next = nextDigest(time, zone, after);
          expect(next).toBe(slowNext(time, zone, after));
          // What was sent is not due again.
          expect(nextDigest(time, zone, next)).toBeGreaterThan(next);
        },
      ),
      { numRuns: runs(60, 500) },
    );
  });
});
