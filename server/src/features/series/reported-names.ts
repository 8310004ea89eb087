/** What an entity reports: names, last values, and whether it ever reported a name that somebody asks for. */
import { seriesLimits, type SeriesProblem } from '@cloudfit/contract/actions/series/series.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db, TenantScope } from '../../db/db.ts';
import type { MetricPlace } from './metric-name.ts';
import { pageName } from './read-pages.ts';
import type { SeriesTarget } from './read-packets.ts';

interface ReportedName extends MetricPlace {
  value: string | number | boolean;
  lastAt: string;
}

const parts = ['Value', 'Metrics', 'States', 'Properties'] as const;
const time = (at: string) => `to_char((${at}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastAt"`;

/**
 * The names and last values in packets: those of the last hour, because an entity may have several senders, of which one
 * reports each second; at least 200, for an entity that reports rarely; at most 4,000.
 */
const inPackets = `select r.part, r.key, (array_agg(r.value order by p.timestamp desc, p.packet_id desc))[1] as value, ${time('max(p.timestamp)')}
from (select timestamp, packet_id, message from packet where entity_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[])) order by timestamp desc
  limit (select greatest(200, least(4000, count(*))) from packet where entity_id = $1 and timestamp > $4::timestamptz - interval '65 minutes')) p
cross join lateral (
  select 'Value' as part, '' as key, p.message -> 'Value' as value
  union all select part, e.key, e.value from unnest(array['Metrics', 'States', 'Properties']) part
    cross join lateral jsonb_each(case jsonb_typeof(p.message -> part) when 'object' then p.message -> part else '{}' end) e
) r
where jsonb_typeof(r.value) in ('number', 'string', 'boolean')
group by r.part, r.key order by array_position(array['Value', 'Metrics', 'States', 'Properties'], r.part), r.key
limit $3`;

/** The numbers in pages of the last 31 days, with the hour of their last value. */
const inPages = `select case n.metric when 'Value' then 'Value' else 'Metrics' end as part, case n.metric when 'Value' then '' else substr(n.metric, 9) end as key,
  to_jsonb(h.lasts[cardinality(h.lasts)]) as value, ${time("h.page + h.slots[cardinality(h.slots)] * interval '1 hour'")}
from (select distinct metric from series_day where entity_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[])) and page > $4::timestamptz - interval '62 days') n
cross join lateral (
  select page, slots, lasts from series_hour where entity_id = $1 and metric = n.metric and ($2::uuid[] is null or tenant_id = any($2::uuid[]))
    and page > $4::timestamptz - interval '31 days' order by page desc limit 1
) h
limit $3`;

/** Returns what an entity reports, by part and name; one more than is listed when there are more. */
export async function reportedNames({ db, now }: Pick<Ctx, 'db' | 'now'>, tenants: TenantScope, entityId: string): Promise<ReportedName[]> {
  const values = [entityId, tenants === 'all' ? null : [...tenants], seriesLimits.metrics + 1, now()];
  const [fresh, stored] = await Promise.all([
    db.query<ReportedName>({ name: 'series-metrics', text: inPackets, values }),
    db.query<ReportedName>({ name: 'series-stored-metrics', text: inPages, values }),
  ]);
  const names = new Map([...stored, ...fresh].map((entry) => [`${entry.part}.${entry.key}`, entry]));
  return [...names.values()]
    .toSorted((a, b) => parts.indexOf(a.part) - parts.indexOf(b.part) || (a.key < b.key ? -1 : 1))
    .slice(0, seriesLimits.metrics + 1);
}

/** The numbers of packets among which a number, and a text, is looked for. Numbers before them are in pages; texts are in packets alone. */
const looked = { numbers: 200, texts: 2_000 } as const;

const reported = `select w.n, e.name as entity, p.packets, p.packets > 0 and (p.has or exists (
    select from series_day d where d.entity_id = w.entity_id and d.metric = w.stored and ($6::uuid[] is null or d.tenant_id = any($6::uuid[])))) as has
from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::text[]) as w (n, entity_id, part, key, stored)
left join lateral (
  select name from device where device_id = w.entity_id and ($6::uuid[] is null or tenant_id = any($6::uuid[]))
  union all select label from device_operation where device_operation_id = w.entity_id and ($6::uuid[] is null or tenant_id = any($6::uuid[]))
  union all select name from block where block_id = w.entity_id and ($6::uuid[] is null or tenant_id = any($6::uuid[]))
  limit 1
) e on true
cross join lateral (
  select count(*)::int as packets, coalesce(bool_or(case when w.part = 'Value' then message ? 'Value' else message -> w.part ? w.key end), false) as has
  from (select message from packet where entity_id = w.entity_id and ($6::uuid[] is null or tenant_id = any($6::uuid[])) order by timestamp desc
    limit case when w.stored is null then ${looked.texts} else ${looked.numbers} end) r
) p`;

/**
 * Returns the problems of series that have no values, by their index: there is no such entity, or it reports, but never this
 * name. An entity that has reported nothing has no problem, and neither has a text that could be further back than packets
 * are read here.
 */
export async function problemsOf(
  db: Db,
  tenants: TenantScope,
  empty: readonly { n: number; target: SeriesTarget; metric: string }[],
): Promise<ReadonlyMap<number, SeriesProblem>> {
  if (empty.length === 0) return new Map();
  const rows = await db.query<{ n: number; entity: string | null; packets: number; has: boolean }>({
    name: 'series-problems',
    text: reported,
    values: [
      empty.map((_one, at) => at),
      empty.map(({ target }) => target.entityId),
      empty.map(({ target }) => target.part),
      empty.map(({ target }) => target.key),
      empty.map(({ target }) => pageName(target) ?? null),
      tenants === 'all' ? null : [...tenants],
    ],
  });
  return new Map(
    rows.flatMap(({ n: at, entity, packets, has }): [number, SeriesProblem][] => {
      const one = empty[at];
      if (!one || has) return [];
      const { n, target, metric } = one;
      if (entity === null && packets === 0)
        return [[n, { code: 'UnknownEntity', message: `There is no device, device operation or block ${target.entityId}.` }]];
      const isAllRead = pageName(target) !== undefined || packets < looked.texts;
      return packets > 0 && isAllRead
        ? [[n, { code: 'UnknownMetric', message: `${entity ?? target.entityId} has not reported ${metric}.` }]]
        : [];
    }),
  );
}
