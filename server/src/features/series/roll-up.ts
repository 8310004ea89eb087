/**
 * Computes the pages of metrics from packets. An hour of an entity is computed once after it is over, and again when packets
 * came late: ingest adds such hours to `series_due` in the transaction of the packets.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seriesLimits } from '@cloudfit/contract/actions/series/series.ts';
import { advisoryLocks } from '../../db/advisory-locks.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';

/** The number of hours of entities that are computed in one transaction, which takes some hundred milliseconds. */
const hoursAtOnce = 100;

/** From this number of due hours on, no further hour is closed until some of them are computed. */
const enoughDue = 20_000;

/** The duration of one run in milliseconds; the next run continues where it ended. */
const runMs = 10_000;

/** While other statements of this process wait for the database, the work pauses for this many times its own duration. */
const restTimes = 4;

/**
 * An hour is closed five minutes after its end. Until then ingest, by the database's clock, still accepts packets of the hour
 * as being in time, and a transaction that began earlier ends within that time. So each packet is either seen by the closing or
 * recorded as late.
 */
const closedAfter = `interval '5 minutes'`;

/** The first day with packets; without packets, the last hour that may be closed. Earlier hours are empty. */
const firstHour = `least(date_trunc('hour', now() - ${closedAfter}) - interval '1 hour', (
  select min(day) from generate_series(date_trunc('day', now()) - make_interval(days => $1::int), now(), interval '1 day') day
  cross join lateral (select from packet where timestamp >= day and timestamp < day + interval '1 day' limit 1) first))`;

/** The hour after the last closed one, if it is old enough to be closed. $1: days for which packets are kept. */
const nextText = `select hour from (select coalesce(closed_until, ${firstHour}) as hour from series_state for update) s
where hour + interval '1 hour' <= now() - ${closedAfter}`;

/**
 * Closes the hour $1. The hour is a parameter, because only then does PostgreSQL read the partition of its day alone: an hour that
 * comes from another part of the statement is compared with the packets of all days.
 */
const closeText = `with added as (
  insert into series_due (tenant_id, entity_id, hour)
  select l.tenant_id, l.entity_id, $1::timestamptz from latest_packet l where exists (
    select from packet p where p.entity_id = l.entity_id and p.timestamp >= $1::timestamptz and p.timestamp < $1::timestamptz + interval '1 hour')
)
update series_state set closed_until = $1::timestamptz + interval '1 hour'`;

// The aggregates of a slot at each level; the last value of several slots is that of the last slot.
const ofSlots = `min(min) as min, sum(sum) as sum, max(max) as max, (max(array[slot, last]))[2] as last, sum(count)::int as count`;
const arraysOf = (prefix: '' | 'ten_'): string =>
  (['slot', 'min', 'sum', 'max', 'last', 'count'] as const)
    .map((name) => `array_agg(${name} order by slot) as ${prefix}${name}s`)
    .join(', ');
const replaced = `slots = excluded.slots, mins = excluded.mins, sums = excluded.sums, maxs = excluded.maxs, lasts = excluded.lasts, counts = excluded.counts`;

/**
 * All slots of a day's page: the computed ones, and the stored ones that were not computed again. A server of the previous
 * version writes slots without squares; their squares are null.
 */
const hourSlots = `select tenant_id, entity_id, metric, page, slot, min, sum, max, last, count, square from hour
  union all
  select p.tenant_id, p.entity_id, p.metric, p.page, u.slot, u.min, u.sum, u.max, u.last, u.count, u.square
  from (select distinct tenant_id, entity_id, metric, page from hour) c join series_hour p using (tenant_id, entity_id, metric, page)
    cross join lateral unnest(p.slots, p.mins, p.sums, p.maxs, p.lasts, p.counts, case when cardinality(p.squares) = cardinality(p.slots) then p.squares end)
      as u (slot, min, sum, max, last, count, square)
  where not exists (select from hour n
    where n.tenant_id = p.tenant_id and n.entity_id = p.entity_id and n.metric = p.metric and n.page = p.page and n.slot = u.slot)`;

/** All slots of a month's page: the computed ones, and the stored ones that were not computed again. */
const daySlots = `select tenant_id, entity_id, metric, page, slot, min, sum, max, last, count from day
  union all
  select p.tenant_id, p.entity_id, p.metric, p.page, u.slot, u.min, u.sum, u.max, u.last, u.count
  from (select distinct tenant_id, entity_id, metric, page from day) c join series_day p using (tenant_id, entity_id, metric, page)
    cross join lateral unnest(p.slots, p.mins, p.sums, p.maxs, p.lasts, p.counts) as u (slot, min, sum, max, last, count)
  where not exists (select from day n
    where n.tenant_id = p.tenant_id and n.entity_id = p.entity_id and n.metric = p.metric and n.page = p.page and n.slot = u.slot)`;

