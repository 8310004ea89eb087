/** The queue's rows as a worker handles them: take, renew, finish, put back, bury. */
import type { Db } from '../db/connection.ts';

export interface LeasedJob {
  job_id: number;
  name: string;
  tenant_id: string | null;
  payload: unknown;
  attempts: number;
  correlation_id: string;
}

export const leaseSeconds = 60;
export const maxAttempts = 6;

// Walks from tenant to tenant by the index, so that one tenant's backlog hides nobody's job.
const take = `with recursive waiting as (
  (select tenant_id from job where dead_at is null and tenant_id is not null order by tenant_id limit 1)
  union all
  select (select j.tenant_id from job j where j.dead_at is null and j.tenant_id > w.tenant_id order by j.tenant_id limit 1)
  from waiting w where w.tenant_id is not null
), turns as (
  select tenant_id from waiting where tenant_id is not null and tenant_id <> all($4::uuid[])
), own as (
  select p.job_id, p.run_at from turns t cross join lateral (
    select job_id, run_at from job j
    where j.tenant_id = t.tenant_id and j.dead_at is null and j.run_at <= now() and (j.leased_until is null or j.leased_until < now()) and j.attempts < ${maxAttempts}
    order by j.run_at, j.job_id limit $3 for update skip locked) p
), common as (
  select job_id, run_at from job j
  where j.tenant_id is null and j.dead_at is null and j.run_at <= now() and (j.leased_until is null or j.leased_until < now()) and j.attempts < ${maxAttempts}
  order by j.run_at, j.job_id limit $3 for update skip locked
), picked as (
  select job_id from (select * from own union all select * from common) every_job order by run_at, job_id limit $2
)
update job set leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds', attempts = attempts + 1
from picked where job.job_id = picked.job_id
returning job.job_id, job.name, job.tenant_id, job.payload, job.attempts, job.correlation_id`;

export interface Take {
  worker: string;
  atMost: number;
  perTenant: number;
  /** Tenants that have their share of this worker already. */
  busyTenants: readonly string[];
}

/** Leases due jobs, at most `perTenant` of each tenant. */
export function takeJobs(db: Db, wanted: Take): Promise<LeasedJob[]> {
  return db.query<LeasedJob>({
    name: 'job-take',
    text: take,
    values: [wanted.worker, wanted.atMost, wanted.perTenant, wanted.busyTenants],
  });
}

/** Prolongs the leases of jobs that still run; a job that another worker took meanwhile stays its own. */
export async function renewLeases(db: Db, worker: string, ids: readonly number[]): Promise<void> {
  await db.query({
    name: 'job-renew',
    text: `update job set leased_until = now() + interval '${leaseSeconds} seconds' where job_id = any($1) and leased_by = $2`,
    values: [ids, worker],
  });
}

export async function finishJob(db: Db, worker: string, id: number): Promise<void> {
  await db.query({ name: 'job-finish', text: 'delete from job where job_id = $1 and leased_by = $2', values: [id, worker] });
}

/** Puts a failed job back for a later try. */
export async function retryJob(db: Db, worker: string, id: number, delayMs: number, error: string): Promise<void> {
  await db.query({
    name: 'job-retry',
    text: `update job set leased_by = null, leased_until = null, last_error = $3, run_at = now() + $4 * interval '1 millisecond' where job_id = $1 and leased_by = $2`,
    values: [id, worker, error, Math.round(delayMs)],
  });
}

/** Keeps the job as a dead letter. */
export async function buryJob(db: Db, worker: string, id: number, error: string): Promise<void> {
  await db.query({
    name: 'job-bury',
    text: 'update job set leased_by = null, leased_until = null, last_error = $3, dead_at = now() where job_id = $1 and leased_by = $2',
    values: [id, worker, error],
  });
}

/** Gives back jobs that were taken and not finished, as if they had never been taken. */
export async function releaseJobs(db: Db, worker: string): Promise<void> {
  await db.query({
    text: `update job set leased_by = null, leased_until = null, attempts = attempts - 1 where leased_by = $1 and dead_at is null`,
    values: [worker],
  });
}

/** Jobs whose worker was lost in their last try, leased to bury them. Lost earlier tries are simply taken again. */
export function sweepLost(db: Db, worker: string): Promise<LeasedJob[]> {
  return db.query<LeasedJob>({
    name: 'job-sweep',
    text: `update job set leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds'
where job_id in (select job_id from job where dead_at is null and attempts >= ${maxAttempts} and leased_until < now() limit 100 for update skip locked)
returning job_id, name, tenant_id, payload, attempts, correlation_id`,
    values: [worker],
  });
}
