/** Points of OTLP metrics as values of series. */
import type { Gathering } from '../../series/gather.ts';
import { goesOn, type SeriesPoint } from '../../series/memory.ts';
import { explicitBuckets, exponentialBuckets, quantileOf, quantiles, type HistogramBucket } from '../../series/quantiles.ts';
import type { OtlpMetric, OtlpMetricItem, OtlpPoint } from './model.ts';

/** Returns the point before this one of the same series. */
type PointBefore = (series: string, point: SeriesPoint) => SeriesPoint | undefined;

type MetricValues = Record<string, number | undefined>;

const isFinite = (entry: [string, number | undefined]): entry is [string, number] => Number.isFinite(entry[1]);
const finite = (values: MetricValues): Record<string, number> => Object.fromEntries(Object.entries(values).filter(isFinite));

const seconds = (from: number, to: number): number => (to - from) / 1_000;

/** What a counter grew by in a second: since the point before, since its reset, or in the interval of a delta. */
function rateOf(metric: OtlpMetric, point: OtlpPoint, value: number, before: SeriesPoint | undefined): number | undefined {
  if (metric.isDelta) return point.start > 0 && point.time > point.start ? value / seconds(point.start, point.time) : undefined;
  if (!before) return undefined;
  const current: SeriesPoint = { time: point.time, start: point.start, numbers: [value], shape: '' };
  if (goesOn(before, current)) return (value - (before.numbers[0] ?? 0)) / seconds(before.time, point.time);
  const since = Math.max(before.time, point.start);
  return point.time > since ? value / seconds(since, point.time) : undefined;
}

function ofNumber(
  metric: OtlpMetric,
  point: OtlpPoint,
  series: string,
  pointBefore: PointBefore,
): { values: MetricValues; derived: MetricValues } {
  const { value } = point;
  if (value === undefined || metric.kind !== 'sum' || !metric.isMonotonic) return { values: { '': value }, derived: {} };
  const before = metric.isDelta ? undefined : pointBefore(series, { time: point.time, start: point.start, numbers: [value], shape: '' });
  return { values: { '': value }, derived: { '.rate': rateOf(metric, point, value, before) } };
}

/** Counts by the index of their bucket, at a scale that may be lower than that of the point. */
function sparse({ offset, counts }: OtlpPoint['positive'], shift: number): Map<number, number> {
  const map = new Map<number, number>();
  for (const [at, count] of counts.entries())
    if (count > 0) {
      const index = (offset + at) >> shift;
      map.set(index, (map.get(index) ?? 0) + count);
    }
  return map;
}

const minus = (map: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): Map<number, number> =>
  new Map([...map].map(([index, count]) => [index, count - (other.get(index) ?? 0)]));

/** The point of an exponential histogram in the memory: zero count, then scale, offset and counts of both sides. */
const exponentialPoint = ({ time, start, zeroCount, scale, positive, negative }: OtlpPoint): SeriesPoint => ({
  time,
  start,
  numbers: [zeroCount, ...positive.counts, ...negative.counts],
  shape: JSON.stringify([scale, positive.offset, positive.counts.length, negative.offset, negative.counts.length]),
});

function ofExponential(point: OtlpPoint, before: SeriesPoint | undefined): HistogramBucket[] {
  const { zeroCount, scale, positive, negative } = point;
  const whole = () => exponentialBuckets(scale, zeroCount, sparse(positive, 0), sparse(negative, 0));
  if (!before || (before.start !== 0 && point.start !== 0 && before.start !== point.start)) return whole();
  const [scaleBefore, offset, length, negativeOffset] = JSON.parse(before.shape) as [number, number, number, number];
  // A sender lowers the scale when the values no longer fit into its buckets; it never raises it.
  const shift = scaleBefore - scale;
  if (shift < 0) return whole();
  const counts = before.numbers.slice(1);
  const [up, down] = [
    sparse({ offset, counts: counts.slice(0, length) }, shift),
    sparse({ offset: negativeOffset, counts: counts.slice(length) }, shift),
  ];
  const [ups, downs] = [minus(sparse(positive, 0), up), minus(sparse(negative, 0), down)];
  const zero = zeroCount - (before.numbers[0] ?? 0);
  return zero < 0 || [...ups.values(), ...downs.values()].some((count) => count < 0)
    ? whole()
    : exponentialBuckets(scale, zero, ups, downs);
}

