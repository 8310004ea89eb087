/** Gaps between readings, and joining of bands when there are too many to draw. */
import { seriesLimits, type SeriesBand, type SeriesBucket } from '@cloudfit/contract/actions/series/series.ts';

/**
 * Returns the longest time over which two readings are connected: two steps, or three times the usual distance if that is
 * longer.
 */
export function gapOf(step: number, usual: number): number {
  return Math.max(2 * step, 3 * usual);
}

/**
 * Returns the usual time between two readings: the median, over neighbouring buckets, of the time between their starts divided
 * by the number of readings in the first one.
 */
export function usualDistance(buckets: readonly SeriesBucket[]): number {
  const distances = buckets.slice(1).map(([start], i) => {
    const [before, , , , , count] = buckets[i] as SeriesBucket;
    return (start - before) / count;
  });
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
}

/** Joins the bands that begin in the same step, if there are more bands than an answer lists. */
export function joinBands(bands: readonly SeriesBand[], step: number): SeriesBand[] {
  if (bands.length <= seriesLimits.bands) return [...bands];
  const joined: SeriesBand[] = [];
  for (const band of bands) {
    const last = joined.at(-1);
    if (last && Math.floor(last.from / step) === Math.floor(band.from / step))
      joined[joined.length - 1] = { ...band, from: last.from, joined: (last.joined ?? 0) + 1 };
    else joined.push(band);
  }
  return joined;
}
