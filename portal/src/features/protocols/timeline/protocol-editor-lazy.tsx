import { SidePanel } from '../../../components/side-panel.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { Skeleton } from '../../../components/states.tsx';
import type { PanelProps } from '../../../resource/view.ts';
import type { ProtocolRow } from './protocol-editor.tsx';

/** Loaded while the page is idle, so that a click opens it at once. */
export const protocolEditor = onDemand<PanelProps<ProtocolRow>>(
  () => import('./protocol-editor-panel.tsx').then((module) => module.ProtocolEditorPanel),
  {
    waiting: ({ row, onClose }) => (
      <SidePanel wide title={row?.name ?? ''} onClose={onClose}>
        <div className="body">
          <Skeleton width="60%" />
        </div>
      </SidePanel>
    ),
  },
);
