/** The usual values in memory: one for each entity, metric, baseline and hour. The test supplies the readings. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { expect, it } from 'vitest';
import type { Baseline } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../../db/db.ts';
import { about, indexOf, ruleOf, web } from '../../testing/hits.ts';
import { UsualValues } from './usual-values.ts';

const weekMs = 7 * 24 * hourMs;
const deviates = indexOf(ruleOf({ conditions: [about(87, 3, '3', { LeftOperandFieldName: 'Cpu' })] }));
const weekly = (Weeks: number): Baseline => ({ Weeks, Hour: 'OfWeek' });
const daily: Baseline = { Weeks: 1, Hour: 'OfDay' };

/** Returns a database with one reading in each hour, equal to the digit at the end of the metric's name. */
function fakeDatabase() {
  const reads: { metrics: string[]; hours: number[] }[] = [];
  const query = ({ values = [] }: Statement) => {
    const [numbers, , , metrics, , dates] = values as [number[], unknown, unknown, string[], unknown, Date[]];
    const hours = dates.map((date) => date.getTime());
    reads.push({ metrics, hours });
    return Promise.resolve(
      numbers.flatMap((n) => hours.map((hour) => ({ n, hour, count: 1, sum: Number(metrics[n]?.slice(-1)), squares: 0 }))),
    );
  };
  return { db: { query } as unknown as Db, reads };
}

it('differ by metric, by weeks and by hours, however often one evaluation asks for them', async () => {
  const { db, reads } = fakeDatabase();
  const values = new UsualValues(db);
  const requests: [string, Baseline][] = [
    ['Cpu1', weekly(4)],
    ['Cpu2', weekly(4)],
    ['Cpu1', weekly(2)],
    ['Cpu1', daily],
    ['Cpu1', weekly(4)],
  ];
  const usual = await values.evaluate(db, deviates, (usualAt) => {
    const of = usualAt?.(web, 10 * weekMs);
    return requests.map(([metric, baseline]) => of?.(metric, baseline)).map((item) => item && [item.mean, item.readings]);
  });
  expect(usual).toEqual([
    [1, 4],
    [2, 4],
    [1, 2],
    [1, 7],
    [1, 4],
  ]);
  expect([reads.length, values.size]).toEqual([1, 4]);
});

it('are read once for the packets of an hour', async () => {
  const { db, reads } = fakeDatabase();
  const values = new UsualValues(db);
  const meanAt = (at: number) => values.evaluate(db, deviates, (usualAt) => usualAt?.(web, at)('Cpu1', weekly(4))?.mean);
  expect([await meanAt(10 * weekMs), await meanAt(10 * weekMs + hourMs - 1), reads.length]).toEqual([1, 1, 1]);
  expect([await meanAt(10 * weekMs + hourMs), reads.length]).toEqual([1, 2]);
  expect(reads[1]?.hours).toEqual([9, 8, 7, 6].map((week) => week * weekMs + hourMs));
});

it('are none for rules without a baseline', async () => {
  const { db, reads } = fakeDatabase();
  expect(await new UsualValues(db).evaluate(db, indexOf(ruleOf()), (usualAt) => usualAt)).toBeUndefined();
  expect(reads).toEqual([]);
});

it('are read before the hour for which they are needed, and those of past hours are dropped', async () => {
  const { db, reads } = fakeDatabase();
  const values = new UsualValues(db);
  const now = 10 * weekMs;
  const meanAt = (at: number) => values.evaluate(db, deviates, (usualAt) => usualAt?.(web, at)('Cpu1', weekly(4))?.mean);
  for (const at of [now - hourMs, now]) await meanAt(at);
  await values.prefetch(now);
  // In memory are the values of this hour and of the next hour.
  expect([values.size, reads.length]).toEqual([2, 3]);
  expect([await meanAt(now + hourMs), await meanAt(now), reads.length]).toEqual([1, 1, 3]);
  await meanAt(now - hourMs);
  expect(reads).toHaveLength(4);
});

it('are dropped when there are too many, the oldest first', async () => {
  const { db, reads } = fakeDatabase();
  const values = new UsualValues(db, 2);
  const read = (metric: string) => values.evaluate(db, deviates, (usualAt) => usualAt?.(web, 10 * weekMs)(metric, weekly(4))?.mean);
  for (const metric of ['Cpu1', 'Cpu2', 'Cpu3']) await read(metric);
  expect([values.size, reads.length]).toEqual([2, 3]);
  for (const metric of ['Cpu2', 'Cpu3']) await read(metric);
  expect(reads).toHaveLength(3);
  expect([await read('Cpu1'), reads.length]).toEqual([1, 4]);
});
