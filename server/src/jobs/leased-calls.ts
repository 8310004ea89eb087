/**
 * The leased jobs of a worker that make outbound calls. A call spends most of its time waiting, so there are many slots; no
 * single tenant and no single receiver may occupy most of them.
 */
import type { Db } from '../db/db.ts';
import type { LeasedJobs } from './leased-jobs.ts';
import { leaseCalls, type LeasedJob } from './lease.ts';

/**
 * The share of the free slots that one tenant may occupy. The more slots slow receivers occupy, the fewer each further tenant
 * gets, so that some slots stay free for tenants whose receivers answer.
 */
const tenantPart = 1 / 16;
/** The share of all slots that one receiver may occupy, however many tenants call it. */
const destinationPart = 1 / 2;
/**
 * Calls that are leased ahead for each slot of a tenant if the receiver answers quickly, so that one statement serves several
 * calls.
 */
const aheadPerSlot = 3;
const quickMs = 250;
const maxWaitMs = 1_000;

interface TrackedJob {
  job: LeasedJob;
  pair: string;
  since: number;
}

export interface LeasedCalls extends LeasedJobs {
  /** Counts a call as running that was not leased as one. Returns false if it has no slot, or others wait for one. */
  begin(call: LeasedJob): boolean;
}

const pairOf = ({ tenant_id, destination }: LeasedJob): string => JSON.stringify([tenant_id, destination]);

export function trackLeasedCalls(slots: number): LeasedCalls {
  const running = new Map<number, TrackedJob>();
  /** Leased calls that have not begun. */
  let waiting: TrackedJob[] = [];
  let ended: number[] = [];
  /** Pairs of tenant and receiver whose last call was answered quickly and which still have calls. */
  const quick = new Set<string>();
  const perDestination = Math.max(1, Math.ceil(slots * destinationPart));
  const perTenant = (): number => Math.max(1, Math.ceil((slots - running.size) * tenantPart));
  const waitingOf = (pair: string): number => waiting.filter((waiter) => waiter.pair === pair).length;
  const count = (same: (job: LeasedJob) => boolean): number => [...running.values()].filter((item) => same(item.job)).length;
  const runningOf = ({ tenant_id }: LeasedJob): number => count((job) => job.tenant_id === tenant_id);
  const hasSlot = (call: LeasedJob): boolean =>
    running.size < slots && runningOf(call) < perTenant() && count((job) => job.destination === call.destination) < perDestination;
  const forget = (pair: string): void => {
    if (![...running.values(), ...waiting].some((candidate) => candidate.pair === pair)) quick.delete(pair);
  };

  return {
    begin(job) {
      const pair = pairOf(job);
      if (!hasSlot(job) || waitingOf(pair) > 0) return false;
      running.set(job.job_id, { job, pair, since: performance.now() });
      return true;
    },
    hasRoom: () => running.size < slots,
    // Whether more calls are due depends on shares, which a lease does not report. So the end of a call causes a new lease, unless more
    // calls of its tenant and receiver wait than may start.
    needsMore: (job) => waitingOf(pairOf(job)) <= perTenant(),
    async lease(db: Db, worker, done) {
      const counts = Map.groupBy([...running.values(), ...waiting], (item) => item.pair);
      const share = perTenant();
      const leased = await leaseCalls(db, {
        worker,
        atMost: slots - running.size,
        perTenant: share,
        perDestination,
        running: [...counts].map(([pair, [first, ...rest]]) => ({
          tenant_id: first?.job.tenant_id ?? '',
          destination: first?.job.destination ?? '',
          count: 1 + rest.length - (quick.has(pair) ? aheadPerSlot * share : 0),
        })),
        ended: done,
      });
      const since = performance.now();
      waiting.push(...leased.toSorted((a, b) => a.job_id - b.job_id).map((job) => ({ job, pair: pairOf(job), since })));
      // Without calls of its own, this worker had shares of every receiver, so it has left none that is due.
      return leased.length > 0 || counts.size > 0;
    },
    next() {
      if (running.size >= slots) return undefined;
      let best: TrackedJob | undefined;
      let fewest = Infinity;
      for (const [one] of Map.groupBy(waiting, (each) => each.pair).values()) {
        if (!one || !hasSlot(one.job)) continue;
        const ofTenant = runningOf(one.job);
        if (ofTenant < fewest) [best, fewest] = [one, ofTenant];
      }
      if (!best) return undefined;
      waiting = waiting.filter((waiter) => waiter !== best);
      running.set(best.job.job_id, { ...best, since: performance.now() });
      return best.job;
    },
    finish(job, isDone) {
      const ran = running.get(job.job_id);
      if (!ran) return;
      running.delete(job.job_id);
      if (isDone) ended.push(job.job_id);
      if (isDone && performance.now() - ran.since < quickMs) quick.add(ran.pair);
      else quick.delete(ran.pair);
      forget(ran.pair);
    },
    takeEnded() {
      const ids = ended;
      ended = [];
      return ids;
    },
    hasEnded: () => ended.length > 0,
    restoreEnded: (ids) => void ended.push(...ids),
    takeTimedOut() {
      const before = performance.now() - maxWaitMs;
      const timedOut = waiting.filter((waiter) => waiter.since < before);
      waiting = waiting.filter((waiter) => waiter.since >= before);
      for (const { pair } of timedOut) quick.delete(pair);
      return timedOut.map((item) => item.job.job_id);
    },
    ids: () => [...running.keys(), ...waiting.map((waiter) => waiter.job.job_id), ...ended],
    running: () => running.size,
  };
}
