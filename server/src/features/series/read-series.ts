/** Reads series from pages, and from packets where pages are not complete. */
import type { SeriesBand, SeriesBucket } from '@cloudfit/contract/actions/series/series.ts';
import type { Db, TenantScope } from '../../db/db.ts';
import { readBands, readPacketBuckets, type PartialBucket, type SeriesPart, type SeriesTarget } from './read-packets.ts';
import { pageName, readPages, readPagesState, withoutPages } from './read-pages.ts';
import { segmentsOf, type SeriesLevel, type SeriesSegment } from './segments.rules.ts';

/** Times are epoch milliseconds; `to` is excluded. */
export interface SeriesRange {
  from: number;
  to: number;
  step: number;
}

export interface ReadSeries {
  buckets: SeriesBucket[];
  bands: SeriesBand[];
  /** The longest time between two readings that a band connects; 0 without bands. */
  gap: number;
}

type PartsByLevel = Record<SeriesLevel, SeriesPart[]>;

function partsOf(
  targets: readonly SeriesTarget[],
  range: SeriesRange,
  segments: (n: number, entityId: string) => readonly SeriesSegment[],
): PartsByLevel {
  const parts: PartsByLevel = { packets: [], minutes: [], tens: [], hours: [], days: [] };
  for (const [n, target] of targets.entries()) {
    if (pageName(target) === undefined) parts.packets.push({ n, target, from: range.from, to: range.to });
    else for (const { level, from, to } of segments(n, target.entityId)) parts[level].push({ n, target, from, to });
  }
  return parts;
}

/** Adds the values of another part to a bucket. Parts do not overlap in time, so the last value is that of the later part. */
function add(bucket: PartialBucket, other: PartialBucket): void {
  bucket.min = Math.min(bucket.min, other.min);
  bucket.max = Math.max(bucket.max, other.max);
  bucket.sum += other.sum;
  bucket.count += other.count;
  // Two tenants may have pages of the same slot: then the larger last value counts.
  if (other.lastAt < bucket.lastAt || (other.lastAt === bucket.lastAt && other.last <= bucket.last)) return;
  bucket.last = other.last;
  bucket.lastAt = other.lastAt;
}

/** Combines the buckets of all parts; returns the buckets of each series in order of time. */
function merged(partial: readonly PartialBucket[]): SeriesBucket[][] {
  const series: Map<number, PartialBucket>[] = [];
  for (const one of partial) {
    const buckets = (series[one.n] ??= new Map<number, PartialBucket>());
    const bucket = buckets.get(one.start);
    if (bucket) add(bucket, one);
    else buckets.set(one.start, one);
  }
  return series.map((buckets) =>
    [...buckets.values()]
      .toSorted((a, b) => a.start - b.start)
      .map(({ start, min, sum, max, last, count }): SeriesBucket => [start, min, sum / count, max, last, count]),
  );
}

/** Returns the entities whose latest `Value` is a number: packets of this series are not searched for texts. */
async function numericValues(db: Db, targets: readonly SeriesTarget[]): Promise<ReadonlySet<string>> {
  const ids = targets.filter(({ part }) => part === 'Value').map(({ entityId }) => entityId);
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>({
    name: 'series-numeric-values',
    text: `select entity_id as id from latest_packet where entity_id = any($1::uuid[]) and jsonb_typeof(message -> 'Value') = 'number'`,
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Reads the series in the order of `targets`, limited to what was reported in these tenants. */
export async function readTargets(
  db: Db,
  tenants: TenantScope,
  targets: readonly SeriesTarget[],
  range: SeriesRange,
): Promise<ReadSeries[]> {
  const { from, to, step } = range;
  const [{ closedUntil, dueOf, limited }, numeric] = await Promise.all([
    readPagesState(db, [...new Set(targets.map(({ entityId }) => entityId))], range),
    numericValues(db, targets),
  ]);
  const unkept = limited.size > 0 ? await withoutPages(db, targets, range) : new Set<number>();
  const parts = partsOf(targets, range, (n, id) =>
    segmentsOf(range, { closedUntil: unkept.has(n) ? null : closedUntil, due: dueOf.get(id) ?? [] }),
  );
  const withBands = targets.flatMap((target, n): SeriesPart[] => {
    const hasBands = target.part === 'Value' ? !numeric.has(target.entityId) : target.part !== 'Metrics';
    return hasBands ? [{ n, target, from, to }] : [];
  });
  const [bands, ...partial] = await Promise.all([
    readBands(db, tenants, withBands, step),
    readPacketBuckets(db, tenants, parts.packets, step),
    ...(['minutes', 'tens', 'hours', 'days'] as const).map((level) => readPages(db, tenants, { level, parts: parts[level], step })),
  ]);
  const bucketsOf = merged(partial.flat());
  const bandsOf = Map.groupBy(bands, ({ n }) => n);
  return targets.map((_target, n): ReadSeries => {
    const ownBands = bandsOf.get(n) ?? [];
    return {
      buckets: bucketsOf[n] ?? [],
      bands: ownBands.map(({ from, to, value }) => ({ from, to, value })),
      gap: ownBands[0]?.gap ?? 0,
    };
  });
}
