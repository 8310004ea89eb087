/** Reads parts of series from pages, and which pages can be read. */
import type { Db, TenantScope } from '../../db/connection.ts';
import type { PartialBucket, SeriesPart, SeriesTarget } from './read-packets.ts';
import type { SeriesLevel } from './segments.rules.ts';

/** Which pages are complete: all before `closedUntil`, without the due hours of each entity. */
interface PagesState {
  closedUntil: number | null;
  dueOf: ReadonlyMap<string, readonly number[]>;
}

/** Read before the pages: what becomes due afterwards came during the call. */
export async function readPagesState(
  db: Db,
  entityIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<PagesState> {
  const [state] = await db.query<{ closed_until: number | null; due: { id: string; hour: number }[] }>({
    name: 'series-state',
    text: `select (extract(epoch from closed_until) * 1000)::float8 as closed_until, coalesce((
  select jsonb_agg(jsonb_build_object('id', entity_id, 'hour', (extract(epoch from hour) * 1000)::float8) order by hour)
  from (select distinct entity_id, hour from series_due where entity_id = any($1::uuid[]) and hour > $2::timestamptz - interval '1 hour' and hour < $3::timestamptz) d
), '[]') as due from series_state`,
    values: [entityIds, new Date(from), new Date(to)],
  });
  const due = Map.groupBy(state?.due ?? [], ({ id }) => id);
  return { closedUntil: state?.closed_until ?? null, dueOf: new Map([...due].map(([id, hours]) => [id, hours.map(({ hour }) => hour)])) };
}

type PageLevel = Exclude<SeriesLevel, 'packets'>;

/**
 * Slots of pages, merged into buckets. A slot lies in its bucket as a whole, because the step is a multiple of it. $1 to $5: the parts;
 * $6: tenants, null for all; $7: the step.
 */
function pagesText(table: 'series_minute' | 'series_hour' | 'series_day', prefix: '' | 'ten_', page: string, slotMs: number): string {
  return `with part as (
  select n, entity_id, metric, since, until, date_part('epoch', since) * 1000 as since_ms, date_part('epoch', until) * 1000 as until_ms
  from unnest($1::int[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as p (n, entity_id, metric, since, until)
), slot as (
  select s.n, s.since_ms, s.until_ms, date_part('epoch', p.page) * 1000 + u.slot * ${slotMs}::float8 as at, u.min, u.sum, u.max, u.last, u.count
  from part s join ${table} p on p.entity_id = s.entity_id and p.metric = s.metric and p.page >= date_trunc('${page}', s.since) and p.page < s.until
    cross join lateral unnest(p.${prefix}slots, p.${prefix}mins, p.${prefix}sums, p.${prefix}maxs, p.${prefix}lasts, p.${prefix}counts) as u (slot, min, sum, max, last, count)
  where $6::uuid[] is null or p.tenant_id = any($6::uuid[])
)
select n, floor(at / $7::float8) * $7::float8 as start, min(min) as min, sum(sum) as sum, max(max) as max, (max(array[at, last]))[2] as last,
  max(at) as "lastAt", sum(count)::int as count
from slot where at >= since_ms and at < until_ms group by 1, 2`;
}

const texts: Readonly<Record<PageLevel, string>> = {
  minutes: pagesText('series_minute', '', 'hour', 60_000),
  tens: pagesText('series_minute', 'ten_', 'hour', 600_000),
  hours: pagesText('series_hour', '', 'day', 3_600_000),
  days: pagesText('series_day', '', 'month', 86_400_000),
};

/** The name under which pages keep a metric; undefined for what has no pages. */
export function pageName({ part, key }: SeriesTarget): string | undefined {
  if (part === 'Value') return 'Value';
  return part === 'Metrics' ? `Metrics.${key}` : undefined;
}

export async function readPages(
  db: Db,
  tenants: TenantScope,
  { level, parts, step }: { level: PageLevel; parts: readonly SeriesPart[]; step: number },
): Promise<PartialBucket[]> {
  if (parts.length === 0) return [];
  return db.query<PartialBucket>({
    name: `series-${level}`,
    text: texts[level],
    values: [
      parts.map(({ n }) => n),
      parts.map(({ target }) => target.entityId),
      parts.map(({ target }) => pageName(target)),
      parts.map(({ from }) => new Date(from)),
      parts.map(({ to }) => new Date(to)),
      tenants === 'all' ? null : [...tenants],
      step,
    ],
  });
}
