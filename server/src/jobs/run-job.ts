/** Runs one leased job and records how it ended. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import type { Logger } from 'pino';
import { backoffMs, type Backoff } from '@cloudfit/contract/backoff.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { NotDue, NotTried, PermanentFailure, RetryLater, type JobAttempt, type JobRegistry } from './job.ts';
import { keepAsCall, maxAttempts, moveToDeadLetters, moveToDestination, postponeJob, retryJob, type LeasedJob } from './lease.ts';

export const jobBackoff: Backoff = { delaysMs: [10_000, 30_000, 120_000, 600_000, 3_600_000], jitter: [0.8, 1.2] };

export interface JobRunner {
  /**
   * Runs the job. Returns whether it is done, so that its row can be deleted; also returns once the job has become a call, which
   * is followed by the lane of calls.
   */
  run(leased: LeasedJob): Promise<boolean>;
  /** Makes the job a dead letter. */
  giveUp(leased: LeasedJob, error: string): Promise<void>;
}

/** Follows a running job as a call. `ended`: whether it is done. Returns false if the call has no slot. */
export type FollowCall = (call: LeasedJob, ended: Promise<boolean>) => boolean;

export function jobRunner(options: {
  db: Db;
  /** Id of the worker that has leased the jobs. */
  worker: string;
  log: Logger;
  jobs: JobRegistry;
  ctxFor: (job: { correlationId: string; tenantId: string | null }) => Ctx;
  followCall: FollowCall;
}): JobRunner {
  const { db, worker, log, jobs, ctxFor, followCall } = options;

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
    await moveToDeadLetters(db, worker, leased.job_id, error);
    log.error({ job: leased.name, jobId: leased.job_id, error }, 'A job failed in its last try and is a dead letter now.');
  }

  async function recordFailure(leased: LeasedJob, error: unknown): Promise<void> {
    const text = startOf(messageOf(error), 2_000);
    if (error instanceof NotTried) {
      const waitsBecause = error.destination === leased.destination ? text : null;
      return moveToDestination(db, worker, leased.job_id, { destination: error.destination, series: error.series, waitsBecause });
    }
    if (error instanceof NotDue) return postponeJob(db, worker, leased.job_id, error.delayMs);
    if (error instanceof PermanentFailure || (leased.attempts >= maxAttempts && !leased.is_probe)) return giveUp(leased, text);
    const delayMs = error instanceof RetryLater ? error.delayMs : backoffMs(leased.attempts, jobBackoff);
    log.warn(
      { job: leased.name, jobId: leased.job_id, attempt: leased.attempts, delayMs: Math.round(delayMs), error: text },
      'A job failed and will be tried again.',
    );
    // A failed probe of an open circuit does not count as a try of its job.
    await retryJob(db, worker, leased.job_id, { delayMs, error: text, counts: !leased.is_probe });
  }

  /** Runs the job in its present slot; `takeCallSlot` sets `leased.destination`. */
  async function runOnce(leased: LeasedJob, takeCallSlot: JobAttempt['takeCallSlot']): Promise<boolean> {
    try {
      const job = jobs.get(leased.name);
      if (!job) throw new PermanentFailure(`No job is called ${leased.name}.`);
      const payload = job.schema.safeParse(leased.payload);
      if (!payload.success) throw new PermanentFailure(`The payload is not valid: ${payload.error.message}`);
      const ctx = ctxFor({ correlationId: leased.correlation_id, tenantId: leased.tenant_id });
      const { attempts: number } = leased;
      const last = number >= maxAttempts && !leased.is_probe;
      await job.run(ctx, payload.data, { number, last, lease: { jobId: leased.job_id, worker }, takeCallSlot });
      return true;
    } catch (error) {
      // If this fails too, the lease expires and the job is leased again.
      await recordFailure(leased, error).catch((cause: unknown) =>
        log.error({ err: cause, jobId: leased.job_id }, 'The outcome of a job could not be recorded.'),
      );
      return false;
    }
  }

  function run(job: LeasedJob): Promise<boolean> {
    const leased = { ...job };
    const left = Promise.withResolvers<boolean>();
    const ended: Promise<boolean> = runOnce(leased, async (destination, series, keep = keepAsCall) => {
      if (leased.destination === destination) return 'had';
      if (leased.destination !== null || leased.tenant_id === null) return 'none';
      const decided = Promise.withResolvers<boolean>();
      const endedAsCall = decided.promise.then((isCall) => isCall && ended);
      if (!followCall({ ...leased, destination }, endedAsCall)) return 'none';
      const slot = await keep(db, worker, leased.job_id, { destination, series }).catch((error: unknown) => {
        // The job has done nothing yet, so it is put back without a lost try.
        log.warn({ err: error, jobId: leased.job_id }, 'A job could not become a call.');
        return 'none' as const;
      });
      const isCall = slot !== 'none';
      decided.resolve(isCall);
      if (isCall) {
        leased.destination = destination;
        left.resolve(false);
      }
      return slot;
    });
    return Promise.race([ended, left.promise]);
  }

  return { run, giveUp };
}
