import { SidePanel } from '../../components/side-panel.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { Skeleton } from '../../components/states.tsx';
import type { Request } from './requests.ts';
import type { PanelProps } from '../../resource/view.ts';

/** Fetched while nobody waits for it. */
export const requestPanel = onDemand<PanelProps<Request>>(() => import('./request-panel.tsx').then((module) => module.RequestPanel), {
  waiting: ({ row, onClose }) => (
    <SidePanel title={row?.title ?? ''} onClose={onClose}>
      <div className="body">
        <Skeleton width="60%" />
      </div>
    </SidePanel>
  ),
});
