import { onDemand } from '../on-demand.tsx';
import type { LineChartProps } from './line-chart.tsx';

/** A line chart whose code loads when the first one renders. */
export const { Component: LineChart } = onDemand<LineChartProps>(() => import('./line-chart.tsx').then((module) => module.LineChart), {
  waiting: () => <div className="skeleton" style={{ display: 'block', height: 120 }} aria-busy />,
});
