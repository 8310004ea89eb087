/** Which jobs a worker may lease and start next. Pure: the test takes the place of the database. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Db } from '../db/db.ts';
import type { LeasedJob } from './lease.ts';
import { trackLeasedCalls } from './leased-calls.ts';
import { trackLeasedJobs, type LeasedJobs } from './leased-jobs.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const jobOf = (job_id: number, tenant_id: string | null = null, destination: string | null = null): LeasedJob => ({
  job_id,
  name: 'test',
  tenant_id,
  payload: {},
  attempts: 1,
  correlation_id: 'c',
  destination,
  is_probe: false,
});

/** Leases these jobs; returns what was requested, and whether more may be due. */
async function lease(jobs: LeasedJobs, ...rows: LeasedJob[]) {
  const requests: { name: string; values: readonly unknown[] }[] = [];
  const db = {
    query: (statement: (typeof requests)[number]) => {
      requests.push(statement);
      return Promise.resolve(rows);
    },
  } as unknown as Db;
  const more = await jobs.lease(db, 'w1', [7]);
  const { values = [], name = '' } = requests[0] ?? {};
  return { more, values, perTenant: Number(/-(\d+)$/.exec(name)?.[1]) };
}

const insideJobs = (slots: number) => trackLeasedJobs(slots, { names: ['slow'], isTheirLane: false }, ['mail']);

/** Starts every job that may start; returns the ids of these jobs. */
function startAll(jobs: LeasedJobs): number[] {
  const ids: number[] = [];
  for (let job = jobs.next(); job; job = jobs.next()) ids.push(job.job_id);
  return ids;
}

