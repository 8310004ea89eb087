/** Computes the rows of `work_unit_day`: all rows of a day and of its month again whenever a unit that was opened on it has changed. */
import { workUnitType } from '@cloudfit/contract/enums.ts';
import type { Db } from '../../../db/db.ts';
import type { Periodic } from '../../../jobs/schedule.ts';

/** How many days of tenants one transaction computes. */
const daysAtOnce = 100;

/**
 * Takes the newest days that are due, behind the day $1 of the tenant $2 if there is one. The rows of triggers and the changes that they note become visible together, so a later
 * statement sees everything that these rows stand for; what commits meanwhile has rows of its own.
 */
const takeDue = `with chosen as (select distinct day, tenant_id from work_unit_day_due
    where $1::date is null or day < $1::date or (day = $1::date and tenant_id > $2::uuid) order by day desc, tenant_id limit ${daysAtOnce}),
  taken as (delete from work_unit_day_due d using chosen c where d.day = c.day and d.tenant_id = c.tenant_id)
select coalesce(array_agg(tenant_id order by day desc, tenant_id), '{}') as "tenantIds",
  coalesce(array_agg(day::text order by day desc, tenant_id), '{}') as days from chosen`;

const removeDays = `delete from work_unit_day w using unnest($1::uuid[], $2::text[]::date[]) d (tenant_id, day) where w.tenant_id = d.tenant_id and w.day = d.day`;

/**
 * The first acknowledgement is an entry of the feed, and outlasts that the unit is opened again. `ended`: by work; a unit that was
 * canceled was not resolved. A target is breached once a clock of it was, and met once a clock of it has ended in time.
 */
const computeDays = `with unit as (
  select d.tenant_id, d.day, u.state_id not in ('Resolved', 'Closed', 'Canceled') as is_open, u.severity_id, u.work_unit_type_id, u.work_unit_category_id, u.rule_id, u.assigned_to,
    u.state_id in ('Resolved', 'Closed', 'Canceled') and a.at is null and not u.is_spam_call as is_unacknowledged,
    case when u.work_unit_type_id = ${workUnitType.changeRequest} then case
      when u.state_id not in ('Resolved', 'Closed', 'Canceled') then 'Open' when u.state_id = 'Canceled' then case when coalesce(u.declined1_by, u.declined2_by) is null then 'Canceled' else 'Declined' end
      when u.approval_overridden_by is null then 'Done' else 'DoneByOverride' end end as outcome,
    case when a.at is not null and not u.is_spam_call then greatest(0, extract(epoch from a.at - u.created))::int end as acknowledge,
    case when u.resolved is not null and not u.is_spam_call and u.state_id in ('Resolved', 'Closed') then greatest(0, extract(epoch from u.resolved - u.created))::int end as resolve,
    c.acknowledge_met, c.acknowledge_breached, c.resolve_met, c.resolve_breached
  from unnest($1::uuid[], $2::text[]::date[]) d (tenant_id, day)
  join work_unit u on u.tenant_id = d.tenant_id and u.created >= d.day::timestamp at time zone 'UTC' and u.created < (d.day + 1)::timestamp at time zone 'UTC'
  left join lateral (
    select min(n.created) as at from work_unit_note n where n.work_unit_id = u.work_unit_id and n.field = 'stateId' and n.new_value = 'Acknowledged'
  ) a on true
  left join lateral (
    select coalesce(bool_or(kind = 'Acknowledge' and state = 'Met'), false) as acknowledge_met, coalesce(bool_or(kind = 'Acknowledge' and breached is not null), false) as acknowledge_breached,
      coalesce(bool_or(kind = 'Resolve' and state = 'Met'), false) as resolve_met, coalesce(bool_or(kind = 'Resolve' and breached is not null), false) as resolve_breached
    from work_unit_clock k where k.work_unit_id = u.work_unit_id and kind in ('Acknowledge', 'Resolve')
  ) c on true
)
insert into work_unit_day (tenant_id, day, dimension, key, opened, open, unacknowledged, acknowledge_seconds, resolve_seconds,
  acknowledge_met, acknowledge_breached, resolve_met, resolve_breached)
select tenant_id, day, dimension, key, count(*), count(*) filter (where is_open), count(*) filter (where is_unacknowledged),
  coalesce(string_agg(int4send(acknowledge), ''), ''), coalesce(string_agg(int4send(resolve), ''), ''),
  count(*) filter (where acknowledge_met and not acknowledge_breached), count(*) filter (where acknowledge_breached),
  count(*) filter (where resolve_met and not resolve_breached), count(*) filter (where resolve_breached)
from unit cross join lateral (values ('tenant', tenant_id::text), ('category', coalesce(work_unit_category_id::text, '')), ('rule', coalesce(rule_id::text, '')),
  ('person', coalesce(lower(trim(assigned_to)), '')), ('severity', severity_id), ('type', work_unit_type_id::text), ('change', outcome)) g (dimension, key)
where key is not null
group by tenant_id, day, dimension, key`;

