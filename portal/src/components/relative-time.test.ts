import { expect, it } from 'vitest';
import { exactTime, span } from './relative-time.tsx';

it('[SHELL-082] writes a time as h:mma, ddd, M/D/YYYY', () => {
  const local = new Date(2026, 10, 3, 14, 5);
  expect(exactTime(local.toISOString())).toBe('2:05pm, Tue, 11/3/2026');
});
it('says spans in the largest unit that fits', () => {
  expect([1_000, 40_000, 120_000, 7_200_000, 3 * 86_400_000].map(span)).toEqual(['now', '40 s', '2 min', '2 h', '3 d']);
});