describe('jobs inside', () => {
  it('are leased as many as there are places, half of them of one tenant', async () => {
    const jobs = insideJobs(8);
    expect(await lease(jobs)).toMatchObject({ values: ['w1', [7], 8, [], ['slow'], ['mail']], perTenant: 4 });
    expect((await lease(insideJobs(7))).perTenant).toBe(4);
    expect((await lease(insideJobs(1))).perTenant).toBe(1);
  });

  it('leave room for what runs and what waits', async () => {
    const jobs = insideJobs(4);
    expect(jobs.hasRoom()).toBe(true);
    await lease(jobs, jobOf(1), jobOf(2), jobOf(3));
    expect(startAll(jobs)).toEqual([1, 2, 3]);
    expect((await lease(jobs, jobOf(4))).values[2]).toBe(1);
    expect(jobs.hasRoom()).toBe(false);
    expect((await lease(jobs, jobOf(5))).values[2]).toBe(0);
    expect((await lease(jobs)).values[2]).toBe(0);
    expect([jobs.running(), jobs.ids()]).toEqual([3, [1, 2, 3, 4, 5]]);
  });

  it('are leased ahead once they are short', async () => {
    const jobs = insideJobs(2);
    const runOne = async (id: number) => {
      await lease(jobs, jobOf(id));
      const job = jobs.next();
      if (job) jobs.finish(job, true);
    };
    // Each job that takes no time lowers the average, which begins at one second, by a tenth: it is below 20 ms after 38 jobs.
    for (let id = 1; id <= 37; id += 1) await runOne(id);
    expect((await lease(jobs)).values[2]).toBe(2);
    await runOne(38);
    expect(await lease(jobs)).toMatchObject({ values: ['w1', [7], 26, [], ['slow'], ['mail']], perTenant: 13 });
    await lease(jobs, jobOf(39));
    const slow = jobs.next();
    vi.advanceTimersByTime(100);
    if (slow) jobs.finish(slow, true);
    expect((await lease(jobs)).values[2]).toBe(2);
  });

  it('of one tenant start on half of the places, those of nobody on all', async () => {
    const jobs = insideJobs(4);
    await lease(jobs, jobOf(1, 'a'), jobOf(2, 'a'), jobOf(3, 'a'), jobOf(4, 'b'));
    expect(startAll(jobs)).toEqual([1, 4, 2]);
    const others = insideJobs(4);
    await lease(others, jobOf(1), jobOf(2), jobOf(3), jobOf(4), jobOf(5));
    expect(startAll(others)).toEqual([1, 2, 3, 4]);
  });

  it('start with the tenant that has the fewest running', async () => {
    const jobs = insideJobs(6);
    await lease(jobs, jobOf(1, 'a'), jobOf(2, 'a'), jobOf(3, 'b'), jobOf(4, 'c'));
    expect(startAll(jobs)).toEqual([1, 3, 4, 2]);
    const first = jobOf(1, 'a');
    jobs.finish(first, false);
    await lease(jobs, jobOf(5, 'b'), jobOf(6, 'a'), jobOf(7, 'd'));
    expect(startAll(jobs)).toEqual([7, 5, 6]);
  });

  it('are not leased of a tenant that has its share, running or waiting', async () => {
    const jobs = insideJobs(4);
    await lease(jobs, jobOf(1, 'a'), jobOf(2, 'b'));
    expect((await lease(jobs)).values[3]).toEqual([]);
    jobs.next();
    await lease(jobs, jobOf(3, 'a'));
    expect((await lease(jobs)).values[3]).toEqual(['a']);
    const nobody = insideJobs(4);
    await lease(nobody, jobOf(1), jobOf(2), jobOf(3));
    expect((await lease(nobody)).values[3]).toEqual([]);
  });

  it('may be more than were leased, where a limit was met', async () => {
    expect((await lease(insideJobs(8), jobOf(1, 'a'), jobOf(2, 'b'))).more).toBe(false);
    expect((await lease(insideJobs(8), ...[1, 2, 3].map((id) => jobOf(id, 'a')))).more).toBe(false);
    expect((await lease(insideJobs(8), ...[1, 2, 3, 4].map((id) => jobOf(id, 'a')))).more).toBe(true);
    expect((await lease(insideJobs(2), jobOf(1, 'a'), jobOf(2, 'b'))).more).toBe(true);
    const busy = insideJobs(8);
    await lease(busy, ...[1, 2, 3, 4].map((id) => jobOf(id, 'a')));
    expect((await lease(busy)).more).toBe(true);
    expect((await lease(insideJobs(8))).more).toBe(false);
  });

  it('have ended once, and only where they are done', async () => {
    const jobs = insideJobs(4);
    await lease(jobs, jobOf(1), jobOf(2), jobOf(3));
    startAll(jobs);
    expect(jobs.hasEnded()).toBe(false);
    jobs.finish(jobOf(1), true);
    jobs.finish(jobOf(2), false);
    jobs.finish(jobOf(9), true);
    expect([jobs.hasEnded(), jobs.running(), jobs.ids()]).toEqual([true, 1, [3, 1]]);
    expect([jobs.takeEnded(), jobs.takeEnded(), jobs.hasEnded()]).toEqual([[1], [], false]);
    jobs.restoreEnded([1]);
    expect([jobs.hasEnded(), jobs.ids(), jobs.takeEnded()]).toEqual([true, [3, 1], [1]]);
  });

  it('are given back after they have waited for a second', async () => {
    const jobs = insideJobs(2);
    await lease(jobs, jobOf(1), jobOf(2), jobOf(3));
    startAll(jobs);
    vi.advanceTimersByTime(500);
    await lease(jobs, jobOf(4));
    vi.advanceTimersByTime(500);
    expect(jobs.takeTimedOut()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect([jobs.takeTimedOut(), jobs.ids()]).toEqual([[3], [1, 2, 4]]);
  });

  it('are expected to be slow again once one has waited too long', async () => {
    const jobs = insideJobs(2);
    for (let id = 1; id <= 38; id += 1) {
      await lease(jobs, jobOf(id));
      const job = jobs.next();
      if (job) jobs.finish(job, true);
    }
    await lease(jobs, jobOf(51), jobOf(52), jobOf(53));
    startAll(jobs);
    expect(jobs.takeTimedOut()).toEqual([]);
    expect((await lease(jobs)).values[2]).toBe(23);
    vi.advanceTimersByTime(1_001);
    expect(jobs.takeTimedOut()).toEqual([53]);
    expect((await lease(jobs)).values[2]).toBe(0);
  });
});

describe('jobs that call out', () => {
  const many = (from: number, to: number, tenant: string, destination: string) =>
    Array.from({ length: to - from }, (_, n) => jobOf(from + n, tenant, destination));
  const counts = async (calls: LeasedJobs) => JSON.parse(String((await lease(calls)).values[3])) as unknown;

  it('are leased as many as there are slots: of a tenant a sixteenth of the free ones, to a receiver half of all', async () => {
    const calls = trackLeasedCalls(64);
    expect(await lease(calls)).toMatchObject({ values: ['w1', [7], 64, '[]', 32], perTenant: 4 });
    for (let n = 0; n < 10; n++) await lease(calls, ...many(10 * n, 10 * n + 4, `t${n}`, 'https://one'));
    expect(startAll(calls)).toHaveLength(30);
    expect(await lease(calls)).toMatchObject({ values: { 2: 34 }, perTenant: 3 });
    expect((await lease(trackLeasedCalls(3))).values).toEqual(['w1', [7], 3, '[]', 2]);
    expect((await lease(trackLeasedCalls(1))).perTenant).toBe(1);
  });

  it('start with the tenant that has the fewest, within its share and that of the receiver', async () => {
    const calls = trackLeasedCalls(64);
    await lease(calls, ...many(1, 7, 'a', 'https://one'), ...many(7, 9, 'b', 'https://two'));
    expect(startAll(calls)).toEqual([1, 7, 2, 8, 3, 4]);
    const few = trackLeasedCalls(4);
    await lease(few, ...[1, 2, 3].map((n) => jobOf(n, `t${n}`, 'https://one')));
    expect(startAll(few)).toEqual([1, 2]);
  });

  it('are counted by tenant and receiver once they are leased', async () => {
    const calls = trackLeasedCalls(64);
    await lease(
      calls,
      jobOf(1, 'a', 'https://one'),
      jobOf(2, 'a', 'https://two'),
      jobOf(3, 'b', 'https://one'),
      jobOf(4, 'a', 'https://one'),
    );
    const counted = [
      { tenant_id: 'a', destination: 'https://one', count: 2 },
      { tenant_id: 'a', destination: 'https://two', count: 1 },
      { tenant_id: 'b', destination: 'https://one', count: 1 },
    ];
    expect(await counts(calls)).toEqual(counted);
    expect(startAll(calls)).toHaveLength(4);
    expect(await counts(calls)).toEqual(expect.arrayContaining(counted));
  });

  it('are leased ahead while their receiver answers quickly, and given back when it does not', async () => {
    const calls = trackLeasedCalls(64);
    const one = (count: number) => [{ tenant_id: 'a', destination: 'https://one', count }];
    const end = (id: number, isDone = true) => calls.finish(jobOf(id, 'a', 'https://one'), isDone);
    await lease(calls, ...many(1, 5, 'a', 'https://one'));
    startAll(calls);
    end(1);
    // Three more calls are leased ahead for each of the tenant's four slots.
    expect(await counts(calls)).toEqual(one(3 - 12));
    await lease(calls, ...many(5, 14, 'a', 'https://one'));
    expect(startAll(calls)).toEqual([5]);
    expect(calls.needsMore(jobOf(1, 'a', 'https://one'))).toBe(false);
    expect(calls.needsMore(jobOf(1, 'b', 'https://one'))).toBe(true);
    // The job did nothing or failed.
    end(2, false);
    expect(await counts(calls)).toEqual(one(11));
    end(3);
    expect(await counts(calls)).toEqual(one(10 - 12));
    expect(startAll(calls)).toEqual([6, 7]);
    expect(calls.takeTimedOut()).toEqual([]);
    vi.advanceTimersByTime(1_001);
    expect(calls.takeTimedOut()).toEqual([8, 9, 10, 11, 12, 13]);
    expect(await counts(calls)).toEqual(one(4));
    // The job ended after a slow answer.
    end(4);
    expect(await counts(calls)).toEqual(one(3));
    for (const id of [5, 6, 7]) end(id);
    expect(await counts(calls)).toEqual([]);
  });

  it('leave room for what runs, and end like any other', async () => {
    const calls = trackLeasedCalls(2);
    expect((await lease(calls, jobOf(1, 'a', 'x'), jobOf(2, 'b', 'y'))).more).toBe(true);
    expect([calls.hasRoom(), calls.running(), calls.ids()]).toEqual([true, 0, [1, 2]]);
    expect(startAll(calls)).toEqual([1, 2]);
    expect([calls.hasRoom(), calls.running(), calls.hasEnded()]).toEqual([false, 2, false]);
    calls.finish(jobOf(1, 'a', 'x'), true);
    calls.finish(jobOf(2, 'b', 'y'), false);
    expect([calls.hasRoom(), calls.running(), calls.ids(), calls.hasEnded()]).toEqual([true, 0, [1], true]);
    expect([calls.takeEnded(), calls.takeEnded()]).toEqual([[1], []]);
    calls.restoreEnded([1]);
    expect([calls.takeTimedOut(), calls.takeEnded()]).toEqual([[], [1]]);
  });

  it('begin without a lease of calls if they have a slot and no other waits for one', async () => {
    const calls = trackLeasedCalls(64);
    const begin = (id: number, tenant = 'a', destination = 'https://one') => calls.begin(jobOf(id, tenant, destination));
    // A tenant has a sixteenth of the free slots, a receiver half of all.
    expect([1, 2, 3, 4, 5].map((id) => begin(id))).toEqual([true, true, true, true, false]);
    expect([calls.running(), calls.ids()]).toEqual([4, [1, 2, 3, 4]]);
    for (let id = 10; id < 38; id++) expect(begin(id, `t${id}`)).toBe(true);
    expect([begin(40, 'b'), begin(41, 'b', 'https://two')]).toEqual([false, true]);
    calls.finish(jobOf(1, 'a', 'https://one'), true);
    calls.finish(jobOf(2, 'a', 'https://one'), false);
    expect([calls.takeEnded(), calls.running()]).toEqual([[1], 31]);
    const few = trackLeasedCalls(2);
    await lease(few, jobOf(1, 'a', 'https://one'));
    expect([few.begin(jobOf(2, 'a', 'https://one')), few.begin(jobOf(3, 'a', 'https://two'))]).toEqual([false, true]);
    expect([few.begin(jobOf(4, 'b', 'https://three')), few.begin(jobOf(5, 'c', 'https://four'))]).toEqual([true, false]);
  });
});
