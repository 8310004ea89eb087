/** The statements of a worker on the queue, from the lease of a job to its end. */
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';
import type { CallSlot, KeepAsCall } from './job.ts';

export interface LeasedJob {
  job_id: number;
  name: string;
  tenant_id: string | null;
  payload: unknown;
  attempts: number;
  correlation_id: string;
  /** The origin that the job calls; null when the job makes no outbound call or has not run yet. */
  destination: string | null;
  /** Whether the call is a probe of an open circuit: if it fails, that does not count as a try of the job. */
  is_probe: boolean;
}

export const leaseSeconds = 60;
export const maxAttempts = 6;

const isFree = `j.dead_at is null and (j.leased_until is null or j.leased_until < now()) and j.attempts < ${maxAttempts} and j.job_id <> all($2::bigint[])`;
const isInside = 'j.destination is null';
// Jobs of a disabled tenant wait until it is enabled again.
const isOpen = 'not exists (select from tenant n where n.tenant_id = w.tenant_id and not n.enabled)';
const columns = 'j.job_id, j.name, j.tenant_id, j.payload, j.attempts, j.correlation_id, j.destination';
const ended = `ended as (
  delete from job where job_id = any($2::bigint[]) and leased_by = $1 returning name
)`;
const leased = `leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds', attempts = j.attempts + 1`;

/**
 * A lease chooses this many times the jobs that it takes, and then locks the first of them that no other worker has locked: so it locks no
 * job that it does not take, however many tenants have one, and two workers that look at the same moment both find some.
 */
const chosenTimes = 4;

/**
 * A lease steps from tenant to tenant, or from receiver to receiver, up to this many. Where there are more, it chooses among the oldest that are
 * due instead, of which it examines `examined`; fewer receivers, because the order of the calls of each is looked up. So it costs the same however many tenants
 * have jobs. It passes over `passed` jobs at most: those of tenants and receivers that already have their share, however large their backlogs.
 * Where that does not suffice, a second lease passes over what the first one has taken from, and a third steps through all.
 */
const stepped = 64;
const examined = { jobs: 1_000, receivers: 64 } as const;
const passed = 100_000;

/**
 * SQL: the due jobs of one kind, where `steps` has more than `stepped` rows; none when every tenant or receiver is stepped through (`isEvery`).
 * They are read in the order of the index, and no further than what reads them needs.
 */
const dueOfMany = (isEvery: boolean, steps: string, isKind: string, columns: string): string => `many as materialized (
  select ${isEvery ? 'false' : `(select count(*) from ${steps}) > ${stepped}`} as are_many
), due_of_many as materialized (
  select ${columns} from job j where (select are_many from many) and j.dead_at is null and ${isKind} and j.run_at <= now() and ${isFree}
  order by j.run_at, j.job_id limit ${passed}
), disabled_tenant as materialized (
  select tenant_id from tenant where not enabled
)`;

/** A job of a lease, or no job, and whether due jobs exist that were not examined. */
type LeaseResult = { [K in keyof LeasedJob]: LeasedJob[K] | null } & { is_partial: boolean };
type InsideResult = LeaseResult & { commits: string | null };
const leasedOf = (hasMore: string, update: string, also = ''): string =>
  `leased as (${update})
select l.*, case when ${hasMore} then true else (select count(*) from due_of_many) = ${passed} end as is_partial${also} from (values (1)) always left join leased l on true`;

/**
 * The commit of a lease does not wait for the disk unless a job that it takes or deletes sends something unrecorded: the commit of what a job
 * writes takes its lease to the disk as well, since it comes later in the same log.
 */
const commitsSoon = `, case when not exists (select from (table ended union all select name from leased) t where t.name = any($6::text[]))
  then set_config('synchronous_commit', 'off', true) end as commits`;

