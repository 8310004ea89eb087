/**
 * The leased jobs of a worker that make outbound calls. A call mostly waits, so there are slots for many; no tenant and
 * no receiver may take many of them.
 */
import type { Db } from '../db/connection.ts';
import type { LeasedJobs } from './leased-jobs.ts';
import { leaseCalls, type LeasedJob } from './lease.ts';

/**
 * A tenant may take this share of the free slots: the more receivers hang, the fewer slots one more of them gets, so
 * that slots stay free for tenants whose receivers answer.
 */
const tenantPart = 1 / 16;
/** No receiver gets more than this share of all slots, however many tenants call it. */
const destinationPart = 1 / 2;

export function trackLeasedCalls(slots: number): LeasedJobs {
  const running = new Map<number, LeasedJob>();
  const starting: LeasedJob[] = [];
  let ended: number[] = [];
  const free = (): number => slots - running.size - starting.length;

  return {
    hasRoom: () => free() > 0,
    async lease(db: Db, worker, done) {
      const counts = Map.groupBy(running.values(), (job) => JSON.stringify([job.tenant_id, job.destination]));
      const leased = await leaseCalls(db, {
        worker,
        atMost: free(),
        perTenant: Math.max(1, Math.ceil(free() * tenantPart)),
        perDestination: Math.max(1, Math.ceil(slots * destinationPart)),
        running: [...counts.values()].map((jobs) => ({
          tenant_id: jobs[0]?.tenant_id ?? '',
          destination: jobs[0]?.destination ?? '',
          count: jobs.length,
        })),
        ended: done,
      });
      starting.push(...leased);
      // Which waiting jobs may start depends on shares and circuits, so each end of a call causes a new round.
      return true;
    },
    next() {
      const job = starting.shift();
      if (job) running.set(job.job_id, job);
      return job;
    },
    finish(job, isDone) {
      running.delete(job.job_id);
      if (isDone) ended.push(job.job_id);
    },
    takeEnded() {
      const ids = ended;
      ended = [];
      return ids;
    },
    hasEnded: () => ended.length > 0,
    restoreEnded: (ids) => void ended.push(...ids),
    takeTimedOut: () => [],
    ids: () => [...running.keys(), ...starting.map((job) => job.job_id), ...ended],
    running: () => running.size,
  };
}
