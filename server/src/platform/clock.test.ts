import { afterEach, expect, it } from 'vitest';
import { clockDifference, currentTime, noteClockDifference } from './clock.ts';

afterEach(() => void noteClockDifference(0));

it('follows the clock of the machine while it agrees with that of the database', () => {
  expect([noteClockDifference(1_999), noteClockDifference(-1_999), clockDifference()]).toEqual([false, false, 0]);
  expect(Math.abs(currentTime() - Date.now())).toBeLessThan(1_000);
});

it('is corrected by the difference while the clocks differ, and says each change once', () => {
  expect(noteClockDifference(7_200_000)).toBe(true);
  expect([noteClockDifference(7_200_300), clockDifference()]).toEqual([false, 7_200_000]);
  expect(Math.abs(currentTime() - (Date.now() - 7_200_000))).toBeLessThan(1_000);
  expect(noteClockDifference(-7_200_000)).toBe(true);
  expect(Math.abs(currentTime() - (Date.now() + 7_200_000))).toBeLessThan(1_000);
  expect([noteClockDifference(100), clockDifference()]).toEqual([true, 0]);
});