// The sum of squared distances of readings from their mean, for a minute and for its hour. Numbers are bounded, so that the
// squares are finite.
const bounded = (number: string): string => `least(greatest(${number}, -1e140), 1e140)`;
const squareOfMinute = `count(*) * var_pop(${bounded('x')})`;
const squareOfHour = `select n, tenant_id, metric, sum(square + count * (${bounded('sum / count')} - ${bounded('mean')}) ^ 2) as square
  from (select n, tenant_id, metric, square, sum, count, sum(sum) over w / sum(count) over w as mean from minute window w as (partition by n, tenant_id, metric)) m
  group by 1, 2, 3`;

/**
 * Computes the pages of the first due hours from their packets, and returns how many hours were due. An existing slot is
 * replaced, never removed: when packets of its hour are missing, they were deleted by age. Sums are limited, so that they
 * stay finite. $1: the number of hours at once; $2: for how many days pages by minute are kept; $3: the maximum length of a
 * metric's name; $4: the maximum number of metrics of an entity in a month. Metrics above that number get no pages, and are
 * read from packets.
 */
const computeText = `with taken as (
  delete from series_due where series_due_id = any(array(
    select series_due_id from series_due where hour + interval '1 hour' <= now() - ${closedAfter} order by series_due_id limit $1::int))
  returning entity_id, hour
), target as materialized (
  select row_number() over ()::int as n, entity_id, hour from (select distinct entity_id, hour from taken) d
), reading as (
  select t.n, p.tenant_id, r.metric collate "C" as metric, p.slot, p.timestamp, p.received_timestamp, r.value::float8 as x
  from target t cross join lateral (
      select tenant_id, date_part('minute', timestamp)::smallint as slot, timestamp, received_timestamp, message from packet
      where entity_id = t.entity_id and timestamp >= t.hour and timestamp < t.hour + interval '1 hour' offset 0
    ) p cross join lateral (
      select 'Value' as metric, p.message -> 'Value' as value where jsonb_typeof(p.message -> 'Value') = 'number'
      union all
      select 'Metrics.' || e.key, e.value from jsonb_each(case jsonb_typeof(p.message -> 'Metrics') when 'object' then p.message -> 'Metrics' else '{}' end) e
      where jsonb_typeof(e.value) = 'number' and length(e.key) <= $3::int
    ) r
), found as materialized (
  select n, tenant_id, metric, slot, min(x) as min, sum(least(greatest(x, -1e300), 1e300)) as sum, max(x) as max,
    (array_agg(x order by timestamp desc, received_timestamp desc, x desc))[1] as last, count(*)::int as count, ${squareOfMinute} as square
  from reading group by 1, 2, 3, 4
), fresh as materialized (
  select distinct f.tenant_id, t.entity_id, date_trunc('month', t.hour) as month, f.metric
  from (select distinct n, tenant_id, metric from found) f join target t using (n)
  where not exists (select from series_day d
    where d.entity_id = t.entity_id and d.metric = f.metric and d.page = date_trunc('month', t.hour) and d.tenant_id = f.tenant_id)
), kept as materialized (
  select entity_id, month, (select count(*) from series_day d where d.entity_id = e.entity_id and d.page = e.month) as names
  from (select distinct entity_id, month from fresh) e
), refused as materialized (
  select tenant_id, entity_id, month, metric
  from (select f.*, k.names + row_number() over (partition by entity_id, month order by metric, tenant_id) as place from fresh f join kept k using (entity_id, month)) p
  where place > $4::int
), limited as (
  insert into series_limited (tenant_id, entity_id, month) select distinct tenant_id, entity_id, month from refused on conflict do nothing
), minute as materialized (
  select f.* from found f where not exists (select from refused r join target t using (entity_id)
    where t.n = f.n and r.month = date_trunc('month', t.hour) and r.metric = f.metric and r.tenant_id = f.tenant_id)
), minute_page as materialized (
  select n, tenant_id, metric, ${arraysOf('')} from minute group by 1, 2, 3
), ten as materialized (
  select n, tenant_id, metric, (slot / 10)::smallint as slot, ${ofSlots} from minute group by 1, 2, 3, slot / 10
), ten_page as materialized (
  select n, tenant_id, metric, ${arraysOf('ten_')} from ten group by 1, 2, 3
), hour as materialized (
  select h.tenant_id, t.entity_id, h.metric, date_trunc('day', t.hour) as page, date_part('hour', t.hour)::smallint as slot, h.min, h.sum, h.max, h.last, h.count, s.square
  from (select n, tenant_id, metric, ${ofSlots} from ten group by 1, 2, 3) h join (${squareOfHour}) s using (n, tenant_id, metric) join target t using (n)
), hour_slot as materialized (
  ${hourSlots}
), day as materialized (
  select tenant_id, entity_id, metric, date_trunc('month', page) as page, (date_part('day', page) - 1)::smallint as slot, ${ofSlots} from hour_slot group by tenant_id, entity_id, metric, hour_slot.page
), day_slot as (
  ${daySlots}
), minutes_written as (
  insert into series_minute (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts, ten_slots, ten_mins, ten_sums, ten_maxs, ten_lasts, ten_counts)
  select tenant_id, t.entity_id, metric, t.hour, slots, mins, sums, maxs, lasts, counts, ten_slots, ten_mins, ten_sums, ten_maxs, ten_lasts, ten_counts
  from minute_page join ten_page using (n, tenant_id, metric) join target t using (n) where t.hour >= current_date - $2::int
  on conflict (entity_id, metric, page, tenant_id) do update set ${replaced}, ten_slots = excluded.ten_slots, ten_mins = excluded.ten_mins,
    ten_sums = excluded.ten_sums, ten_maxs = excluded.ten_maxs, ten_lasts = excluded.ten_lasts, ten_counts = excluded.ten_counts
), hours_written as (
  insert into series_hour (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts, squares)
  select tenant_id, entity_id, metric, page, ${arraysOf('')}, array_agg(square order by slot) from hour_slot group by 1, 2, 3, 4
  on conflict (entity_id, metric, page, tenant_id) do update set ${replaced}, squares = excluded.squares
), days_written as (
  insert into series_day (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts)
  select tenant_id, entity_id, metric, page, ${arraysOf('')} from day_slot group by 1, 2, 3, 4
  on conflict (entity_id, metric, page, tenant_id) do update set ${replaced}
)
select count(*)::int as due from taken`;

