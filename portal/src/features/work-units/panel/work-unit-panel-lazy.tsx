import { SidePanel } from '../../../components/side-panel.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { Skeleton } from '../../../components/states.tsx';
import type { PanelProps } from '../../../resource/view.ts';
import type { AnyRow } from '../../../resource/row.ts';

/** Fetched while nobody waits for it, so that a click finds it here. */
export const workUnitPanel = onDemand<PanelProps<AnyRow>>(
  () => import('./work-unit-panel.tsx').then((module) => module.WorkUnitPanelContent),
  {
    waiting: ({ row, onClose }) => (
      <SidePanel title={String(row?.['title'] ?? '')} onClose={onClose}>
        <div className="body">
          <Skeleton width="60%" />
        </div>
      </SidePanel>
    ),
  },
);
