import './line-chart.css';

const box = { width: 600, height: 120, inset: 4 };

interface LineChartProps {
  /** In order of time. */
  values: readonly number[];
  /** What the line says, read aloud. */
  label: string;
}

/** A line over its own range, without axes: how a number went. */
export function LineChart({ values, label }: LineChartProps) {
  const least = Math.min(...values);
  const spread = Math.max(...values) - least || 1;
  const full = box.height - 2 * box.inset;
  const points = values.map((value, at) => {
    const x = (at * box.width) / Math.max(1, values.length - 1);
    const y = box.inset + full - ((value - least) * full) / spread;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg className="line-chart" viewBox={`0 0 ${box.width} ${box.height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={`0,${box.height} ${points.join(' ')} ${box.width},${box.height}`} />
      <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
