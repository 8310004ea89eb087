/** The panel of the row in the address. */
import type { ReactNode } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { onDemand } from '../components/on-demand.tsx';
import type { usePanel } from '../hooks/use-panel.ts';
import type { ResourcePanel } from './resource-panel.tsx';
import type { View } from './view.ts';

const code = onDemand(() => import('./resource-panel.tsx').then((module) => module.ResourcePanel));
export const GenericPanel = code.Component as typeof ResourcePanel;
export const loadGenericPanel = code.load;

interface ListPanelProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  panel: ReturnType<typeof usePanel>;
  /** The row as the list has it; undefined when the list does not show it. */
  row: ExpandedRow<R, Item> | undefined;
}

export function ListPanel<R extends Resource, Item extends ExpandItem<R>>({
  view,
  panel: { id, close },
  row,
}: ListPanelProps<R, Item>): ReactNode {
  if (!id) return null;
  if (view.panel) return <view.panel.Component key={id} id={id} row={row} onClose={close} />;
  return <GenericPanel key={id} view={view} id={id} row={row} onClose={close} />;
}
