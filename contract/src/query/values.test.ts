import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarDate, duration, isInt64, literalText, microsOf, number, timeOfDay, timestamp, timestampOf, whole } from './values.ts';

describe('a timestamp', () => {
  it.each([
    ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01t23:59:59.1z', '2026-01-01T23:59:59.100000Z'],
    ['2026-01-01T12:30Z', '2026-01-01T12:30:00.000000Z'],
    ['2026-01-01T12:30:15.1234567Z', '2026-01-01T12:30:15.123456Z'],
    ['2026-01-01T12:30:15.123456-00:00', '2026-01-01T12:30:15.123456Z'],
    ['2026-01-01T12:30:15.123456+05:45', '2026-01-01T06:45:15.123456Z'],
    ['2026-01-01T12:30:15.123456 05:45', '2026-01-01T06:45:15.123456Z'],
    ['2026-01-01T12:30:15.123456-03:30', '2026-01-01T16:00:15.123456Z'],
    ['2026-01-01T12:30:00+18:00', '2025-12-31T18:30:00.000000Z'],
    ['2026-01-01T12:30:00+17:59', '2025-12-31T18:31:00.000000Z'],
    ['2026-01-01T00:00:00+00:01', '2025-12-31T23:59:00.000000Z'],
    ['1969-12-31T23:59:59.999999+01:00', '1969-12-31T22:59:59.999999Z'],
    ['0001-01-01T01:00:00+01:00', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T22:59:59.999999-01:00', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s', (text, canonical) => {
    expect(timestamp(text)).toBe(canonical);
  });

  it.each([
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-02-29T00:00:00Z',
    '2026-02-29T00:00:00.000000Z',
    '2026-01-01T25:00:00.000000Z',
    '0000-01-01T00:00:00Z',
    '2026-01-01T00:00:00+18:01',
    '2026-01-01T00:00:00+19:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00+01:99',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    'now',
  ])('%s is none', (text) => {
    expect(timestamp(text)).toBeUndefined();
  });

  it('and its microseconds since 1970 stand for the same moment', () => {
    const ends = [-62_135_596_800_000_000n, 253_402_300_799_999_999n] as const;
    expect(ends.map(timestampOf)).toEqual(['0001-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z']);
    expect([timestampOf(ends[0] - 1n), timestampOf(ends[1] + 1n)]).toEqual([undefined, undefined]);
    expect(microsOf('1970-01-01T00:00:01.234567Z')).toBe(1_234_567n);
    expect(timestampOf(-1n)).toBe('1969-12-31T23:59:59.999999Z');
    fc.assert(
      fc.property(fc.bigInt({ min: ends[0], max: ends[1] }), (micros) => {
        expect(microsOf(timestampOf(micros) ?? '')).toBe(micros);
      }),
    );
  });

  it('with an offset is that many minutes before the same time in UTC', () => {
    const moment = fc.bigInt({ min: 0n, max: 4_102_444_800_000_000n });
    fc.assert(
      fc.property(moment, fc.integer({ min: -1_080, max: 1_080 }), (micros, minutes) => {
        const two = (n: number) => String(n).padStart(2, '0');
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
        const local = timestampOf(micros + BigInt(minutes) * 60_000_000n)?.replace('Z', zone) ?? '';
        expect(timestamp(local)).toBe(timestampOf(micros));
      }),
    );
  });
});

describe('a date and a time of day', () => {
  it('must exist', () => {
    expect(['2024-02-29', '2026-02-29', '0000-01-01', '2026-1-1', '0001-01-01'].map(calendarDate)).toEqual([
      '2024-02-29',
      undefined,
      undefined,
      undefined,
      '0001-01-01',
    ]);
    expect(['09:30', '23:59:59.1234567', '24:00', '09:60', '9:30', '09:30:60'].map(timeOfDay)).toEqual([
      '09:30:00.000000',
      '23:59:59.123456',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a duration', () => {
  it.each([
    ['PT1S', 1],
    ['PT1M', 60],
    ['PT1H', 3_600],
    ['P1D', 86_400],
    ['-P1DT2H3M4S', -93_784],
    ['p1dt2h', 93_600],
    ['01:02:03', 3_723],
    ['1000:00:01', 3_600_001],
    ['PT0S', 0],
  ])('%s is %i seconds', (text, seconds) => {
    expect(duration(text)).toBe(seconds);
  });

  it('of no length has no sign', () => {
    expect(Object.is(duration('-PT0S'), 0)).toBe(true);
    expect(literalText('duration', duration('-PT0S') ?? null)).toBe("duration'PT0S'");
  });

  it.each(['P', 'PT', 'P1DT', '-PT', '1:02:03', '01:60:00', '01:00:60', '10000:00:00', 'PT1.5S'])('%s is none', (text) => {
    expect(duration(text)).toBeUndefined();
  });
});

describe('a number', () => {
  it.each([
    ['2147483647', 'int', 2_147_483_647],
    ['2147483648', 'bigint', 2_147_483_648],
    ['-2147483648', 'int', -2_147_483_648],
    ['-2147483649', 'bigint', -2_147_483_649],
    ['9007199254740991', 'bigint', 9_007_199_254_740_991],
    ['9007199254740993', 'bigint', 9_007_199_254_740_993n],
    ['9223372036854775807', 'bigint', 9_223_372_036_854_775_807n],
    ['-9223372036854775808', 'bigint', -9_223_372_036_854_775_808n],
    ['1.5', 'decimal', 1.5],
    ['-1e3', 'decimal', -1_000],
  ])('%s is of type %s', (text, type, value) => {
    expect(number(text)).toEqual({ type, value });
  });

  it.each(['9223372036854775808', '-9223372036854775809', '1e999'])('%s is too large', (text) => {
    expect(number(text)).toBeUndefined();
  });

  it('minus zero is zero', () => {
    expect(Object.is(number('-0.0')?.value, 0)).toBe(true);
  });

  it('of 64 bits ends at both ends', () => {
    const max = 9_223_372_036_854_775_807n;
    expect([max, max + 1n, -max - 1n, -max - 2n].map(isInt64)).toEqual([true, false, true, false]);
    expect([whole(5n), whole(2n ** 53n)]).toEqual([5, 2n ** 53n]);
  });
});

describe('the text of a literal', () => {
  it.each([
    ['duration', -90, "duration'-PT90S'"],
    ['duration', 0, "duration'PT0S'"],
    ['decimal', 5, '5.0'],
    ['decimal', 1e21, '1e21'],
    ['timestamp', '2026-01-01T00:00:00.120000Z', '2026-01-01T00:00:00.12Z'],
    ['timestamp', '2026-01-01T00:00:10.000000Z', '2026-01-01T00:00:10Z'],
    ['timeOfDay', '09:30:00.500000', '09:30:00.5'],
    ['text', "O'Hara", "'O''Hara'"],
    ['int', null, 'null'],
  ] as const)('of %s %s is %s', (type, value, text) => {
    expect(literalText(type, value)).toBe(text);
  });
});
