/** Points of a chart: series of buckets as the columns that uPlot draws, with a gap where nothing was reported. */
import type { MetricUnit } from './number-text.ts';

/** Start in epoch milliseconds, minimum, average, maximum, last value, number of values. */
export type ValueBucket = readonly [start: number, min: number, avg: number, max: number, last: number, count: number];

export interface ChartSeries {
  id: string;
  label: string;
  unit: MetricUnit;
  buckets: readonly ValueBucket[];
  /** Two buckets that are further apart than this, in milliseconds, have a gap between them. */
  gap: number;
  /** Whether the series is drawn faintly and without its spread, such as the values of the week before. */
  faint?: boolean;
}

export interface ChartMark {
  id: string;
  kind: 'match' | 'unit' | 'maintenance' | 'outage';
  label: string;
  /** The page that explains the event. */
  href?: string | undefined;
  /** In epoch milliseconds. */
  from: number;
  /** The end; absent if the mark is a point in time. */
  to?: number | undefined;
}

/** The averages, minima or maxima of a series. Null is a gap; undefined is a time at which only other series have a point. */
type PlotColumn = (number | null | undefined)[];

/** The value; null, which is a gap, if a logarithmic scale cannot show it. */
const shown = (value: number, isLog: boolean) => (isLog && value <= 0 ? null : value);

/** Returns the times in seconds, then three columns for each series. */
export function toColumns(series: readonly ChartSeries[], isLog = false): [number[], ...PlotColumn[]] {
  const times = new Set<number>();
  for (const { buckets, gap } of series)
    for (const [at, [start]] of buckets.entries()) {
      const before = buckets[at - 1]?.[0];
      // Adds a point without a value, 1 ms after the last bucket before the gap.
      if (before !== undefined && start - before > gap) times.add(before + 1);
      times.add(start);
    }
  const sorted = [...times].toSorted((a, b) => a - b);
  const columns = series.flatMap(({ buckets, gap }): PlotColumn[] => {
    const byStart = new Map(buckets.map((bucket) => [bucket[0], bucket]));
    const gaps = new Set<number>();
    for (const [at, [start]] of buckets.entries()) {
      const before = buckets[at - 1]?.[0];
      if (before !== undefined && start - before > gap) gaps.add(before + 1);
    }
    return [2, 1, 3].map((part) =>
      sorted.map((time) => {
        const bucket = byStart.get(time);
        if (bucket) return shown(bucket[part] ?? 0, isLog);
        return gaps.has(time) ? null : undefined;
      }),
    );
  });
  return [sorted.map((time) => time / 1_000), ...columns];
}

/** Returns the places of values that no line reaches, because there is a gap, or nothing, on both of their sides. */
export function lonePoints(column: PlotColumn): number[] {
  const reported = [...column.entries()].filter(([, value]) => value !== undefined);
  return reported.flatMap(([at, value], n) => {
    const [before, after] = [reported[n - 1]?.[1] ?? null, reported[n + 1]?.[1] ?? null];
    return value !== null && before === null && after === null ? [at] : [];
  });
}

/** The last bucket that starts at or before a time; undefined if it starts more than `gap` before the time. */
export function bucketAt({ buckets, gap }: Pick<ChartSeries, 'buckets' | 'gap'>, time: number): ValueBucket | undefined {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((buckets[middle]?.[0] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  const nearest = buckets[low];
  return nearest && nearest[0] <= time && time - nearest[0] <= gap ? nearest : undefined;
}

export function extremesOf({ buckets }: Pick<ChartSeries, 'buckets'>): { min: number; max: number; last: number } | undefined {
  const last = buckets.at(-1);
  if (!last) return undefined;
  let [min, max] = [Infinity, -Infinity];
  for (const bucket of buckets) {
    min = Math.min(min, bucket[1]);
    max = Math.max(max, bucket[3]);
  }
  return { min, max, last: last[4] };
}
