import { panelOnDemand } from '../../resource/panel-on-demand.tsx';
import type { CustomerRequest } from './requests.ts';

export const requestPanel = panelOnDemand<CustomerRequest>(() => import('./request-panel.tsx').then((module) => module.RequestPanel), {
  title: (row) => row.title,
});
