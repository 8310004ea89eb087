/** How much of the past a backtest keeps in memory. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { expect, it } from 'vitest';
import type { Baseline } from '@cloudfit/contract/rules/schema.ts';
import { maxEntities } from './past-usual.ts';

const weekHours = 7 * 24;
const weekly: Baseline = { Weeks: 4, Hour: 'OfWeek' };

it('is fewer entities for more hours and for more metrics, and one at least', () => {
  const from = 20 * weekHours * hourMs;
  const count = (hours: number, ...needs: [metric: string, baseline: Baseline][]) =>
    maxEntities(
      needs.map(([metric, baseline]) => ({ metric, baseline })),
      { from, to: from + hours * hourMs },
    );
  const hours = 4 * weekHours;
  expect(count(0, ['Cpu', weekly])).toBe(Math.floor(2_000_000 / hours));
  expect(count(hours, ['Cpu', weekly])).toBe(Math.floor(2_000_000 / hours / 2));
  expect(count(0, ['Cpu', weekly], ['Cpu', { ...weekly, Weeks: 8 }])).toBe(Math.floor(2_000_000 / hours / 2));
  expect(count(0, ['Cpu', weekly], ['Disk', weekly])).toBe(Math.floor(2_000_000 / hours / 2));
  expect(count(9_000_000, ['Cpu', weekly])).toBe(1);
});
