/** Quantiles of histograms, interpolated within a bucket: linearly for explicit bounds, by the exponent for exponential ones. */

export const quantiles = [0.5, 0.95, 0.99] as const;

export interface HistogramBucket {
  lower: number;
  upper: number;
  count: number;
  isExponential?: boolean;
}

/** The buckets of explicit bounds; the first one begins at 0 unless its bound is negative, and the last one has no width. */
export function explicitBuckets(bounds: readonly number[], counts: readonly number[]): HistogramBucket[] {
  return counts.map((count, at) => {
    const highest = bounds.at(-1) ?? 0;
    const upper = bounds[at] ?? highest;
    const lower = at === 0 ? Math.min(0, upper) : (bounds[at - 1] ?? highest);
    return { lower, upper, count };
  });
}

/** Counts by the index of a bucket, which reaches from `base ** index` to `base ** (index + 1)`. */
type SparseCounts = ReadonlyMap<number, number>;

/** The buckets of an exponential histogram, from the most negative one. */
export function exponentialBuckets(scale: number, zero: number, positive: SparseCounts, negative: SparseCounts): HistogramBucket[] {
  const power = (index: number): number => 2 ** (index * 2 ** -scale);
  const ascending = [...positive].toSorted(([a], [b]) => a - b);
  const descending = [...negative].toSorted(([a], [b]) => b - a);
  return [
    ...descending.map(([index, count]) => ({ lower: -power(index + 1), upper: -power(index), count, isExponential: true })),
    { lower: 0, upper: 0, count: zero },
    ...ascending.map(([index, count]) => ({ lower: power(index), upper: power(index + 1), count, isExponential: true })),
  ];
}

function within({ lower, upper, isExponential }: HistogramBucket, share: number): number {
  if (!isExponential) return lower + (upper - lower) * share;
  if (lower > 0) return lower * (upper / lower) ** share;
  return upper * (lower / upper) ** (1 - share);
}

/** The value below which `share` of all counts lie; undefined when there are none. */
export function quantileOf(buckets: readonly HistogramBucket[], share: number): number | undefined {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (!(total > 0)) return undefined;
  const rank = total * share;
  let seenCount = 0;
  for (const bucket of buckets) {
    if (bucket.count <= 0) continue;
    if (seenCount + bucket.count >= rank) {
      const value = within(bucket, Math.max(0, (rank - seenCount) / bucket.count));
      return Number.isFinite(value) ? value : undefined;
    }
    seenCount += bucket.count;
  }
  return undefined;
}
