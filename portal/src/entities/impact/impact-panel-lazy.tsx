import { onDemand } from '../../components/on-demand.tsx';
import type { ImpactPanelProps } from './impact-panel.tsx';

/** The code loads with the first request; the answer comes after a pause in typing anyway. */
export const { Component: ImpactPanel } = onDemand<ImpactPanelProps>(() =>
  import('./impact-panel.tsx').then((module) => module.ImpactPanel),
);