// Steps from tenant to tenant by the index, so that the backlog of one tenant does not hide the jobs of others. The rows are
// updated by a list of ids, so that the plan does not depend on statistics of a table whose size changes quickly. The limit is
// a literal, because PostgreSQL would plan a parameterised limit each time.
const leaseText = (perTenant: number, isOfLane: string, isEvery = false): string => `with recursive ${ended}, waiting as (
  (select j.tenant_id, 1 as step from job j where j.dead_at is null and ${isInside} and j.tenant_id is not null order by j.tenant_id limit 1)
  union all
  select (select j.tenant_id from job j where j.dead_at is null and ${isInside} and j.tenant_id > w.tenant_id order by j.tenant_id limit 1), step + 1
  from waiting w where w.tenant_id is not null${isEvery ? '' : ` and step <= ${stepped}`}
), ${dueOfMany(isEvery, 'waiting where tenant_id is not null', `${isInside} and j.tenant_id is not null`, `j.job_id, j.tenant_id, j.run_at, ${isOfLane} as is_of_lane`)}, oldest as materialized (
  select job_id, tenant_id, run_at from due_of_many
  where is_of_lane and tenant_id <> all($4::uuid[]) and tenant_id not in (table disabled_tenant) limit ${examined.jobs}
), turns as (
  select tenant_id from waiting w where not (select are_many from many) and tenant_id is not null and tenant_id <> all($4::uuid[]) and ${isOpen}
), own as (
  select p.job_id, p.run_at from turns t cross join lateral (
    select job_id, run_at from job j where j.tenant_id = t.tenant_id and ${isInside} and ${isOfLane} and j.run_at <= now() and ${isFree}
    order by j.run_at, j.job_id limit ${perTenant}) p
), of_oldest as (
  select job_id, run_at, row_number() over (partition by tenant_id order by run_at, job_id) as nth from oldest
), common as (
  select job_id, run_at from job j where j.tenant_id is null and ${isOfLane} and j.run_at <= now() and ${isFree}
  order by j.run_at, j.job_id limit ${perTenant}
), picked as (
  select job_id from (
    select * from own union all select * from common union all select job_id, run_at from of_oldest where nth <= ${perTenant}
  ) every_job order by run_at, job_id limit ${chosenTimes} * $3::int
), locked as (
  select j.job_id from job j where j.job_id = any(array(select job_id from picked)) and ${isFree} and j.run_at <= now()
  order by j.run_at, j.job_id limit $3 for update skip locked
), ${leasedOf(`(select count(*) from oldest) = ${examined.jobs}`, `update job j set ${leased} where j.job_id = any(array(select job_id from locked)) returning ${columns}, false as is_probe`, commitsSoon)}`;

export interface LeaseRequest {
  worker: string;
  atMost: number;
  perTenant: number;
  /** Tenants that already have their share of this worker's slots. */
  busyTenants: readonly string[];
  /** The names of long jobs, and whether to lease only these or only other jobs; long jobs have a separate lane. */
  long?: LongJobs;
  /** The names of jobs whose lease must be on disk before they run (`sendsUnrecorded`). */
  unrecorded?: readonly string[];
  /** Finished jobs of this worker, deleted by the same statement. */
  ended?: readonly number[];
}

export interface LongJobs {
  names: readonly string[];
  isTheirLane: boolean;
}

/** Leases due jobs without outbound calls or without a tenant, at most `perTenant` of each tenant, the oldest first. */
export function leaseJobs(db: Db, request: LeaseRequest): Promise<LeasedJob[]> {
  const { worker, perTenant, busyTenants, long, unrecorded = [], ended: done = [] } = request;
  const isOfLane = long?.isTheirLane ? 'j.name = any($5::text[])' : 'j.name <> all($5::text[])';
  const lane = `${long?.isTheirLane ? 'long-' : ''}${perTenant}`;
  return leaseUntilFull(request.atMost, (atMost, leasedJobs, isEvery) => {
    const busy = [...busyTenants, ...new Set(leasedJobs.flatMap((job) => job.tenant_id ?? []))];
    return db.query<InsideResult>({
      name: `job-take-${isEvery ? 'every-' : ''}${lane}`,
      text: leaseText(perTenant, isOfLane, isEvery),
      values: [worker, done, atMost, busy, long?.names ?? [], unrecorded],
    });
  });
}

/**
 * Leases jobs, and again where some that are due were not examined, with what was taken before: once more among the oldest, then among all.
 */
async function leaseUntilFull(
  atMost: number,
  lease: (atMost: number, leasedJobs: readonly LeasedJob[], isEvery: boolean) => Promise<LeaseResult[]>,
): Promise<LeasedJob[]> {
  const isJob = (row: LeaseResult): row is LeaseResult & LeasedJob => row.job_id !== null;
  const jobs: LeasedJob[] = [];
  for (let turn = 1; turn <= 3; turn++) {
    // The second one would look at the same again where the first one has taken nothing.
    if (turn === 2 && jobs.length === 0) continue;
    const rows = await lease(atMost - jobs.length, jobs, turn === 3);
    jobs.push(...rows.filter(isJob));
    if (!rows[0]?.is_partial || jobs.length >= atMost) break;
  }
  return jobs;
}

