import { expect, it } from 'vitest';
import { span } from './relative-time.tsx';
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