const months = `(select distinct tenant_id, date_trunc('month', day::timestamp)::date as month from unnest($1::uuid[], $2::text[]::date[]) d (tenant_id, day)) d`;

const removeMonths = `delete from work_unit_month w using ${months} where w.tenant_id = d.tenant_id and w.day = d.month`;

const addUpMonths = `insert into work_unit_month (tenant_id, day, dimension, key, opened, open, unacknowledged, acknowledge_seconds, resolve_seconds,
  acknowledge_met, acknowledge_breached, resolve_met, resolve_breached)
select w.tenant_id, d.month, w.dimension, w.key, sum(opened), sum(open), sum(unacknowledged), string_agg(acknowledge_seconds, ''), string_agg(resolve_seconds, ''),
  sum(acknowledge_met), sum(acknowledge_breached), sum(resolve_met), sum(resolve_breached)
from ${months} join work_unit_day w on w.tenant_id = d.tenant_id and w.day >= d.month and w.day < d.month + interval '1 month'
group by w.tenant_id, d.month, w.dimension, w.key`;

const noteTotals = `insert into work_unit_month_total_due (day) select distinct d.month from ${months} on conflict do nothing`;

/** Months wait this long, in which reports read the rows of the tenants, because units of the present month change all the time. */
const totalsAfter = '5 minutes';

const takeTotals = `delete from work_unit_month_total_due where since < now() - interval '${totalsAfter}' returning day::text`;

const removeTotals = 'delete from work_unit_month_total where day = any($1::text[]::date[])';

const addUpTotals = `insert into work_unit_month_total (day, dimension, key, opened, open, unacknowledged, acknowledge_seconds, resolve_seconds,
  acknowledge_met, acknowledge_breached, resolve_met, resolve_breached)
select day, dimension, key, sum(opened), sum(open), sum(unacknowledged), string_agg(acknowledge_seconds, ''), string_agg(resolve_seconds, ''),
  sum(acknowledge_met), sum(acknowledge_breached), sum(resolve_met), sum(resolve_breached)
from work_unit_month where day = any($1::text[]::date[]) group by day, dimension, key`;

/** One process computes at a time, so no row is replaced by an older one. The lock precedes the snapshots of what is read. */
const alone = "select pg_advisory_xact_lock(hashtextextended('work_unit_day', 425))";

interface DueDays {
  tenantIds: string[];
  days: string[];
}

interface TenantDay {
  tenantId: string;
  day: string;
}

/** Computes the next days that are due; returns the last of them when there may be more. */
async function countSome(db: Db, last: TenantDay | undefined): Promise<TenantDay | undefined> {
  return db.transaction(async (tx) => {
    await tx.query({ text: alone });
    const [due] = await tx.query<DueDays>({ name: 'take-unit-days', text: takeDue, values: [last?.day ?? null, last?.tenantId ?? null] });
    if (!due || due.days.length === 0) return undefined;
    const values = [due.tenantIds, due.days];
    await tx.query({ name: 'remove-unit-days', text: removeDays, values });
    await tx.query({ name: 'count-unit-days', text: computeDays, values });
    await tx.query({ name: 'remove-unit-months', text: removeMonths, values });
    await tx.query({ name: 'add-up-unit-months', text: addUpMonths, values });
    await tx.query({ name: 'note-unit-totals', text: noteTotals, values });
    const [tenantId, day] = [due.tenantIds.at(-1), due.days.at(-1)];
    return tenantId !== undefined && day !== undefined && due.days.length === daysAtOnce ? { tenantId, day } : undefined;
  });
}

/** Adds up the months of all tenants that have been due for some time. */
function addUpAllTenants(db: Db): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query({ text: alone });
    const due = await tx.query<{ day: string }>({ name: 'take-unit-totals', text: takeTotals });
    if (due.length === 0) return;
    const values = [due.map(({ day }) => day)];
    await tx.query({ name: 'remove-unit-totals', text: removeTotals, values });
    await tx.query({ name: 'add-up-unit-totals', text: addUpTotals, values });
  });
}

/**
 * Computes the days that are due, each once: one that becomes due again meanwhile is computed by the next run, so that days which change all
 * the time neither keep this run going nor hold up those of other tenants.
 */
export async function countUnitDays(db: Db): Promise<void> {
  let last: TenantDay | undefined;
  do last = await countSome(db, last);
  while (last);
  await addUpAllTenants(db);
}

export const countUnitDaysWork: Periodic = { name: 'count-unit-days', everyMs: 15_000, run: countUnitDays };
