/** A small line without axes, as SVG: fifty of them in a list need no canvas and no library. */
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { numberText } from './number-text.ts';
import { extremesOf, type ChartSeries } from './points.ts';
import './sparkline.css';

interface SparklineProps {
  series: ChartSeries;
  /** In epoch milliseconds. */
  from: number;
  to: number;
}

const [width, height, edge] = [100, 24, 1.5];

/** The points as an SVG path; a gap starts a new part. */
export function sparkPath({ buckets, gap, unit }: ChartSeries, from: number, to: number): string {
  const values = buckets.map((bucket) => bucket[2]);
  const low = unit === 'percent' ? 0 : Math.min(...values);
  const high = unit === 'percent' ? 100 : Math.max(...values);
  const y = (value: number) => (high > low ? height - edge - ((value - low) / (high - low)) * (height - 2 * edge) : height / 2);
  return buckets
    .map((bucket, at) => {
      const before = buckets[at - 1]?.[0];
      const x = (width * (bucket[0] - from)) / Math.max(1, to - from);
      const starts = before === undefined || bucket[0] - before > gap;
      const after = buckets[at + 1]?.[0];
      // A point between two gaps is drawn as a short line; otherwise it would be invisible.
      const alone = starts && (after === undefined || after - bucket[0] > gap) ? 'h1' : '';
      return `${starts ? 'M' : 'L'}${x.toFixed(1)} ${y(bucket[2]).toFixed(1)}${alone}`;
    })
    .join('');
}

export function Sparkline({ series, from, to }: SparklineProps) {
  const extremes = extremesOf(series);
  if (!extremes) return <span className="sparkline" aria-hidden />;
  const [min, max, last] = [extremes.min, extremes.max, extremes.last].map((value) => numberText(value, series.unit));
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t.sparkline(series.label, min ?? '', max ?? '', last ?? '')}
    >
      <path d={sparkPath(series, from, to)} />
    </svg>
  );
}
