import { SidePanel } from '../../components/side-panel.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { Skeleton } from '../../components/states.tsx';
import type { CustomerRequest } from './requests.ts';
import type { PanelProps } from '../../resource/view.ts';

/** Loaded while the page is idle, so that a click opens it at once. */
export const requestPanel = onDemand<PanelProps<CustomerRequest>>(
  () => import('./request-panel.tsx').then((module) => module.RequestPanel),
  {
    waiting: ({ row, onClose }) => (
      <SidePanel title={row?.title ?? ''} onClose={onClose}>
        <div className="body">
          <Skeleton width="60%" />
        </div>
      </SidePanel>
    ),
  },
);