/** Number of calls to one receiver that a lease examines, in addition to those that may start. */
const lookAhead = 200;

/** The receivers of each tenant, or those of the oldest calls, and those whose circuit lets a probe through. */
const pairsText = (perTenant: number, isEvery: boolean): string => `waiting as (
  (select j.tenant_id, j.destination, 1 as step from job j where j.dead_at is null and j.destination is not null
    order by j.tenant_id, j.destination limit 1)
  union all
  select n.tenant_id, n.destination, w.step + 1 from waiting w cross join lateral (
    select j.tenant_id, j.destination from job j
    where j.dead_at is null and j.destination is not null and (j.tenant_id, j.destination) > (w.tenant_id, w.destination)
    order by j.tenant_id, j.destination limit 1) n${isEvery ? '' : ` where w.step <= ${stepped}`}
), ${dueOfMany(isEvery, 'waiting', 'j.destination is not null', 'j.tenant_id, j.destination, j.run_at')}, oldest_calls as materialized (
  select o.tenant_id, o.destination, o.run_at from due_of_many o left join of_tenant t using (tenant_id) left join of_destination d using (destination)
  where coalesce(t.count, 0) < ${perTenant} and coalesce(d.count, 0) < $5 and o.tenant_id not in (table disabled_tenant)
    and (o.tenant_id, o.destination) not in (select tenant_id, origin from destination where disabled is null and paused_until > now())
  limit ${examined.jobs}
), oldest as materialized (
  select tenant_id, destination from oldest_calls group by 1, 2 order by min(run_at) limit ${examined.receivers}
), pairs as (
  select tenant_id, destination from waiting where not (select are_many from many)
  union table oldest
  union select d.tenant_id, d.origin from destination d where (select are_many from many) and d.failures >= 4 and d.disabled is null
    and (d.paused_until is null or d.paused_until <= now())
    and exists (select from job j where j.tenant_id = d.tenant_id and j.destination = d.origin and j.dead_at is null)
)`;

/**
 * SQL: of all receivers, those that may get a call and have one that is due. The order of the calls of each is looked up, so a part of them is
 * chosen; by chance, so that none is always left out.
 */
const hasDueCall = (perTenant: number): string => `
    and not exists (select from of_tenant t where t.tenant_id = w.tenant_id and t.count >= ${perTenant})
    and not exists (select from of_destination o where o.destination = w.destination and o.count >= $5)
    and (d.failures >= 4 and d.disabled is null or exists (select from job j where j.tenant_id = w.tenant_id and j.destination = w.destination
      and j.dead_at is null and j.run_at <= now() and ${isFree}))
  order by random() limit ${8 * examined.receivers}`;

