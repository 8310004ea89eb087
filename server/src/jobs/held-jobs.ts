/** The jobs that a worker has leased: those that run, those that wait for a place, those that have ended and are still in the table. */
import type { LeasedJob } from './lease.ts';

// Small jobs are leased ahead, so that one statement serves many of them; large ones are left to whoever is free.
const ahead = 24;
const smallMs = 20;
const unknownMs = 1_000;
const patienceMs = 1_000;

export interface HeldJobs {
  /** How many more to lease, how many of one tenant, and of whom none. */
  room(): { atMost: number; perTenant: number; busyTenants: string[] };
  add(taken: readonly LeasedJob[]): void;
  /** The next job that may start, counted as running from here; nobody has more than half of the places. */
  next(): LeasedJob | undefined;
  /** It runs no more; `isDone` tells that its row is to go. */
  left(job: LeasedJob, isDone: boolean): void;
  /** Rows that are to go; they are forgotten unless they are given back with `keepEnded`. */
  takeEnded(): number[];
  hasEnded(): boolean;
  keepEnded(ids: readonly number[]): void;
  /** Jobs that have waited for too long, to be given back to the queue. */
  takeImpatient(): number[];
  /** Everything whose lease must go on. */
  ids(): number[];
  running(): number;
}

export function heldJobs(concurrency: number): HeldJobs {
  const share = Math.max(1, Math.ceil(concurrency / 2));
  const running = new Map<number, { tenant: string | null; since: number }>();
  const runningOf = new Map<string | null, number>();
  let waiting: { job: LeasedJob; since: number }[] = [];
  let ended: number[] = [];
  // Of late, weighted: a worker that knows nothing yet takes no more than it can start.
  let usualMs = unknownMs;

  const count = (tenant: string | null, by: number): void => {
    runningOf.set(tenant, (runningOf.get(tenant) ?? 0) + by);
    if (runningOf.get(tenant) === 0) runningOf.delete(tenant);
  };
  const mayStart = (tenant: string | null): boolean => tenant === null || (runningOf.get(tenant) ?? 0) < share;

  function room(): { atMost: number; perTenant: number; busyTenants: string[] } {
    const places = concurrency + (usualMs < smallMs ? ahead : 0);
    const perTenant = Math.max(1, Math.ceil(places / 2));
    const held = new Map(runningOf);
    for (const { job } of waiting) held.set(job.tenant_id, (held.get(job.tenant_id) ?? 0) + 1);
    const busyTenants = [...held].flatMap(([tenant, jobs]) => (tenant !== null && jobs >= perTenant ? [tenant] : []));
    return { atMost: Math.max(0, places - running.size - waiting.length), perTenant, busyTenants };
  }

  function next(): LeasedJob | undefined {
    if (running.size >= concurrency) return undefined;
    let best: { job: LeasedJob } | undefined;
    let fewest = Infinity;
    for (const one of waiting) {
      const jobs = runningOf.get(one.job.tenant_id) ?? 0;
      if (jobs < fewest && mayStart(one.job.tenant_id)) [best, fewest] = [one, jobs];
    }
    if (!best) return undefined;
    const { job } = best;
    waiting = waiting.filter((one) => one !== best);
    running.set(job.job_id, { tenant: job.tenant_id, since: performance.now() });
    count(job.tenant_id, 1);
    return job;
  }

  return {
    room,
    next,
    add: (taken) => waiting.push(...taken.map((job) => ({ job, since: performance.now() }))),
    left: (job, isDone) => {
      const ran = running.get(job.job_id);
      if (!ran) return;
      running.delete(job.job_id);
      count(ran.tenant, -1);
      usualMs = usualMs * 0.9 + (performance.now() - ran.since) * 0.1;
      if (isDone) ended.push(job.job_id);
    },
    takeEnded: () => {
      const ids = ended;
      ended = [];
      return ids;
    },
    hasEnded: () => ended.length > 0,
    keepEnded: (ids) => void ended.push(...ids),
    takeImpatient: () => {
      const before = performance.now() - patienceMs;
      const impatient = waiting.filter((one) => one.since < before).map((one) => one.job.job_id);
      if (impatient.length > 0) usualMs = unknownMs;
      waiting = waiting.filter((one) => one.since >= before);
      return impatient;
    },
    ids: () => [...running.keys(), ...waiting.map((one) => one.job.job_id), ...ended],
    running: () => running.size,
  };
}
