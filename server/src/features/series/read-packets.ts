/** Reads parts of series from the packets themselves. */
import type { SeriesBand } from '@cloudfit/contract/actions/series/series.ts';
import type { Db, TenantScope } from '../../db/db.ts';
import type { MetricPlace } from './metric-name.ts';

export interface SeriesTarget extends MetricPlace {
  entityId: string;
}

/** A part of a series; `n` is the index of the series in the answer. Times are epoch milliseconds; `to` is excluded. */
export interface SeriesPart {
  n: number;
  target: SeriesTarget;
  from: number;
  to: number;
}

/** Returns the first `from` and the last `to` of the parts. */
export function boundsOf(parts: readonly SeriesPart[]): [from: Date, to: Date] {
  return [new Date(Math.min(...parts.map(({ from }) => from))), new Date(Math.max(...parts.map(({ to }) => to)))];
}

/** The values of one part for one bucket. */
export interface PartialBucket {
  n: number;
  start: number;
  min: number;
  sum: number;
  max: number;
  last: number;
  /** The time of the last value, or of its slot. */
  lastAt: number;
  count: number;
}

/** A band of a series within one part; `gap` is the longest time between two readings that are still connected. */
export interface PartialBand extends Omit<SeriesBand, 'joined'> {
  n: number;
  gap: number;
}

/**
 * Parameters: $1 to $6: the parts; $7: tenants, null for all; $8: the step; $9 and $10: the first and last time of all
 * parts, so that the planner leaves out partitions of other days. A packet counts only for the tenant that its entity
 * belonged to when it was received. `offset 0` makes each part read its packets by their index; without it, the planner
 * reads all packets of those days once.
 */
const readings = `with part as (
  select n, entity_id, part, key, since, until
  from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[]) as p (n, entity_id, part, key, since, until)
), reading as (
  select s.n, round(date_part('epoch', p.timestamp) * 1000) as at, round(date_part('epoch', p.received_timestamp) * 1000) as received, p.packet_id,
    case when s.part = 'Value' then p.message -> 'Value' else p.message -> s.part -> s.key end as value
  from part s cross join lateral (
    select timestamp, received_timestamp, packet_id, message from packet p
    where p.entity_id = s.entity_id and p.timestamp >= s.since and p.timestamp < s.until and ($7::uuid[] is null or p.tenant_id = any($7::uuid[]))
      and p.timestamp >= $9::timestamptz and p.timestamp < $10::timestamptz offset 0
  ) p
)`;

/**
 * Aggregates the numbers by bucket. Of values with the same time, the last received one counts as the last. The sum stays
 * finite, whatever the numbers.
 */
const bucketsText = `${readings}
select n, floor(at / $8::float8) * $8::float8 as start, min(x) as min, sum(least(greatest(x, -1e300), 1e300)) as sum, max(x) as max,
  (max(array[at, received, x]))[3] as last, max(at) as "lastAt", count(*)::int as count
from (select n, at, received, value::float8 as x from reading where jsonb_typeof(value) = 'number') r
group by 1, 2`;

const bandsText = `${readings}, text_reading as (
  select n, at, value, lag(value) over in_order as before, at - lag(at) over in_order as distance, lead(at) over in_order as next
  from reading where jsonb_typeof(value) in ('string', 'boolean') window in_order as (partition by n order by at, received, packet_id)
), usual as materialized (
  select n, greatest(2 * $8::float8, 3 * coalesce(percentile_disc(0.5) within group (order by distance), 0)) as gap from text_reading group by n
), run as (
  select t.n, t.at, t.value, u.gap, case when t.next - t.at <= u.gap then t.next else t.at end as until,
    count(*) filter (where t.value is distinct from t.before or t.distance > u.gap) over (partition by t.n order by t.at rows unbounded preceding) as run
  from text_reading t join usual u using (n)
)
select n, min(at) as "from", max(until) as "to", (array_agg(value))[1] as value, max(gap) as gap from run group by n, run.run order by n, min(at), run.run`;

function valuesOf(tenants: TenantScope, parts: readonly SeriesPart[], step: number): unknown[] {
  return [
    parts.map(({ n }) => n),
    parts.map(({ target }) => target.entityId),
    parts.map(({ target }) => target.part),
    parts.map(({ target }) => target.key),
    parts.map(({ from }) => new Date(from)),
    parts.map(({ to }) => new Date(to)),
    tenants === 'all' ? null : [...tenants],
    step,
    ...boundsOf(parts),
  ];
}

export async function readPacketBuckets(
  db: Db,
  tenants: TenantScope,
  parts: readonly SeriesPart[],
  step: number,
): Promise<PartialBucket[]> {
  if (parts.length === 0) return [];
  return db.query<PartialBucket>({ name: 'series-packets', text: bucketsText, values: valuesOf(tenants, parts, step) });
}

/** Returns the bands of texts and booleans, in order. */
export async function readBands(db: Db, tenants: TenantScope, parts: readonly SeriesPart[], step: number): Promise<PartialBand[]> {
  if (parts.length === 0) return [];
  return db.query<PartialBand>({ name: 'series-bands', text: bandsText, values: valuesOf(tenants, parts, step) });
}
