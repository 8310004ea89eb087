/** The statements of a worker on the queue: lease, renew, finish, retry, release, move to the dead letters. */
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

// Walks from tenant to tenant by the index, so that one tenant's backlog hides nobody's job. The rows are found
// by a list of ids, whatever the statistics say of a table that is empty now and full in a moment.
const isDue = `j.dead_at is null and j.run_at <= now() and (j.leased_until is null or j.leased_until < now()) and j.attempts < ${maxAttempts} and j.job_id <> all($4::bigint[])`;
// A limit that is written out: for one that is a parameter PostgreSQL would plan each time.
const leaseText = (perTenant: number): string => `with recursive ended as (
  delete from job where job_id = any($4::bigint[]) and leased_by = $1
), waiting as (
  (select tenant_id from job where dead_at is null and tenant_id is not null order by tenant_id limit 1)
  union all
  select (select j.tenant_id from job j where j.dead_at is null and j.tenant_id > w.tenant_id order by j.tenant_id limit 1)
  from waiting w where w.tenant_id is not null
), turns as (
  select tenant_id from waiting where tenant_id is not null and tenant_id <> all($3::uuid[])
), own as (
  select p.job_id, p.run_at from turns t cross join lateral (
    select job_id, run_at from job j where j.tenant_id = t.tenant_id and ${isDue}
    order by j.run_at, j.job_id limit ${perTenant} for update skip locked) p
), common as (
  select job_id, run_at from job j where j.tenant_id is null and ${isDue}
  order by j.run_at, j.job_id limit ${perTenant} for update skip locked
), picked as (
  select job_id from (select * from own union all select * from common) every_job order by run_at, job_id limit $2
)
update job set leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds', attempts = attempts + 1
where job_id = any(array(select job_id from picked))
returning job_id, name, tenant_id, payload, attempts, correlation_id`;

export interface LeaseRequest {
  worker: string;
  atMost: number;
  perTenant: number;
  /** Tenants that have their share of this worker already. */
  busyTenants: readonly string[];
  /** Jobs of this worker that are done, removed by the same statement. */
  ended?: readonly number[];
}

/** Leases due jobs, at most `perTenant` of each tenant, the oldest first. */
export function leaseJobs(db: Db, request: LeaseRequest): Promise<LeasedJob[]> {
  return db.query<LeasedJob>({
    name: `job-take-${request.perTenant}`,
    text: leaseText(request.perTenant),
    values: [request.worker, request.atMost, request.busyTenants, request.ended ?? []],
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

export async function finishJobs(db: Db, worker: string, ids: readonly number[]): Promise<void> {
  await db.query({
    name: 'job-finish',
    text: 'delete from job where job_id = any($1::bigint[]) and leased_by = $2',
    values: [ids, worker],
  });
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
export async function moveToDeadLetters(db: Db, worker: string, id: number, error: string): Promise<void> {
  await db.query({
    name: 'job-dead-letter',
    text: 'update job set leased_by = null, leased_until = null, last_error = $3, dead_at = now() where job_id = $1 and leased_by = $2',
    values: [id, worker, error],
  });
}

/** Gives back jobs that were taken and not finished, as if they had never been taken: these, or all that the worker has. */
export async function releaseJobs(db: Db, worker: string, ids?: readonly number[]): Promise<void> {
  await db.query({
    text: `update job set leased_by = null, leased_until = null, attempts = attempts - 1
where leased_by = $1 and dead_at is null and ($2::bigint[] is null or job_id = any($2))`,
    values: [worker, ids ?? null],
  });
}

/** Leases jobs whose worker was lost in their last try, to move them to the dead letters. After an earlier try they are leased again. */
export function leaseAbandonedJobs(db: Db, worker: string): Promise<LeasedJob[]> {
  return db.query<LeasedJob>({
    name: 'job-sweep',
    text: `update job set leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds'
where job_id in (select job_id from job where dead_at is null and attempts >= ${maxAttempts} and leased_until < now() limit 100 for update skip locked)
returning job_id, name, tenant_id, payload, attempts, correlation_id`,
    values: [worker],
  });
}
