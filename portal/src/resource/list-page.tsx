/**
 * The list of any resource: search, filters, grid, pager and panel, with its state in the address. Pages that differ
 * combine the parts themselves.
 */
import { useMemo, type ReactNode } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { FilterBar } from '../filters/filter-bar.tsx';
import { listAddress, type ListState } from '../filters/list-state.ts';
import { useListState, type ChangeList } from '../filters/use-list-state.ts';
import { usePanel } from '../hooks/use-panel.ts';
import { useTicked, type ListSelection } from '../hooks/use-selection.ts';
import { keyOf } from '../rows/row.ts';
import { ListGrid } from './list-grid.tsx';
import { ListPager } from './list-pager.tsx';
import { ListPanel } from './list-panel.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { SelectionLine } from './selection-line.tsx';
import { useListScreen } from './use-list-screen.ts';
import { usePanelOpening } from './use-opening.ts';
import type { View } from './view.ts';
import './list-page.css';

interface ListPageProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  /** Replaces the Create button. */
  create?: ReactNode;
  /** Additional content of the toolbar, before Create. */
  bar?: ReactNode | ((list: { state: ListState; change: ChangeList }) => ReactNode);
  /** Present if rows can be selected. */
  selection?: ListSelection;
}

export function ListPage<R extends Resource, Item extends ExpandItem<R> = never>({ view, create, bar, selection }: ListPageProps<R, Item>) {
  const panel = usePanel(view.panelParam);
  const screen = useListScreen(view, useListState(useMemo(() => listAddress(view), [view])), { polls: !panel.id });
  const opening = usePanelOpening(view, panel);
  const { state, change, rows, query } = screen;
  const ticked = useTicked(selection, query.filter, () => rows.map((row) => keyOf(view.resource, row)));
  const opened = panel.id ? rows.find((row) => keyOf(view.resource, row) === panel.id) : undefined;
  return (
    <div className="page">
      <ListToolbar screen={screen} open={panel.open} create={create} bar={typeof bar === 'function' ? bar({ state, change }) : bar}>
        {(view.filters ?? view.quick) && <FilterBar listing={view} state={state} onChange={change} />}
      </ListToolbar>
      <div className="page-middle">
        <ListGrid screen={screen} opening={opening} opened={opened} {...(ticked ? { selection: ticked } : {})} />
      </div>
      <ListPager screen={screen}>
        {selection && <SelectionLine screen={screen} selection={selection.value} onChange={selection.onChange} whole={selection.whole} />}
      </ListPager>
      <ListPanel view={view} panel={panel} row={opened} />
    </div>
  );
}
