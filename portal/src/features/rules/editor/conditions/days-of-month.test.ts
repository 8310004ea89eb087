import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDays, writeDays } from './days-of-month.ts';

it('[RULE-045] [RULE-046] reads days and ranges of them; blank is all days, what is no day is refused later', () => {
  expect(readDays(' ')).toBeNull();
  expect(readDays('15-17, 1 31;16')).toEqual([1, 15, 16, 17, 31]);
  for (const text of ['x', '3-1', '0']) expect(readDays(text)).toEqual([0]);
});

it('writes what it reads', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1 }), (days) => {
      expect(readDays(writeDays(days))).toEqual(days.toSorted((a, b) => a - b));
    }),
  );
});
