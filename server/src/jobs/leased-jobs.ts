/**
 * The leased jobs of a worker without outbound calls: running, waiting for a slot, or ended with the row still in the table.
 */
import type { Db } from '../db/db.ts';
import { leaseJobs, type LeasedJob, type LongJobs } from './lease.ts';

// Number of jobs leased in addition to the slots, if jobs take less than `smallMs`, so that one statement serves many. Slower
// jobs are left for a worker with a free slot.
const leasedAhead = 24;
const smallMs = 20;
const initialMs = 1_000;
const maxWaitMs = 1_000;

/** Jobs of one kind that a worker has leased. */
export interface LeasedJobs {
  hasRoom(): boolean;
  /** Whether the end of this job is a reason to lease more, if more were due. */
  needsMore(job: LeasedJob): boolean;
  /**
   * Leases as many jobs as there is room for, and deletes the rows of `ended` in the same statement. Returns whether more may
   * be due.
   */
  lease(db: Db, worker: string, ended: readonly number[]): Promise<boolean>;
  /** Returns the next job that may start, and counts it as running. */
  next(): LeasedJob | undefined;
  /** Records that the job has stopped running; with `isDone`, its row will be deleted. */
  finish(job: LeasedJob, isDone: boolean): void;
  /** Returns the ids of ended jobs and removes them from the list; `restoreEnded` adds them again. */
  takeEnded(): number[];
  hasEnded(): boolean;
  restoreEnded(ids: readonly number[]): void;
  /** Removes the jobs that waited too long for a slot and returns their ids; the caller releases their leases. */
  takeTimedOut(): number[];
  /** Ids of all jobs whose leases must be renewed. */
  ids(): number[];
  running(): number;
}

/** Tracks the leased jobs of a worker. No tenant has more than half of the slots. */
export function trackLeasedJobs(concurrency: number, long: LongJobs, unrecorded: readonly string[]): LeasedJobs {
  const share = Math.max(1, Math.ceil(concurrency / 2));
  const running = new Map<number, { tenant: string | null; since: number }>();
  const runningOf = new Map<string | null, number>();
  let waiting: { job: LeasedJob; since: number }[] = [];
  let ended: number[] = [];
  // Moving average of the time that a job takes. A new worker assumes slow jobs, so it leases no more than it can start.
  let typicalMs = initialMs;

  const count = (tenant: string | null, by: number): void => {
    runningOf.set(tenant, (runningOf.get(tenant) ?? 0) + by);
    if (runningOf.get(tenant) === 0) runningOf.delete(tenant);
  };
  const hasPlace = (tenant: string | null): boolean => tenant === null || (runningOf.get(tenant) ?? 0) < share;

  function room(): { atMost: number; perTenant: number; busyTenants: string[] } {
    const places = concurrency + (typicalMs < smallMs ? leasedAhead : 0);
    const perTenant = Math.max(1, Math.ceil(places / 2));
    const jobsPerTenant = new Map(runningOf);
    for (const { job } of waiting) jobsPerTenant.set(job.tenant_id, (jobsPerTenant.get(job.tenant_id) ?? 0) + 1);
    const busyTenants = [...jobsPerTenant].flatMap(([tenant, jobs]) => (tenant !== null && jobs >= perTenant ? [tenant] : []));
    return { atMost: Math.max(0, places - running.size - waiting.length), perTenant, busyTenants };
  }

  function next(): LeasedJob | undefined {
    if (running.size >= concurrency) return undefined;
    let best: { job: LeasedJob } | undefined;
    let fewest = Infinity;
    for (const one of waiting) {
      const jobs = runningOf.get(one.job.tenant_id) ?? 0;
      if (jobs < fewest && hasPlace(one.job.tenant_id)) [best, fewest] = [one, jobs];
    }
    if (!best) return undefined;
    const { job } = best;
    waiting = waiting.filter((waiter) => waiter !== best);
    running.set(job.job_id, { tenant: job.tenant_id, since: performance.now() });
    count(job.tenant_id, 1);
    return job;
  }

  async function lease(db: Db, worker: string, done: readonly number[]): Promise<boolean> {
    const request = room();
    const leased = await leaseJobs(db, { worker, ...request, long, unrecorded, ended: done });
    waiting.push(...leased.map((job) => ({ job, since: performance.now() })));
    const maxOfOne = Math.max(0, ...[...Map.groupBy(leased, (item) => item.tenant_id).values()].map((some) => some.length));
    // If none of these conditions holds, all due jobs were leased; the next new job sends a notification.
    return leased.length === request.atMost || maxOfOne >= request.perTenant || request.busyTenants.length > 0;
  }

  return {
    hasRoom: () => room().atMost > 0,
    needsMore: () => true,
    lease,
    next,
    finish: (job, isDone) => {
      const ran = running.get(job.job_id);
      if (!ran) return;
      running.delete(job.job_id);
      count(ran.tenant, -1);
      typicalMs = typicalMs * 0.9 + (performance.now() - ran.since) * 0.1;
      if (isDone) ended.push(job.job_id);
    },
    takeEnded: () => {
      const ids = ended;
      ended = [];
      return ids;
    },
    hasEnded: () => ended.length > 0,
    restoreEnded: (ids) => void ended.push(...ids),
    takeTimedOut: () => {
      const before = performance.now() - maxWaitMs;
      const timedOut = waiting.filter((waiter) => waiter.since < before).map((waiter) => waiter.job.job_id);
      if (timedOut.length > 0) typicalMs = initialMs;
      waiting = waiting.filter((waiter) => waiter.since >= before);
      return timedOut;
    },
    ids: () => [...running.keys(), ...waiting.map((waiter) => waiter.job.job_id), ...ended],
    running: () => running.size,
  };
}
