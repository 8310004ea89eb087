/** Runs jobs: woken by notify, polling each second as a fallback, each job under a renewed lease. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { backoffMs, type Backoff } from '@cloudfit/contract/backoff.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database, Db } from '../db/connection.ts';
import type { Channel } from '../db/notify.ts';
import { trackLeasedJobs } from './leased-jobs.ts';
import { PermanentFailure, RetryLater, type JobRegistry } from './job.ts';
import {
  moveToDeadLetters,
  finishJobs,
  leaseSeconds,
  maxAttempts,
  releaseJobs,
  renewLeases,
  retryJob,
  leaseAbandonedJobs,
  leaseJobs,
  type LeasedJob,
} from './lease.ts';

export interface WorkerOptions {
  database: Database;
  log: Logger;
  jobs: JobRegistry;
  /** The ctx that a job runs with; its correlation id is that of the job's cause. */
  ctxFor: (job: { correlationId: string; tenantId: string | null }) => Ctx;
  concurrency?: number;
  pollMs?: number;
}

export interface Worker {
  /** Leases no more jobs, waits for those that run, and releases the other leases. */
  stop(): Promise<void>;
  running(): number;
}

const drainMs = 25_000;

export const jobBackoff: Backoff = { delaysMs: [10_000, 30_000, 120_000, 600_000, 3_600_000], jitter: [0.8, 1.2] };

