import { expect, it } from 'vitest';
import { lasting, span } from './relative-time.tsx';
import { exactTime } from '../theme/times.ts';

it('[SHELL-082] writes a time as h:mma, ddd, M/D/YYYY', () => {
  const local = new Date(2026, 10, 3, 14, 5);
  expect(exactTime(local.toISOString())).toBe('2:05pm, Tue, 11/3/2026');
  expect(exactTime(new Date(2026, 0, 31, 0, 0).toISOString())).toBe('12:00am, Sat, 1/31/2026');
  expect(exactTime(new Date(2026, 4, 1, 12, 59).toISOString())).toBe('12:59pm, Fri, 5/1/2026');
});
it('says spans in the largest unit that fits', () => {
  expect([1_000, 40_000, 120_000, 7_200_000, 3 * 86_400_000].map(span)).toEqual(['now', '40 s', '2 min', '2 h', '3 d']);
});

it('says how long something lasts without hiding up to half of it, and a term as it was set', () => {
  const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
  expect(
    [0, 400, 40 * second, 90 * second, 12 * minute + 40 * second, 4 * hour - second, 3 * day + 5 * hour + minute].map((ms) => lasting(ms)),
  ).toEqual(['0 s', '0 s', '40 s', '1 min 30 s', '12 min', '3 h 59 min', '3 d 5 h']);
  expect(lasting(-90 * minute)).toBe('1 h 30 min');
  expect([750 * second, day + minute, 36 * hour].map((ms) => lasting(ms, true))).toEqual(['12 min 30 s', '1 d 1 min', '1 d 12 h']);
});
