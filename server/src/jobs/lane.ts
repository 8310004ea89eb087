/** Runs one kind of jobs of a worker in rounds: leases due jobs, starts them, and deletes the rows of ended jobs. */
import type { Logger } from 'pino';
import type { Db } from '../db/db.ts';
import { finishJobs, releaseJobs, type LeasedJob } from './lease.ts';
import type { LeasedJobs } from './leased-jobs.ts';
import type { JobRunner } from './run-job.ts';

export interface Lane {
  /** Starts a round, because jobs may be due. */
  wake(): void;
  /** Treats a job as one of this lane that has started already. `ended`: whether it is done. */
  follow(job: LeasedJob, ended: Promise<boolean>): void;
  /** Releases jobs that have waited too long for a slot, and checks whether jobs are due. */
  poll(): Promise<void>;
  /** Ids of all jobs whose leases must be renewed. */
  ids(): number[];
  running(): number;
  /** Stops leasing, and waits until running jobs have ended or `timeout` has resolved. */
  stop(timeout: Promise<unknown>): Promise<void>;
}

export function openLane(options: { db: Db; worker: string; log: Logger; leasedJobs: LeasedJobs; runner: JobRunner }): Lane {
  const { db, worker, log, leasedJobs, runner } = options;
  const started = new Set<Promise<void>>();
  let stopping = false;
  /** Whether a job may have become due since the last round. */
  let wasNotified = false;
  /** Whether the last round left due jobs, which are leased when a slot is free. */
  let isMoreDue = false;
  let currentRound: Promise<void> | undefined;

  function startNext(): void {
    for (let job = stopping ? undefined : leasedJobs.next(); job; job = leasedJobs.next()) follow(job, runner.run(job));
  }

  function follow(job: LeasedJob, ended: Promise<boolean>): void {
    const done = ended.then((isDone) => {
      leasedJobs.finish(job, isDone);
      started.delete(done);
      startNext();
      wasNotified ||= isMoreDue && leasedJobs.needsMore(job);
      startRound();
    });
    started.add(done);
  }

  /**
   * Leases jobs if some may be due and there is room, deletes the rows of ended jobs in the same statement, and starts jobs.
   */
  async function runRound(): Promise<void> {
    const ended = leasedJobs.takeEnded();
    try {
      if (!stopping && wasNotified && leasedJobs.hasRoom()) {
        wasNotified = false;
        isMoreDue = await leasedJobs.lease(db, worker, ended);
      } else if (ended.length > 0) await finishJobs(db, worker, ended);
    } catch (error) {
      // These jobs have ended; the next round deletes their rows.
      leasedJobs.restoreEnded(ended);
      throw error;
    }
    startNext();
  }

  /** Runs one round at a time; jobs that end during a round are left to the next one. */
  function startRound(): void {
    currentRound ??= new Promise<void>((resolve) => void setImmediate(resolve)).then(runRound).then(
      () => {
        currentRound = undefined;
        if (leasedJobs.hasEnded() || (wasNotified && !stopping && leasedJobs.hasRoom())) startRound();
      },
      (error: unknown) => {
        // The next poll starts a new round.
        currentRound = undefined;
        log.error({ err: error }, 'Jobs could not be leased.');
      },
    );
  }

  function wake(): void {
    wasNotified = true;
    startRound();
  }

  return {
    wake,
    follow,
    async poll() {
      const timedOut = leasedJobs.takeTimedOut();
      if (timedOut.length > 0) await releaseJobs(db, worker, timedOut);
      wake();
    },
    ids: leasedJobs.ids,
    running: leasedJobs.running,
    async stop(timeout) {
      stopping = true;
      await currentRound;
      await Promise.race([Promise.all(started), timeout]);
      await currentRound;
      await finishJobs(db, worker, leasedJobs.takeEnded());
    },
  };
}