function ofExplicit(point: OtlpPoint, before: SeriesPoint | undefined, current: SeriesPoint): HistogramBucket[] {
  const counts = before && goesOn(before, current) ? point.counts.map((count, at) => count - (before.numbers[at] ?? 0)) : point.counts;
  return explicitBuckets(point.bounds, counts);
}

/** Count and sum as they were sent, and quantiles of what came since the point before. */
function ofHistogram(
  metric: OtlpMetric,
  point: OtlpPoint,
  series: string,
  pointBefore: PointBefore,
): { values: MetricValues; derived: MetricValues } {
  const isExponential = metric.kind === 'exponentialHistogram';
  const current: SeriesPoint = isExponential
    ? exponentialPoint(point)
    : { time: point.time, start: point.start, numbers: point.counts, shape: point.bounds.join(' ') };
  const before = metric.isDelta ? undefined : pointBefore(series, current);
  const buckets = isExponential ? ofExponential(point, before) : ofExplicit(point, before, current);
  return {
    values: { '.count': point.count, '.sum': point.sum },
    derived: Object.fromEntries(quantiles.map((share) => [`.p${share * 100}`, quantileOf(buckets, share)])),
  };
}

const ofSummary = ({ count, sum, quantiles: list }: OtlpPoint): { values: MetricValues; derived: MetricValues } => ({
  values: {
    '.count': count,
    '.sum': sum,
    ...Object.fromEntries(list.map(([share, value]) => [`.p${Number((share * 100).toFixed(4))}`, value])),
  },
  derived: {},
});

/** Adds what an item says to the packets, or why it says nothing. */
export function addMetric(item: OtlpMetricItem, gathering: Gathering, pointBefore: PointBefore): void {
  const { resource, metric } = item;
  const refuse = (code: string, message: string): void => gathering.refuse(code, message, { resource, metric });
  if (metric.name === '') return refuse('NoMetricName', 'A metric has no name.');
  if ('fault' in item) return refuse('InvalidPoint', `${metric.name.slice(0, 200)}: ${item.fault}`);
  const { point } = item;
  if (point.isAbsent) return undefined;
  if (!(point.time > 0)) return refuse('InvalidTimestamp', `${metric.name.slice(0, 200)} has a point without timeUnixNano.`);
  const numbers = [point.value, point.sum, ...point.counts, ...point.positive.counts, ...point.negative.counts];
  if (numbers.some((number) => number === Infinity || number === -Infinity))
    return refuse('NotFinite', `${metric.name.slice(0, 200)} is infinite.`);
  if (point.counts.length > 0 && point.counts.length !== point.bounds.length + 1)
    return refuse('InvalidPoint', `${metric.name.slice(0, 200)} has ${point.counts.length} buckets for ${point.bounds.length} bounds.`);
  const isSeries = metric.kind === 'gauge' || metric.kind === 'summary' || metric.isDelta;
  const series = isSeries ? '' : JSON.stringify([resource, metric.name, point.attributes]);
  const { values, derived } =
    metric.kind === 'gauge' || metric.kind === 'sum'
      ? ofNumber(metric, point, series, pointBefore)
      : metric.kind === 'summary'
        ? ofSummary(point)
        : ofHistogram(metric, point, series, pointBefore);
  gathering.add({
    common: resource,
    pointLabels: point.attributes,
    name: metric.name,
    time: point.time,
    values: finite(values),
    derived: finite(derived),
  });
  return undefined;
}
