/** Reads series from the packets themselves. */
import type { SeriesBand, SeriesBucket } from '@cloudfit/contract/actions/series/series.ts';
import type { Db, TenantScope } from '../../db/connection.ts';
import type { MetricPlace } from './metric-name.ts';

export interface SeriesTarget extends MetricPlace {
  entityId: string;
}

/** Times are epoch milliseconds; `to` is excluded. */
export interface SeriesRange {
  from: number;
  to: number;
  step: number;
}

export interface PacketSeries {
  buckets: SeriesBucket[];
  bands: SeriesBand[];
  /** The longest distance of two readings of a band; 0 without bands. */
  gap: number;
}

interface BucketRow {
  n: number;
  start: number;
  min: number;
  sum: number;
  max: number;
  last: number;
  count: number;
}

interface BandRow {
  n: number;
  from: number;
  to: number;
  value: string | boolean;
  gap: number;
}

/**
 * $1 to $3: entities, parts and keys; $4: tenants, null for all; $5, $6: the range; $7: the step. The tenants are those of the packets: what an entity
 * reported while it belonged to another tenant stays invisible.
 */
const readings = `with wanted as (
  select w.n::int, w.entity_id, w.part, w.key from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as w (entity_id, part, key, n)
), reading as materialized (
  select w.n, (extract(epoch from p.timestamp) * 1000)::float8 as at, (extract(epoch from p.received_timestamp) * 1000)::float8 as received, p.packet_id,
    case when w.part = 'Value' then p.message -> 'Value' else p.message -> w.part -> w.key end as value
  from wanted w join packet p on p.entity_id = w.entity_id
  where p.timestamp >= $5::timestamptz and p.timestamp < $6::timestamptz and ($4::uuid[] is null or p.tenant_id = any($4::uuid[]))
)`;

/** Of readings with the same time, the last is the one that was received last. */
const bucketsText = `${readings}
select n, floor(at / $7::float8) * $7::float8 as start, min(x) as min, sum(least(greatest(x, -1e300), 1e300)) as sum, max(x) as max, (max(array[at, received, x]))[3] as last, count(*)::int as count
from (select n, at, received, value::float8 as x from reading where jsonb_typeof(value) = 'number') r
group by 1, 2 order by 1, 2`;

const bandsText = `${readings}, text_reading as (
  select n, at, value, lag(value) over in_order as before, at - lag(at) over in_order as distance, lead(at) over in_order as next
  from reading where jsonb_typeof(value) in ('string', 'boolean') window in_order as (partition by n order by at, received, packet_id)
), usual as (
  select n, greatest(2 * $7::float8, 3 * coalesce(percentile_disc(0.5) within group (order by distance), 0)) as gap from text_reading group by n
), run as (
  select t.n, t.at, t.value, u.gap, case when t.next - t.at <= u.gap then t.next else t.at end as until,
    count(*) filter (where t.value is distinct from t.before or t.distance > u.gap) over (partition by t.n order by t.at rows unbounded preceding) as run
  from text_reading t join usual u using (n)
)
select n, min(at) as "from", max(until) as "to", (array_agg(value))[1] as value, max(gap) as gap from run group by n, run.run order by n, min(at), run.run`;

/** What the packets of a range say, in the order of `targets`. */
export async function readPackets(
  db: Db,
  tenants: TenantScope,
  targets: readonly SeriesTarget[],
  { from, to, step }: SeriesRange,
): Promise<PacketSeries[]> {
  const values = [
    targets.map((one) => one.entityId),
    targets.map((one) => one.part),
    targets.map((one) => one.key),
    tenants === 'all' ? null : [...tenants],
    new Date(from),
    new Date(to),
    step,
  ];
  const [bucketRows, bandRows] = await Promise.all([
    db.query<BucketRow>({ name: 'series-buckets', text: bucketsText, values }),
    db.query<BandRow>({ name: 'series-bands', text: bandsText, values }),
  ]);
  const results = targets.map((): PacketSeries => ({ buckets: [], bands: [], gap: 0 }));
  for (const { n, start, min, sum, max, last, count } of bucketRows)
    results[n - 1]?.buckets.push([start, min, sum / count, max, last, count]);
  for (const { n, gap, ...band } of bandRows) {
    const one = results[n - 1];
    one?.bands.push(band);
    if (one) one.gap = gap;
  }
  return results;
}
