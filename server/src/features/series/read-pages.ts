/** Reads parts of series from pages, and which pages can be read. */
import { minuteMs, hourMs, dayMs } from '@cloudfit/contract/durations.ts';
import type { Db, TenantScope } from '../../db/db.ts';
import { boundsOf, type PartialBucket, type SeriesPart, type SeriesTarget } from './read-packets.ts';
import type { SeriesLevel } from './segments.rules.ts';

/** Which pages are complete: all before `closedUntil`, except for the due hours of each entity. */
interface PagesState {
  closedUntil: number | null;
  dueOf: ReadonlyMap<string, readonly number[]>;
  /** Entities that reported more names of metrics in a month of the range than are stored. */
  limited: ReadonlySet<string>;
}

/**
 * Returns which pages are complete. Call this before the pages are read: hours that become due after this call were reported
 * during the request.
 */
export async function readPagesState(
  db: Db,
  entityIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<PagesState> {
  const [state] = await db.query<{ closed_until: number | null; due: { id: string; hour: number }[]; limited: string[] }>({
    name: 'series-state',
    text: `select (extract(epoch from closed_until) * 1000)::float8 as closed_until, coalesce((
  select jsonb_agg(jsonb_build_object('id', entity_id, 'hour', (extract(epoch from hour) * 1000)::float8) order by hour)
  from (select distinct entity_id, hour from series_due where entity_id = any($1::uuid[]) and hour > $2::timestamptz - interval '1 hour' and hour < $3::timestamptz) d
), '[]') as due, array(
  select distinct entity_id from series_limited where entity_id = any($1::uuid[]) and month > $2::timestamptz - interval '31 days' and month < $3::timestamptz
) as limited from series_state`,
    values: [entityIds, new Date(from), new Date(to)],
  });
  const due = Map.groupBy(state?.due ?? [], ({ id }) => id);
  return {
    closedUntil: state?.closed_until ?? null,
    dueOf: new Map([...due].map(([id, hours]) => [id, hours.map(({ hour }) => hour)])),
    limited: new Set(state?.limited),
  };
}

/**
 * Returns the indices of the targets whose entity had too many names in a month of the range, and that have no page of that
 * month.
 */
export async function withoutPages(
  db: Db,
  targets: readonly SeriesTarget[],
  { from, to }: { from: number; to: number },
): Promise<ReadonlySet<number>> {
  if (targets.length === 0) return new Set();
  const rows = await db.query<{ n: number }>({
    name: 'series-without-pages',
    text: `select distinct w.n from unnest($1::int[], $2::uuid[], $3::text[]) as w (n, entity_id, metric) join series_limited l using (entity_id)
where l.month > $4::timestamptz - interval '31 days' and l.month < $5::timestamptz and not exists (
  select from series_day d where d.entity_id = w.entity_id and d.metric = w.metric and d.page = l.month and d.tenant_id = l.tenant_id)`,
    values: [
      targets.map((_target, n) => n),
      targets.map(({ entityId }) => entityId),
      targets.map((target) => pageName(target) ?? ''),
      new Date(from),
      new Date(to),
    ],
  });
  return new Set(rows.map(({ n }) => n));
}

const listNames = ['slots', 'mins', 'sums', 'maxs', 'lasts', 'counts'] as const;

type PageLevel = Exclude<SeriesLevel, 'packets'>;

/**
 * Returns the statement that reads the pages of parts. It returns the lists of a page as text: decoding the text here costs a
 * fraction of what a row for each slot would cost. $1: indices of the parts; $2 to $5: the parts; $6: tenants, null for all; $7
 * and $8: the first and last time of all parts, so that the planner leaves out partitions of other days.
 */
function pagesText(table: 'series_minute' | 'series_hour' | 'series_day', prefix: '' | 'ten_', page: string): string {
  const lists = listNames.map((name) => `p.${prefix}${name}::text as ${name}`).join(', ');
  return `select s.part, date_part('epoch', p.page) * 1000 as page, ${lists}
from unnest($1::int[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as s (part, entity_id, metric, since, until)
  join ${table} p on p.entity_id = s.entity_id and p.metric = s.metric and p.page >= date_trunc('${page}', s.since) and p.page < s.until
    and p.page > $7::timestamptz and p.page < $8::timestamptz
where $6::uuid[] is null or p.tenant_id = any($6::uuid[])`;
}

/** A page of the part with this index; its lists are texts as PostgreSQL writes them: `{1,2}`. */
interface PageRow extends Record<(typeof listNames)[number], string> {
  part: number;
  page: number;
}

const texts: Readonly<Record<PageLevel, string>> = {
  minutes: pagesText('series_minute', '', 'hour'),
  tens: pagesText('series_minute', 'ten_', 'hour'),
  hours: pagesText('series_hour', '', 'day'),
  days: pagesText('series_day', '', 'month'),
};

/** The lengths of a slot and of a page in milliseconds; a month has its longest length. */
const lengths: Readonly<Record<PageLevel, { slot: number; page: number }>> = {
  minutes: { slot: minuteMs, page: hourMs },
  tens: { slot: 10 * minuteMs, page: hourMs },
  hours: { slot: hourMs, page: dayMs },
  days: { slot: dayMs, page: 31 * dayMs },
};

const numbers = (list: string): number[] => JSON.parse(`[${list.slice(1, -1)}]`) as number[];

/**
 * Yields the slots of a page that lie within its part. A slot never crosses a bucket boundary: the step is a multiple of the
 * slot's length.
 */
function* slotsOf(row: PageRow, { n, from, to }: SeriesPart, slotMs: number, step: number): Generator<PartialBucket> {
  const [slots = [], mins = [], sums = [], maxs = [], lasts = [], counts = []] = listNames.map((name) => numbers(row[name]));
  for (const [i, slot] of slots.entries()) {
    const at = row.page + slot * slotMs;
    if (at < from || at >= to) continue;
    yield {
      n,
      start: Math.floor(at / step) * step,
      min: mins[i] ?? 0,
      sum: sums[i] ?? 0,
      max: maxs[i] ?? 0,
      last: lasts[i] ?? 0,
      lastAt: at,
      count: counts[i] ?? 0,
    };
  }
}

/** Returns the name under which pages store a metric; undefined for values without pages. */
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
  const [first, end] = boundsOf(parts);
  const rows = await db.query<PageRow>({
    name: `series-${level}`,
    text: texts[level],
    values: [
      parts.map((_part, number) => number),
      parts.map(({ target }) => target.entityId),
      parts.map(({ target }) => pageName(target)),
      parts.map(({ from }) => new Date(from)),
      parts.map(({ to }) => new Date(to)),
      tenants === 'all' ? null : [...tenants],
      new Date(first.getTime() - lengths[level].page),
      end,
    ],
  });
  return rows.flatMap((row) => {
    const part = parts[row.part];
    return part ? [...slotsOf(row, part, lengths[level].slot, step)] : [];
  });
}
