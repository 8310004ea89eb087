/** The rounds of one kind of jobs. Pure: the test supplies the jobs and their results. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Db } from '../db/db.ts';
import { openLane, type Lane } from './lane.ts';
import type { LeasedJob } from './lease.ts';
import { trackLeasedCalls } from './leased-calls.ts';

const jobOf = (job_id: number): LeasedJob => ({
  job_id,
  name: 'test',
  tenant_id: `t${job_id}`,
  payload: {},
  attempts: 1,
  correlation_id: 'c',
  destination: `https://${job_id}`,
  is_probe: false,
});

interface SentQuery {
  name?: string;
  values: readonly unknown[];
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Opens a lane over a queue of job ids; each job ends when the test ends it. */
function laneOver(queue: number[], slots = 2) {
  const sent: SentQuery[] = [];
  const ends = new Map<number, (isDone: boolean) => void>();
  const failures: Error[] = [];
  const db = {
    query: (statement: SentQuery) => {
      sent.push(statement);
      const failure = failures.shift();
      if (failure) return Promise.reject(failure);
      return Promise.resolve(statement.name?.startsWith('job-take') ? queue.splice(0, Number(statement.values[2])).map(jobOf) : []);
    },
  } as unknown as Db;
  const lane: Lane = openLane({
    db,
    worker: 'w1',
    log: pino({ level: 'silent' }),
    leasedJobs: trackLeasedCalls(slots),
    runner: {
      run: (job) => new Promise((resolve) => ends.set(job.job_id, resolve)),
      giveUp: () => Promise.resolve(),
    },
  });
  const names = () => sent.splice(0).map(({ name, values }) => `${name?.replace(/-\d+$/, '')} ${JSON.stringify(values[1])}`);
  return { lane, ends, failures, names };
}

describe('a lane', () => {
  it('leases nothing before it is woken, and once for many calls', async () => {
    const { lane, names } = laneOver([]);
    await settle();
    expect(names()).toEqual([]);
    for (let i = 0; i < 3; i += 1) lane.wake();
    await settle();
    expect(names()).toEqual(['job-take-calls []']);
  });

  it('starts what it leases, and fills the places of what ends', async () => {
    const { lane, ends, names } = laneOver([1, 2, 3]);
    lane.wake();
    await settle();
    expect([lane.running(), lane.ids()]).toEqual([2, [1, 2]]);
    names();
    ends.get(1)?.(true);
    await settle();
    expect(names()).toEqual(['job-take-calls [1]']);
    expect(lane.ids()).toEqual([2, 3]);
    ends.get(2)?.(false);
    await settle();
    expect(names()).toEqual(['job-take-calls []']);
    expect(lane.ids()).toEqual([3]);
  });

  it('looks again at a poll', async () => {
    const queue: number[] = [];
    const { lane } = laneOver(queue);
    lane.wake();
    await settle();
    queue.push(1);
    await lane.poll();
    await settle();
    expect(lane.ids()).toEqual([1]);
  });

  it('deletes what has run once the database answers again', async () => {
    const { lane, ends, failures, names } = laneOver([1]);
    lane.wake();
    await settle();
    names();
    failures.push(new Error('The connection is lost.'));
    ends.get(1)?.(true);
    await settle();
    expect(names()).toEqual(['job-take-calls [1]']);
    expect(lane.ids()).toEqual([1]);
    await lane.poll();
    await settle();
    expect(names()).toEqual(['job-take-calls [1]']);
    expect(lane.ids()).toEqual([]);
  });

  it('when it is stopped starts no more, waits for what runs, and deletes it', async () => {
    const { lane, ends, names } = laneOver([1, 2, 3]);
    lane.wake();
    await settle();
    names();
    let isOver = false;
    const stopped = lane.stop(new Promise(() => undefined)).then(() => (isOver = true));
    ends.get(1)?.(true);
    await settle();
    expect([isOver, lane.running()]).toEqual([false, 1]);
    ends.get(2)?.(true);
    await stopped;
    const statements = names();
    expect(statements.some((statement) => statement.startsWith('job-take'))).toBe(false);
    expect(statements.filter((statement) => statement.startsWith('job-finish')).length).toBeGreaterThan(0);
    expect([lane.ids(), lane.running()]).toEqual([[], 0]);
    lane.wake();
    await settle();
    expect([lane.running(), names()]).toEqual([0, []]);
  });

  it('is stopped without what does not end in time', async () => {
    const { lane } = laneOver([1]);
    lane.wake();
    await settle();
    await lane.stop(Promise.resolve());
    expect(lane.running()).toBe(1);
  });
});
