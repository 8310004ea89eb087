import { SidePanel } from '../../../components/side-panel.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { Skeleton } from '../../../components/states.tsx';
import type { PanelProps } from '../../../resource/view.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

/** Loaded before the first click, so that a click opens it at once. */
export const workUnitPanel = onDemand<PanelProps<PanelWorkUnit>>(
  () => import('./work-unit-panel.tsx').then((module) => module.WorkUnitPanelContent),
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
