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
  const stopping = schedule?.stop();
  await pass(100);
  await stopping;
  vi.useRealTimers();
});

/** Lets time pass, and what has begun at its end. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await vi.advanceTimersByTimeAsync(1);
}

const query = ({ name, values = [] }: Statement) => {
  if (name !== 'schedule-claim') {
    others.push([...values]);
    return Promise.resolve([]);
  }
  claims.push([...values]);
  const [names = []] = values as string[][];
  return failure ? Promise.reject(failure) : Promise.resolve(due ? names.map((name) => ({ name, failed: hasFailed })) : []);
};

const start = (everyMs: number, run: () => Promise<void>): Promise<void> => startAll([{ name: 'sweep', everyMs, run }]);

async function startAll(works: readonly Periodic[]): Promise<void> {
  schedule = await startSchedule({
    database: { scoped: () => ({ query }) } as unknown as Database,
    log: pino({ level: 'silent' }),
    works,
  });
  await pass(0);
}

describe('periodic work', () => {
  it('is written down, and runs in the process that claims it', async () => {
    const run = vi.fn<() => Promise<void>>(() => Promise.resolve());
    await start(10_000, run);
    expect([others, claims, run.mock.calls.length]).toEqual([[[['sweep']]], [[['sweep'], [10_000]]], 1]);
    due = false;
    await pass(5_000);
    expect([claims.length, run.mock.calls.length]).toEqual([2, 1]);
  });

  it('is looked at twice in its time, and at least every half minute', async () => {
    await start(10_000, () => Promise.resolve());
    await pass(4_990);
    expect(claims).toHaveLength(1);
    await pass(10);
    expect(claims).toHaveLength(2);
    await schedule?.stop();
    claims = [];
    await start(3_600_000, () => Promise.resolve());
    await pass(29_990);
    expect(claims).toHaveLength(1);
    await pass(10);
    expect(claims).toHaveLength(2);
  });

  it('is claimed together with what is looked at in the same moment, and begins apart from it, the most frequent first', async () => {
    const began: [string, number][] = [];
    const work = (name: string, everyMs: number): Periodic => ({
      name,
      everyMs,
      run: () => Promise.resolve(void began.push([name, Date.now()])),
    });
    const at = Date.now();
    await startAll([work('slow', 10_000), work('quick', 1_000), work('broken', 5_000)]);
    await pass(100);
    expect(claims).toEqual([
      [
        ['quick', 'broken', 'slow'],
        [1_000, 5_000, 10_000],
      ],
    ]);
    expect(began).toEqual([
      ['quick', at],
      ['broken', at + 10],
      ['slow', at + 20],
    ]);
    failure = new Error('The database does not answer.');
    await pass(4_900);
    expect([claims.length, began.length]).toEqual([11, 3]);
    failure = undefined;
    await pass(6_000);
    expect(began.map(([name]) => name)).toEqual(expect.arrayContaining(['slow', 'quick', 'broken']));
    expect(began.filter(([name]) => name === 'slow')).toHaveLength(2);
  });

  it('is waited for at the stop, also if it has not begun', async () => {
    const happened: string[] = [];
    const work = (name: string): Periodic => ({
      name,
      everyMs: 10_000,
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        happened.push(name);
      },
    });
    await startAll([work('one'), work('two')]);
    void schedule?.stop().then(() => happened.push('stopped'));
    await pass(50);
    expect(happened).toEqual(['one']);
    await pass(60_000);
    expect(happened).toEqual(['one', 'two', 'stopped']);
    expect(claims).toHaveLength(1);
  });

  it('does not run beside itself, and is waited for at the stop', async () => {
    let end = (): void => undefined;
    await start(10_000, () => new Promise((resolve) => (end = resolve)));
    await pass(20_000);
    expect(claims).toHaveLength(1);
    let isStopped = false;
    const stopping = schedule?.stop().then(() => (isStopped = true));
    await pass(60_000);
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
    await pass(5_000);
    expect([runs, others.length]).toEqual([1, 2]);
    failure = undefined;
    await pass(5_000);
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
