import { onDemand } from '../../components/on-demand.tsx';
import type { ImpactPanelProps } from './impact-panel.tsx';

/** The impact panel. Its code loads when the first one renders, because its content waits for a pause in typing anyway. */
export const { Component: ImpactPanel } = onDemand<ImpactPanelProps>(() =>
  import('./impact-panel.tsx').then((module) => module.ImpactPanel),
);
