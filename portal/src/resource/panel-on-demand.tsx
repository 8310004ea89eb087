import type { ComponentType } from 'react';
import { onDemand, type OnDemand } from '../components/on-demand.tsx';
import { SidePanel } from '../components/side-panel.tsx';
import { Skeleton } from '../components/states.tsx';
import type { PanelProps } from './view.ts';

interface OnDemandPanelOptions<Row> {
  /** The title until the code is loaded. */
  title: (row: Row) => string;
  wide?: boolean;
}

/** A panel of a list whose code loads while the page is idle, so that a click opens it at once. */
export function panelOnDemand<Row>(
  importPanel: () => Promise<ComponentType<PanelProps<Row>>>,
  { title, wide = false }: OnDemandPanelOptions<Row>,
): OnDemand<PanelProps<Row>> {
  return onDemand(importPanel, {
    waiting: ({ row, onClose }) => (
      <SidePanel wide={wide} title={row ? title(row) : ''} onClose={onClose}>
        <div className="body">
          <Skeleton width="60%" />
        </div>
      </SidePanel>
    ),
  });
}
