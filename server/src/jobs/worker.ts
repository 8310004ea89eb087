/**
 * Runs jobs: notifications wake the worker, with a poll each second as a fallback. Each job has a renewed lease. Long jobs,
 * and outbound calls of tenants, have separate slots.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import type { Channel } from '../db/notify.ts';
import type { JobRegistry } from './job.ts';
import { openLane } from './lane.ts';
import { announceWorker } from './lost-workers.ts';
import { leaseAbandonedJobs, leaseSeconds, releaseJobs, renewLeases } from './lease.ts';
import { trackLeasedCalls } from './leased-calls.ts';
import { trackLeasedJobs } from './leased-jobs.ts';
import { jobRunner } from './run-job.ts';

export interface WorkerOptions {
  database: Database;
  log: Logger;
  jobs: JobRegistry;
  /** Host and data folder of the process; the leases of an earlier process with the same are freed at once. */
  dataFolder: string;
  /** The ctx that a job runs with; its correlation id is that of the job's cause. */
  ctxFor: (job: { correlationId: string; tenantId: string | null }) => Ctx;
  /** Maximum number of running jobs that are neither long nor make outbound calls. */
  concurrency?: number;
  /** Maximum number of running jobs with outbound calls. */
  callSlots?: number;
  pollMs?: number;
}

export interface Worker {
  /** Its id among the workers. */
  id: string;
  /** Stops leasing, waits for running jobs, and releases the other leases. */
  stop(): Promise<void>;
  running(): number;
}

const drainMs = 25_000;
/** Maximum number of long jobs that run at the same time: they use the processor, so more would delay everything else. */
const longSlots = 2;
/** Milliseconds after a notification until long jobs are leased; further notifications within that time are merged. */
const longDelayMs = 50;

/** Starts a worker. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { database, log } = options;
  const worker = `${process.pid}.${randomUUID().slice(0, 8)}`;
  const db: Db = database.scoped('all');
  const presence = await announceWorker(database, { worker, dataFolder: options.dataFolder, log });
  let isStopping = false;
  const leasedCalls = trackLeasedCalls(options.callSlots ?? 64);
  const runner = jobRunner({
    ...options,
    db,
    worker,
    followCall(call, ended) {
      const hasSlot = !isStopping && leasedCalls.begin(call);
      if (hasSlot) calls.follow(call, ended);
      return hasSlot;
    },
  });
  const namesOf = (isKind: 'isLong' | 'sendsUnrecorded') => [...options.jobs.values()].filter((job) => job[isKind]).map((job) => job.name);
  const [names, unrecorded] = [namesOf('isLong'), namesOf('sendsUnrecorded')];
  const laneOf = (slots: number, isTheirLane: boolean) =>
    openLane({ db, worker, log, runner, leasedJobs: trackLeasedJobs(slots, { names, isTheirLane }, unrecorded) });
  const inside = laneOf(options.concurrency ?? 8, false);
  const long = laneOf(longSlots, true);
  const calls = openLane({ db, worker, log, runner, leasedJobs: leasedCalls });
  const lanes = [inside, long, calls];

  async function renew(): Promise<void> {
    const ids = lanes.flatMap((lane) => lane.ids());
    if (ids.length > 0) await renewLeases(db, worker, ids);
    for (const leased of await leaseAbandonedJobs(db, worker))
      await runner.giveUp(leased, 'The worker stopped responding in the last try.');
  }

  let longWakeUp: NodeJS.Timeout | undefined;
  /** Most notifications are about other jobs; without the delay, each of them would also cause a lease of long jobs. */
  function wakeLong(): void {
    longWakeUp ??= setTimeout(() => {
      longWakeUp = undefined;
      long.wake();
    }, longDelayMs);
  }

  const unlisten = [
    await database.listen('jobs' satisfies Channel, inside.wake),
    await database.listen('jobs' satisfies Channel, wakeLong),
    await database.listen('calls' satisfies Channel, calls.wake),
  ];
  const polling = setInterval(() => {
    for (const lane of lanes) lane.poll().catch((error: unknown) => log.error({ err: error }, 'Jobs could not be given back.'));
  }, options.pollMs ?? 1_000);
  const renewal = setInterval(
    () => void renew().catch((error: unknown) => log.error({ err: error }, 'Leases could not be renewed.')),
    (leaseSeconds * 1_000) / 4,
  );

  return {
    id: worker,
    running: () => lanes.reduce((sum, lane) => sum + lane.running(), 0),
    async stop() {
      isStopping = true;
      clearInterval(polling);
      clearTimeout(longWakeUp);
      for (const end of unlisten) await end();
      let timer: NodeJS.Timeout | undefined;
      const drainTimeout = new Promise((resolve) => (timer = setTimeout(resolve, drainMs)));
      await Promise.all(lanes.map((lane) => lane.stop(drainTimeout)));
      clearTimeout(timer);
      clearInterval(renewal);
      await releaseJobs(db, worker);
      await presence.stop();
    },
  };
}