// While a circuit is open its calls are not leased, so that waiting uses no tries. When a probe is due, the first waiting call is leased, even if it is not due. Of waiting calls of a series, only the
// first starts, and only while no other call of the series runs; all other calls start when they are due. The first call of a
// series is determined before rows are locked, from all jobs of the receiver, including leased ones. A worker that finds the
// row locked or changed since leaves the series to the other worker, and never takes the next call of it. `failures >= 4` is an
// open circuit (`failuresToOpen`).
const leaseCallsText = (perTenant: number, isEvery: boolean): string => `with recursive ${ended}, running as (
  select * from jsonb_to_recordset($4::jsonb) as r (tenant_id uuid, destination text, count int)
), of_tenant as (
  select tenant_id, sum(count)::int as count from running group by tenant_id
), of_destination as (
  select destination, sum(count)::int as count from running group by destination
), ${pairsText(perTenant, isEvery)}, callable as (
  select w.tenant_id, w.destination, coalesce(d.failures >= 4 and d.disabled is null, false) as is_probe
  from pairs w left join destination d on d.tenant_id = w.tenant_id and d.origin = w.destination
  where ${isOpen} and (d.disabled is not null or d.paused_until is null or d.paused_until <= now())${isEvery ? hasDueCall(perTenant) : ''}
), startable as (
  select c.*, p.job_ids from callable c cross join lateral (
    select array_agg(first.job_id) as job_ids from (
      select s.job_id from (
        select f.job_id, f.is_free, f.run_at, row_number() over pair as nth, row_number() over (series order by f.run_at, f.job_id) as nth_of_series,
          bool_or(f.has_waited) over (series order by f.run_at, f.job_id) as has_waited,
          bool_or(f.is_leased) over series as is_held, bool_or(f.is_leased) over () as is_probed
        from (
          select j.job_id, j.run_at, coalesce(j.series, j.job_id::text) as series, ${isFree} as is_free, coalesce(j.leased_until > now(), false) as is_leased,
            j.last_error is not null as has_waited
          from job j where j.tenant_id = c.tenant_id and j.destination = c.destination and j.dead_at is null and j.job_id <> all($2::bigint[])
          order by j.run_at, j.job_id limit ${lookAhead + 4 * perTenant}) f
        window pair as (order by f.run_at, f.job_id), series as (partition by f.series)
      ) s
      where s.is_free and case when c.is_probe then s.nth = 1 and not s.is_probed
        else s.run_at <= now() and (not s.has_waited or s.nth_of_series = 1 and not s.is_held) end
      order by s.nth limit ${4 * perTenant}) first) p
), due as (
  select c.tenant_id, c.destination, c.is_probe, p.job_id, p.run_at from startable c cross join lateral (
    select j.job_id, j.run_at from job j
    where j.job_id = any(c.job_ids) and ${isFree} and (j.run_at <= now() or c.is_probe) order by j.run_at, j.job_id limit ${perTenant}) p
), allowed as (
  select r.*, row_number() over (partition by tenant_id order by run_at, job_id) + coalesce(t.count, 0) as nth_of_tenant,
    row_number() over (partition by destination order by run_at, job_id) + coalesce(d.count, 0) as nth_of_destination
  from due r left join of_tenant t using (tenant_id) left join of_destination d using (destination)
), picked as (
  select job_id, is_probe, nth_of_tenant from allowed where nth_of_tenant <= ${perTenant} and nth_of_destination <= $5
  order by nth_of_tenant, run_at, job_id limit ${chosenTimes} * $3::int
), locked as (
  select j.job_id, p.is_probe from picked p join job j on j.job_id = p.job_id where ${isFree} and (j.run_at <= now() or p.is_probe)
  order by p.nth_of_tenant, j.run_at, j.job_id limit $3 for update of j skip locked
), ${leasedOf(`(select count(*) from oldest) = ${examined.receivers} or (select count(*) from oldest_calls) = ${examined.jobs}`, `update job j set ${leased} from locked where j.job_id = locked.job_id returning ${columns}, locked.is_probe`)}`;

export interface CallLeaseRequest {
  worker: string;
  atMost: number;
  perTenant: number;
  perDestination: number;
  /** The number of this worker's leased calls per tenant and receiver; a lower number lets the worker lease calls ahead. */
  running: readonly { tenant_id: string; destination: string; count: number }[];
  ended?: readonly number[];
}

/**
 * Leases due jobs with outbound calls, at most `perTenant` of a tenant and `perDestination` of a receiver, tenants in turn;
 * also the first call of a circuit whose probe is due.
 */
export function leaseCalls(db: Db, request: CallLeaseRequest): Promise<LeasedJob[]> {
  const { worker, ended: done = [], atMost, perTenant, running, perDestination } = request;
  return leaseUntilFull(atMost, (limit, leasedJobs, isEvery) => {
    const added = leasedJobs.map(({ tenant_id, destination }) => ({ tenant_id, destination, count: 1 }));
    return db.query<LeaseResult>({
      name: `job-take-${isEvery ? 'every-call' : 'calls'}-${perTenant}`,
      text: leaseCallsText(perTenant, isEvery),
      values: [worker, done, limit, JSON.stringify([...running, ...added]), perDestination],
    });
  });
}

/** Renews the leases of these jobs, except of those that another worker has leased since. */
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

/** Puts a failed job back for a retry; `counts` says whether it has used up a try. */
export async function retryJob(
  db: Db,
  worker: string,
  id: number,
  { delayMs, error, counts = true }: { delayMs: number; error: string; counts?: boolean },
): Promise<void> {
  await db.query({
    name: 'job-retry',
    text: `update job set leased_by = null, leased_until = null, last_error = $3, run_at = now() + $4 * interval '1 millisecond',
  attempts = attempts - case when $5 then 0 else 1 end where job_id = $1 and leased_by = $2`,
    values: [id, worker, error, Math.round(delayMs), counts],
  });
}