interface PageRetention {
  /** Days for which packets, and pages by minute, are kept. */
  packetDays: number;
  minuteDays: number;
  /** Replaces the pause in tests. */
  rest?: (ms: number) => Promise<void>;
}

/**
 * Runs the work in one process at a time, so that a page is never replaced by an older state; returns undefined while another
 * process works.
 */
function alone<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T | undefined> {
  return db.transaction(async (tx) => {
    const [lock] = await tx.query<{ locked: boolean }>({ text: `select pg_try_advisory_xact_lock(${advisoryLocks.series}) as locked` });
    return lock?.locked ? work(tx) : undefined;
  });
}

/** Closes the next hour if it is old enough and fewer than `enoughDue` hours wait to be computed; returns whether it did. */
async function closeHour(tx: Db, packetDays: number): Promise<boolean> {
  const [waiting] = await tx.query<{ due: number }>({
    text: 'select count(*)::int as due from (select from series_due limit $1) d',
    values: [enoughDue],
  });
  if (waiting?.due === enoughDue) return false;
  const [next] = await tx.query<{ hour: string }>({ name: 'series-next', text: nextText, values: [packetDays] });
  if (!next) return false;
  await tx.query({ name: 'series-close', text: closeText, values: [next.hour] });
  return true;
}

async function computeHours(tx: Db, atOnce: number, minuteDays: number): Promise<number> {
  const [computed] = await tx.query<{ due: number }>({
    name: 'series-compute',
    text: computeText,
    values: [atOnce, minuteDays, seriesLimits.name, seriesLimits.metrics],
  });
  return computed?.due ?? 0;
}

/**
 * Moves the first due hour behind the others, so that an hour that cannot be computed does not block them. It stays due, so it
 * is read from its packets.
 */
const postponeText = `with first as (delete from series_due where series_due_id = (select min(series_due_id) from series_due) returning tenant_id, entity_id, hour)
insert into series_due (tenant_id, entity_id, hour) select tenant_id, entity_id, hour from first`;

/**
 * Runs the work; returns its result and duration, and whether other statements of the process ran in more than a quarter of
 * this time.
 */
async function watched<T>(
  database: Pick<Database, 'load'>,
  work: () => Promise<T>,
): Promise<{ result: T; tookMs: number; isBusy: boolean }> {
  let [looks, busy] = [0, 0];
  const look = (): void => {
    const { open, idle, waiting } = database.load();
    looks += 1;
    if (open - idle > 1 || waiting > 0) busy += 1;
  };
  const watch = setInterval(look, 10);
  const started = performance.now();
  try {
    const running = work();
    look();
    const result = await running;
    return { result, tookMs: performance.now() - started, isBusy: busy > looks / 4 };
  } finally {
    clearInterval(watch);
  }
}

/** Closes hours and computes pages until nothing is due or the time is over: at full speed while the database is idle. */
export async function rollUp(
  database: Pick<Database, 'scoped' | 'load'>,
  { packetDays, minuteDays, rest = sleep }: PageRetention,
): Promise<void> {
  const db = database.scoped('all');
  await db.query({ text: 'select keep_series_partitions($1)', values: [minuteDays] });
  const until = performance.now() + runMs;
  let atOnce = hoursAtOnce;
  for (let more = true; more && performance.now() < until;) {
    const closed = await alone(db, (tx) => closeHour(tx, packetDays));
    try {
      const { result, tookMs, isBusy } = await watched(database, () => alone(db, (tx) => computeHours(tx, atOnce, minuteDays)));
      more = closed === true || (result ?? 0) > 0;
      if (more && isBusy) await rest(tookMs * restTimes);
    } catch (error) {
      if (atOnce === 1) {
        await alone(db, (tx) => tx.query({ text: postponeText }));
        throw error;
      }
      // An hour with very many packets can take as long as a hundred other hours.
      atOnce = Math.ceil(atOnce / 10);
    }
  }
}

export function seriesWork(database: Database, retention: PageRetention): Periodic {
  return { name: 'series', everyMs: runMs, run: () => rollUp(database, retention) };
}
