/** The position of the change feed while the database does not answer. Pure: the test supplies clock and database. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '../db/connection.ts';
import type { Statement } from '../db/db.ts';
import { createChangeFeed, type ChangeFeed } from './change-feed.ts';

let isStalled = false;
let feed: ChangeFeed;

/** The number of rows that wait to be read. */
let waiting = 0;

const query = ({ text, values }: Statement) => {
  if (isStalled) return Promise.reject(new Error('The database does not answer.'));
  if (!text.includes('change_id')) return Promise.resolve([{ xid: '7' }]);
  const count = Math.min(waiting, Number(values?.[2]));
  waiting -= count;
  return Promise.resolve(
    Array.from({ length: count }, () => ({ position: '7-1-1', verb: 'update', entity: 'e', id: '1', tenantId: null })),
  );
};

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  isStalled = false;
  const database = { scoped: () => ({ query }), listen: () => Promise.resolve(() => Promise.resolve()) } as unknown as Database;
  feed = await createChangeFeed(database, pino({ level: 'silent' }));
});
afterEach(async () => {
  await feed.close();
  vi.useRealTimers();
});

it.each([0, 1])('the time of a position is that of the last read with an answer, with %i listeners', async (listeners) => {
  if (listeners > 0) feed.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  const before = feed.position();
  expect(Number(before.split('-')[2])).toBeGreaterThanOrEqual(1_005);
  isStalled = true;
  await vi.advanceTimersByTimeAsync(40_000);
  expect(feed.position()).toBe(before);
  isStalled = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(Number(feed.position().split('-')[2])).toBeGreaterThanOrEqual(1_055);
});

it('nobody resumes from a position of before a stall that was longer than changes are stored for', async () => {
  await vi.advanceTimersByTimeAsync(10_000);
  isStalled = true;
  await vi.advanceTimersByTimeAsync(1_900_000);
  const position = feed.position();
  isStalled = false;
  expect(await feed.since(position, 10)).toBeNull();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await feed.since(feed.position(), 10)).toEqual([]);
});

it('reads on at once after a full read, and pauses after one that found the end', async () => {
  let got = 0;
  feed.subscribe((rows) => void (got += rows.length));
  waiting = 9_500;
  await vi.advanceTimersByTimeAsync(250);
  await vi.advanceTimersByTimeAsync(20);
  expect(got).toBe(9_500);
  waiting = 1;
  await vi.advanceTimersByTimeAsync(200);
  expect(got).toBe(9_500);
  await vi.advanceTimersByTimeAsync(50);
  expect(got).toBe(9_501);
});
