import { useMemo } from 'react';
import type { AlignedData } from 'uplot';
import { Chart, tokenColor, type ChartOptions } from './chart.tsx';

export interface LineChartProps {
  /** Sorted by time. */
  values: readonly number[];
  /** Description of the line for screen readers. */
  label: string;
}

const height = 120;

const options: ChartOptions = {
  axes: [{ show: false }, { show: false }],
  cursor: { show: false },
  padding: [4, 0, 4, 0],
  scales: { x: { time: false }, y: { range: (_plot, min, max) => [min, max > min ? max : min + 1] } },
  series: [
    {},
    {
      stroke: () => tokenColor('--accent'),
      width: 1.5,
      fill: () => `color-mix(in srgb, ${tokenColor('--accent')} 10%, transparent)`,
      points: { show: false },
    },
  ],
};

/** A line chart scaled to the range of its values, without axes. */
export function LineChart({ values, label }: LineChartProps) {
  const data = useMemo((): AlignedData => [values.map((_, at) => at), [...values]], [values]);
  return <Chart label={label} height={height} data={data} options={options} />;
}
