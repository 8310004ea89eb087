/** When periodic work runs, and what follows a failure. The test supplies clock and database. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../db/connection.ts';
import type { Statement } from '../db/db.ts';
import { startSchedule, type Periodic, type Schedule } from './schedule.ts';

let due: boolean;
let hasFailed: boolean;
let failure: Error | undefined;
let claims: unknown[][];
let others: unknown[][];
let schedule: Schedule | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  [due, hasFailed, failure, claims, others, schedule] = [true, false, undefined, [], [], undefined];
});
afterEach(async () => {
  await schedule?.stop();
  vi.useRealTimers();
});

const query = ({ name, values = [] }: Statement) => {
  if (name !== 'schedule-claim') {
    others.push([...values]);
    return Promise.resolve([]);
  }
  claims.push([...values]);
  return failure ? Promise.reject(failure) : Promise.resolve(due ? [{ failed: hasFailed }] : []);
};

async function start(everyMs: number, run: () => Promise<void>): Promise<void> {
  const work: Periodic = { name: 'sweep', everyMs, run };
  schedule = await startSchedule({
    database: { scoped: () => ({ query }) } as unknown as Database,
    log: pino({ level: 'silent' }),
    works: [work],
  });
  await vi.advanceTimersByTimeAsync(0);
}

describe('periodic work', () => {
  it('is written down, and runs in the process that claims it', async () => {
    const run = vi.fn<() => Promise<void>>(() => Promise.resolve());
    await start(10_000, run);
    expect([others, claims, run.mock.calls.length]).toEqual([[[['sweep']]], [['sweep', 10_000]], 1]);
    due = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([claims.length, run.mock.calls.length]).toEqual([2, 1]);
  });

  it('is looked at twice in its time, and at least every half minute', async () => {
    await start(10_000, () => Promise.resolve());
    await vi.advanceTimersByTimeAsync(4_999);
    expect(claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(claims).toHaveLength(2);
    await schedule?.stop();
    claims = [];
    await start(3_600_000, () => Promise.resolve());
    await vi.advanceTimersByTimeAsync(29_999);
    expect(claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(claims).toHaveLength(2);
  });

  it('does not run beside itself, and is waited for at the stop', async () => {
    let end = (): void => undefined;
    await start(10_000, () => new Promise((resolve) => (end = resolve)));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(claims).toHaveLength(1);
    let isStopped = false;
    const stopping = schedule?.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([isStopped, claims.length]).toEqual([false, 1]);
    end();
    await stopping;
    expect(isStopped).toBe(true);
  });

  it('runs again after it failed, with its error on record, or when it could not be claimed', async () => {
    let runs = 0;
    await start(10_000, () => {
      runs += 1;
      return Promise.reject(new Error('The disk is full.'));
    });
    expect(others.at(-1)).toEqual([['sweep'], 'The disk is full.']);
    failure = new Error('The database does not answer.');
    await vi.advanceTimersByTimeAsync(5_000);
    expect([runs, others.length]).toEqual([1, 2]);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([runs, claims.length]).toEqual([2, 3]);
  });

  it('forgets the error of an earlier run once it has succeeded', async () => {
    hasFailed = true;
    await start(10_000, () => Promise.resolve());
    expect(others.slice(1)).toEqual([[['sweep']]]);
    hasFailed = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([claims.length, others.length]).toEqual([2, 2]);
  });
});
