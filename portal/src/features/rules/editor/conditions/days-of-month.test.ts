import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDays, writeDays } from './days-of-month.ts';

it('[RULE-045] [RULE-046] reads days and ranges of them; blank is all days, what is no day is refused later', () => {
  expect(readDays(' ')).toEqual({ DaysOfMonth: null, LastDayOfMonth: false });
  expect(readDays('15-17, 1 31;16')).toEqual({ DaysOfMonth: [1, 15, 16, 17, 31], LastDayOfMonth: false });
  expect(readDays('Last')).toEqual({ DaysOfMonth: null, LastDayOfMonth: true });
  expect(readDays('1,last')).toEqual({ DaysOfMonth: [1], LastDayOfMonth: true });
  for (const text of ['x', '3-1', '0', 'lastly']) expect(readDays(text)).toEqual({ DaysOfMonth: [0], LastDayOfMonth: false });
});

it('writes what it reads', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1 }), fc.boolean(), (days, LastDayOfMonth) => {
      expect(readDays(writeDays({ DaysOfMonth: days, LastDayOfMonth }))).toEqual({
        DaysOfMonth: days.toSorted((a, b) => a - b),
        LastDayOfMonth,
      });
    }),
  );
});