/** Starts a worker. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { database, log, jobs, ctxFor } = options;
  const concurrency = options.concurrency ?? 8;
  const id = `${process.pid}.${randomUUID().slice(0, 8)}`;
  const db: Db = database.scoped('all');
  const leasedJobs = trackLeasedJobs(concurrency);
  const started = new Set<Promise<void>>();
  let stopping = false;
  /** A job may have become due since the last round leased jobs. */
  let wasNotified = false;
  /** The last round left due jobs for when a place is free. */
  let isMoreDue = false;
  let currentRound: Promise<void> | undefined;

  async function giveUp(leased: LeasedJob, error: string): Promise<void> {
    const job = jobs.get(leased.name);
    const payload = job?.schema.safeParse(leased.payload);
    if (job?.onDeadLetter && payload?.success) {
      const ctx = ctxFor({ correlationId: leased.correlation_id, tenantId: leased.tenant_id });
      await job
        .onDeadLetter(ctx, payload.data, error)
        .catch((cause: unknown) =>
          log.error({ err: cause, job: leased.name }, 'The end of a job that became a dead letter could not be recorded.'),
        );
    }
    await moveToDeadLetters(db, id, leased.job_id, error);
    log.error({ job: leased.name, jobId: leased.job_id, error }, 'A job failed in its last try and is a dead letter now.');
  }

  async function recordFailure(leased: LeasedJob, error: unknown): Promise<void> {
    const text = messageOf(error).slice(0, 2_000);
    if (error instanceof PermanentFailure || leased.attempts >= maxAttempts) return giveUp(leased, text);
    const delay = error instanceof RetryLater ? error.delayMs : backoffMs(leased.attempts, jobBackoff);
    log.warn(
      { job: leased.name, jobId: leased.job_id, attempt: leased.attempts, delayMs: Math.round(delay), error: text },
      'A job failed and will be tried again.',
    );
    await retryJob(db, id, leased.job_id, delay, text);
  }

  /** Answers whether the job is done, so that its row can be deleted. */
  async function run(leased: LeasedJob): Promise<boolean> {
    try {
      const job = jobs.get(leased.name);
      if (!job) throw new PermanentFailure(`No job is called ${leased.name}.`);
      const payload = job.schema.safeParse(leased.payload);
      if (!payload.success) throw new PermanentFailure(`The payload is not valid: ${payload.error.message}`);
      const ctx = ctxFor({ correlationId: leased.correlation_id, tenantId: leased.tenant_id });
      await job.run(ctx, payload.data, { number: leased.attempts, last: leased.attempts >= maxAttempts });
      return true;
    } catch (error) {
      // If this fails too, the lease expires and the job is leased again.
      await recordFailure(leased, error).catch((cause: unknown) =>
        log.error({ err: cause, jobId: leased.job_id }, 'The outcome of a job could not be recorded.'),
      );
      return false;
    }
  }

  function startNext(): void {
    for (let leased = stopping ? undefined : leasedJobs.next(); leased; leased = leasedJobs.next()) {
      const job = leased;
      const done = run(job).then((isDone) => {
        leasedJobs.finish(job, isDone);
        started.delete(done);
        startNext();
        wasNotified ||= isMoreDue;
        startRound();
      });
      started.add(done);
    }
  }

  /** Deletes jobs that have ended and leases as many as there are places for, in one statement. */
  async function runRound(): Promise<void> {
    const ended = leasedJobs.takeEnded();
    const { atMost, perTenant, busyTenants } = leasedJobs.room();
    const isLeasing = !stopping && wasNotified && atMost > 0;
    try {
      if (isLeasing) {
        wasNotified = false;
        const leased = await leaseJobs(db, { worker: id, atMost, perTenant, busyTenants, ended });
        leasedJobs.add(leased);
        const maxOfOne = Math.max(0, ...[...Map.groupBy(leased, (one) => one.tenant_id).values()].map((some) => some.length));
        // Otherwise nothing else is due, and the next job sends a notification.
        isMoreDue = leased.length === atMost || maxOfOne >= perTenant || busyTenants.length > 0;
      } else if (ended.length > 0) await finishJobs(db, id, ended);
    } catch (error) {
      // These jobs have run: a later round deletes their rows.
      leasedJobs.restoreEnded(ended);
      throw error;
    }
    startNext();
  }

  /** Runs one round at a time; jobs that end meanwhile are left to the next round. */
  function startRound(): void {
    currentRound ??= new Promise<void>((resolve) => void setImmediate(resolve)).then(runRound).then(
      () => {
        currentRound = undefined;
        if (leasedJobs.hasEnded() || (wasNotified && !stopping && leasedJobs.room().atMost > 0)) startRound();
      },
      (error: unknown) => {
        // The poll tries again.
        currentRound = undefined;
        log.error({ err: error }, 'Jobs could not be leased.');
      },
    );
  }

  function wake(): void {
    wasNotified = true;
    startRound();
  }

  async function poll(): Promise<void> {
    const timedOut = leasedJobs.takeTimedOut();
    if (timedOut.length > 0) await releaseJobs(db, id, timedOut);
    wake();
  }

  async function renew(): Promise<void> {
    const ids = leasedJobs.ids();
    if (ids.length > 0) await renewLeases(db, id, ids);
    for (const leased of await leaseAbandonedJobs(db, id)) await giveUp(leased, 'The worker stopped responding in the last try.');
  }

  const unlisten = await database.listen('jobs' satisfies Channel, wake);
  const polling = setInterval(
    () => void poll().catch((error: unknown) => log.error({ err: error }, 'Jobs could not be given back.')),
    options.pollMs ?? 1_000,
  );
  const renewal = setInterval(
    () => void renew().catch((error: unknown) => log.error({ err: error }, 'Leases could not be renewed.')),
    (leaseSeconds * 1_000) / 4,
  );

  return {
    running: leasedJobs.running,
    async stop() {
      stopping = true;
      clearInterval(polling);
      await unlisten();
      await currentRound;
      let timer: NodeJS.Timeout | undefined;
      const drainTimeout = new Promise((resolve) => (timer = setTimeout(resolve, drainMs)));
      await Promise.race([Promise.all(started), drainTimeout]);
      clearTimeout(timer);
      clearInterval(renewal);
      await currentRound;
      await finishJobs(db, id, leasedJobs.takeEnded());
      await releaseJobs(db, id);
    },
  };
}
