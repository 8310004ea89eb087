import { panelOnDemand } from '../../resource/panel-on-demand.tsx';
import type { CommunicationRow } from './communication.rules.ts';

export const communicationPanel = panelOnDemand<CommunicationRow>(
  () => import('./communication-panel.tsx').then((module) => module.CommunicationPanel),
  { title: (row) => row.title },
);