/** Puts back a job that has done nothing, because it was not due yet. */
export async function postponeJob(db: Db, worker: string, id: number, delayMs: number): Promise<void> {
  await db.query({
    name: 'job-postpone',
    text: `update job set leased_by = null, leased_until = null, run_at = now() + $3 * interval '1 millisecond', attempts = attempts - 1
where job_id = $1 and leased_by = $2`,
    values: [id, worker, Math.round(delayMs)],
  });
}

/**
 * SQL that makes a leased job a call of a destination and renews its lease; returns whether no failure of the destination is stored. Does
 * nothing if other calls of its tenant wait there or the circuit counts failures: then the lease of calls decides what starts. Its first four
 * parameters are those of `keepAsCall`. `from`: a clause with rows without which it does nothing.
 */
export const keptAsCall = (
  from: string,
): string => `update job j set destination = $3, series = coalesce($4, j.series), leased_until = now() + interval '${leaseSeconds} seconds'${from}
where j.job_id = $1::bigint and j.leased_by = $2
  and not exists (select from destination d where d.tenant_id = j.tenant_id and d.origin = $3 and d.disabled is null)
  and not exists (select from job w where w.tenant_id = j.tenant_id and w.destination = $3 and w.dead_at is null
    and (w.last_error is not null or w.leased_until is null or w.leased_until < now()))
returning not exists (select from destination d where d.tenant_id = j.tenant_id and d.origin = $3) as is_closed`;

export const slotOf = (isClosed: boolean | null | undefined): CallSlot =>
  typeof isClosed === 'boolean' ? (isClosed ? 'new' : 'had') : 'none';

/**
 * Makes a leased job a call of this destination; returns `none` if it does not. The commit does not wait for the disk: the record of a
 * try, which is written before it sends, takes it there; and where it is lost in a crash of the database, the job has the lease of before.
 */
export const keepAsCall: KeepAsCall = async (db, worker, id, { destination, series }) => {
  const [call] = await db.query<{ is_closed: boolean | null; commits: string | null }>({
    name: 'job-keep-as-call',
    text: `${keptAsCall('')}, set_config('synchronous_commit', 'off', true) as commits`,
    values: [id, worker, destination, series ?? null],
  });
  return slotOf(call?.is_closed);
};

/** Puts back a job that has done nothing: it needs a slot of this destination, or its receiver's circuit is open. */
export async function moveToDestination(
  db: Db,
  worker: string,
  id: number,
  { destination, series, waitsBecause }: { destination: string; series?: string | undefined; waitsBecause: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.defer({
      name: 'job-to-calls',
      text: `update job set leased_by = null, leased_until = null, attempts = attempts - 1, destination = $3, last_error = coalesce($4, last_error),
  series = coalesce($5, series) where job_id = $1 and leased_by = $2`,
      values: [id, worker, destination, waitsBecause, series ?? null],
    });
    await notify(tx, 'calls');
  });
}

/** Stores the job as a dead letter. */
export async function moveToDeadLetters(db: Db, worker: string, id: number, error: string): Promise<void> {
  await db.query({
    name: 'job-dead-letter',
    text: 'update job set leased_by = null, leased_until = null, last_error = $3, dead_at = now() where job_id = $1 and leased_by = $2',
    values: [id, worker, error],
  });
}

/** Releases the jobs `ids`, or all leased jobs of the worker, as if they had never been leased. */
export async function releaseJobs(db: Db, worker: string, ids?: readonly number[]): Promise<void> {
  await db.query({
    text: `update job set leased_by = null, leased_until = null, attempts = attempts - 1
where leased_by = $1 and dead_at is null and ($2::bigint[] is null or job_id = any($2))`,
    values: [worker, ids ?? null],
  });
}

/**
 * Leases jobs whose worker was lost in the last try, to move them to the dead letters. Jobs with tries left are leased
 * normally.
 */
export function leaseAbandonedJobs(db: Db, worker: string): Promise<LeasedJob[]> {
  return db.query<LeasedJob>({
    name: 'job-sweep',
    text: `update job set leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds'
where job_id in (select job_id from job where dead_at is null and attempts >= ${maxAttempts} and leased_until < now() limit 100 for update skip locked)
returning job_id, name, tenant_id, payload, attempts, correlation_id, destination, false as is_probe`,
    values: [worker],
  });
}
