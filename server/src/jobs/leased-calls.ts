/** The jobs that call out which a worker has leased. A call waits most of its time, so there is a slot for many; nobody has many of them. */
import type { Db } from '../db/connection.ts';
import type { LeasedJobs } from './leased-jobs.ts';
import { leaseCalls, type LeasedJob } from './lease.ts';

/**
 * A tenant may hold this part of the slots that are free: the more receivers hang, the less one more of them gets, and there are free
 * slots for a tenant whose receivers answer.
 */
const tenantPart = 1 / 16;
/** No receiver has more than this part of all slots, however many tenants call it. */
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
      // What is left depends on shares and circuits: each end of a call is a reason to look.
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
