import { panelOnDemand } from '../../../resource/panel-on-demand.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

export const workUnitPanel = panelOnDemand<PanelWorkUnit>(
  () => import('./work-unit-panel.tsx').then((module) => module.WorkUnitPanelContent),
  { title: (row) => row.title },
);
