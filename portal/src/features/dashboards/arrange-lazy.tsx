import { onDemand } from '../../components/on-demand.tsx';
import type { ArrangeProps } from './arrange.tsx';

/** Its code, with the library that moves tiles, loads when somebody edits a dashboard. */
export const { Component: Arrange } = onDemand<ArrangeProps>(() => import('./arrange.tsx').then((module) => module.Arrange), {
  waiting: () => <div className="dash-arrange" aria-busy />,
});
