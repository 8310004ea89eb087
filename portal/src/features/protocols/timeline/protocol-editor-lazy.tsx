import { panelOnDemand } from '../../../resource/panel-on-demand.tsx';
import type { ProtocolRow } from './protocol-editor.tsx';

export const protocolEditor = panelOnDemand<ProtocolRow>(
  () => import('./protocol-editor-panel.tsx').then((module) => module.ProtocolEditorPanel),
  { title: (row) => row.name, wide: true },
);
