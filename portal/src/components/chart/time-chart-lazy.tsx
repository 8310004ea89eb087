import { onDemand } from '../on-demand.tsx';
import type { TimeChartProps } from './time-chart.tsx';

/** A time chart whose code, with the library that draws it, loads when the first one renders. */
export const { Component: TimeChart } = onDemand<TimeChartProps>(() => import('./time-chart.tsx').then((module) => module.TimeChart), {
  waiting: ({ height = 180 }) => <div className="skeleton" style={{ display: 'block', height }} aria-busy />,
});
