/** Runs jobs: woken by notify, polling each second as a fallback, each job under a renewed lease. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Ctx } from '../ctx.ts';
import type { Database, Db } from '../db/connection.ts';
import type { Channel } from '../db/notify.ts';
import { backoffMs } from './backoff.ts';
import { PermanentFailure, RetryLater, type JobRegistry } from './job.ts';
import {
  buryJob,
  finishJob,
  leaseSeconds,
  maxAttempts,
  releaseJobs,
  renewLeases,
  retryJob,
  sweepLost,
  takeJobs,
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
  /** Takes no more jobs, waits for those that run, gives the leases back. */
  stop(): Promise<void>;
  running(): number;
}

const drainMs = 25_000;

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2_000);
}

/** Starts taking jobs. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { database, log, jobs, ctxFor } = options;
  const concurrency = options.concurrency ?? 8;
  const perTenant = Math.max(1, Math.ceil(concurrency / 2));
  const id = `${process.pid}.${randomUUID().slice(0, 8)}`;
  const db: Db = database.scoped('all');
  const running = new Map<number, { tenant: string | null; done: Promise<void> }>();
  let stopping = false;
  let woken = false;
  let taking: Promise<void> | undefined;

  async function bury(leased: LeasedJob, error: string): Promise<void> {
    const job = jobs.get(leased.name);
    const payload = job?.schema.safeParse(leased.payload);
    if (job?.onDead && payload?.success) {
      const ctx = ctxFor({ correlationId: leased.correlation_id, tenantId: leased.tenant_id });
      await job
        .onDead(ctx, payload.data, error)
        .catch((cause: unknown) => log.error({ err: cause, job: leased.name }, 'The end of a dead job could not be recorded.'));
    }
    await buryJob(db, id, leased.job_id, error);
    log.error({ job: leased.name, jobId: leased.job_id, error }, 'A job is dead.');
  }

  async function settle(leased: LeasedJob, error: unknown): Promise<void> {
    const text = describe(error);
    if (error instanceof PermanentFailure || leased.attempts >= maxAttempts) return bury(leased, text);
    const delay = error instanceof RetryLater ? error.delayMs : backoffMs(leased.attempts);
    log.warn(
      { job: leased.name, jobId: leased.job_id, attempt: leased.attempts, delayMs: Math.round(delay), error: text },
      'A job failed and will be tried again.',
    );
    await retryJob(db, id, leased.job_id, delay, text);
  }

  async function run(leased: LeasedJob): Promise<void> {
    try {
      const job = jobs.get(leased.name);
      if (!job) throw new PermanentFailure(`No job is called ${leased.name}.`);
      const payload = job.schema.safeParse(leased.payload);
      if (!payload.success) throw new PermanentFailure(`The payload is not valid: ${payload.error.message}`);
      const ctx = ctxFor({ correlationId: leased.correlation_id, tenantId: leased.tenant_id });
      await job.run(ctx, payload.data, { number: leased.attempts, last: leased.attempts >= maxAttempts });
      await finishJob(db, id, leased.job_id);
    } catch (error) {
      // If even this fails the lease runs out, and the job is taken again.
      await settle(leased, error).catch((cause: unknown) =>
        log.error({ err: cause, jobId: leased.job_id }, 'The outcome of a job could not be recorded.'),
      );
    }
  }

  function start(leased: LeasedJob): void {
    const done = run(leased).finally(() => {
      running.delete(leased.job_id);
      wake();
    });
    running.set(leased.job_id, { tenant: leased.tenant_id, done });
  }

  function busyTenants(): string[] {
    const counts = new Map<string, number>();
    for (const { tenant } of running.values()) if (tenant) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= perTenant).map(([tenant]) => tenant);
  }

  async function takeWhileThereIsRoom(): Promise<void> {
    while (!stopping && woken) {
      woken = false;
      const room = concurrency - running.size;
      if (room <= 0) return;
      const taken = await takeJobs(db, { worker: id, atMost: room, perTenant, busyTenants: busyTenants() });
      for (const leased of taken) start(leased);
      if (taken.length > 0) woken = true;
    }
  }

  function wake(): void {
    woken = true;
    taking ??= takeWhileThereIsRoom()
      .catch((error: unknown) => log.error({ err: error }, 'Jobs could not be taken.'))
      .finally(() => {
        taking = undefined;
        // Woken between the last look and here.
        if (woken && !stopping && running.size < concurrency) setImmediate(wake);
      });
  }

  async function renew(): Promise<void> {
    if (running.size > 0) await renewLeases(db, id, [...running.keys()]);
    for (const leased of await sweepLost(db, id)) await bury(leased, 'The worker stopped responding in the last try.');
  }

  const unlisten = await database.listen('jobs' satisfies Channel, wake);
  const poll = setInterval(wake, options.pollMs ?? 1_000);
  const renewal = setInterval(
    () => void renew().catch((error: unknown) => log.error({ err: error }, 'Leases could not be renewed.')),
    (leaseSeconds * 1_000) / 4,
  );

  return {
    running: () => running.size,
    async stop() {
      stopping = true;
      clearInterval(poll);
      await unlisten();
      await taking;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => (timer = setTimeout(resolve, drainMs)));
      await Promise.race([Promise.all([...running.values()].map((one) => one.done)), patience]);
      clearTimeout(timer);
      clearInterval(renewal);
      await releaseJobs(db, id);
    },
  };
}
