/** Adds jobs in the caller's transaction, so that the job and its cause are written together or not at all. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';
import { currentTime } from '../platform/clock.ts';

export interface NewJob {
  name: string;
  payload: Record<string, unknown>;
  tenantId: string | null;
  correlationId: string;
  /** Earliest start; by default now. */
  runAt?: Date;
  /** While a job with this key is stored, a second one is not added. */
  onceKey?: string;
}

// Times are truncated, not rounded up: a worker that is woken at once must find the job due. `run_at` and `created` are
// truncated alike, because `resumeCalls` replaces one by the other, and the order of calls depends on it.
const dueNow = "date_trunc('milliseconds', now())";

const insert = `insert into job (name, payload, tenant_id, correlation_id, run_at, once_key, created)
select name, payload, tenant_id, correlation_id, coalesce(run_at, ${dueNow}), once_key, ${dueNow}
from jsonb_to_recordset($1::jsonb) as j (name text, payload jsonb, tenant_id uuid, correlation_id uuid, run_at timestamptz, once_key text)
on conflict (once_key) do nothing`;

/** Adds jobs with one statement. Wakes workers when one of the jobs is due now. */
export async function enqueueAll(db: Db, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    name: job.name,
    payload: job.payload,
    tenant_id: job.tenantId,
    correlation_id: job.correlationId,
    run_at: job.runAt?.toISOString(),
    once_key: job.onceKey,
  }));
  const due = jobs.some((job) => !job.runAt || job.runAt.getTime() <= currentTime());
  // In one transaction, so that no worker is woken before the job exists.
  await db.transaction(async (tx) => {
    await tx.defer({ name: 'job-insert', text: insert, values: [JSON.stringify(rows)] });
    if (due) await notify(tx, 'jobs');
  });
}

export function enqueue(db: Db, job: NewJob): Promise<void> {
  return enqueueAll(db, [job]);
}

/**
 * Returns the insert that adds a job, due now, for each of `rows`, as a part of a statement: `rows` is what it selects `tenant_id` and
 * `correlation_id` from. `name`, `payload` and `onceKey` are expressions. Workers are woken by a notification on `jobs`.
 */
export function jobsOf(rows: string, name: string, payload: string, onceKey = 'null'): string {
  return `insert into job (name, payload, tenant_id, correlation_id, run_at, once_key, created)
  select ${name}, ${payload}, tenant_id, correlation_id, ${dueNow}, ${onceKey}, ${dueNow} from ${rows} on conflict (once_key) do nothing`;
}

/** Returns SQL for the hook `along` of `Served`: adds a job in the statement that writes a row, and reads the row as `wire`. */
export async function enqueueAlong(
  db: Db,
  name: string,
  payload: RawBuilder<unknown>,
  correlationId: string,
): Promise<RawBuilder<unknown>> {
  await notify(db, 'jobs');
  return sql`insert into job (name, payload, tenant_id, correlation_id, run_at, created)
select ${name}, ${payload}, tenant_id, ${correlationId}::uuid, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) from wire`;
}

/**
 * Makes the calls that wait for this receiver due in the order in which they were queued, because the receiver answers again.
 */
export async function resumeCalls(db: Db, tenantId: string, destination: string): Promise<void> {
  await db.query({
    name: 'job-resume',
    text: `update job set run_at = created, last_error = coalesce(last_error, 'Waited until the receiver answered again.')
where tenant_id = $1 and destination = $2 and dead_at is null and (leased_until is null or leased_until < now())`,
    values: [tenantId, destination],
  });
  await notify(db, 'calls');
}
