/** The list of any resource: search, filters, grid, pages, panel, all of it in the address. */
import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Expanded, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { useMarks } from '../api/live.ts';
import { DataTable } from '../components/table/data-table.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { usePageTitle } from '../components/page-title.ts';
import { Pager } from '../components/table/pager.tsx';
import { FilterBar } from '../filters/filter-bar.tsx';
import { useFilterPanel } from '../filters/use-filter-panel.ts';
import type { ResourcePanel } from './resource-panel.tsx';
import type { FilterPanelProps } from '../filters/filter-panel.tsx';
import { ListBody } from './list-body.tsx';
import { listQuery } from '../filters/list-query.ts';
import type { ListState } from '../filters/list-state.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { NewRows } from '../components/table/new-rows.tsx';
import { SelectionLine } from './selection-line.tsx';
import { selectedKeys, useSelection } from '../hooks/use-selection.ts';
import { useColumns } from './use-columns.ts';
import { useTableColumns } from './use-table-columns.tsx';
import { useHover } from '../hooks/use-hover.ts';
import { useListState } from '../filters/use-list-state.ts';
import { usePanel } from '../hooks/use-panel.ts';
import { useList } from '../rows/use-rows.ts';
import { useScope } from '../rows/use-scope.ts';
import { useSettledRows } from '../hooks/use-settled-rows.ts';
import { useOpenWhenLoaded } from '../hooks/use-open-when-loaded.ts';
import { panelKeyOf, type View } from './view.ts';
import './list-page.css';
import { keyOf, titleOf } from '../rows/row.ts';

const genericPanel = onDemand(() => import('./resource-panel.tsx').then((module) => module.ResourcePanel));
const GenericPanel = genericPanel.Component as typeof ResourcePanel;
const { Component: FilterPanel } = onDemand<FilterPanelProps>(() =>
  import('../filters/filter-panel.tsx').then((module) => module.FilterPanel),
);
const noRows: readonly never[] = [];

export interface ListTools {
  state: ListState;
  change: (change: Partial<ListState>) => void;
  /** Keys of the ticked rows, on all pages. */
  selected: readonly string[];
}

export interface ListPageProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  /** Replaces the Create button. */
  create?: ReactNode;
  /** More of the upper bar, before Create. */
  bar?: ReactNode | ((tools: ListTools) => ReactNode);
  /** More of the filter bar, at its end. */
  filterBar?: ReactNode;
  /** False: neither live changes nor polls refresh the list. */
  refresh?: boolean;
  /** Something else is open that the list should not change beside; it is not polled then. */
  busy?: boolean;
  selectable?: boolean;
  /** Which rows are ticked cannot be changed now. */
  locked?: boolean;
  /** Told when the list was last read. */
  onRead?: (at: number) => void;
}

export function ListPage<R extends Resource, Item extends ExpandItem<R> = never>({
  view,
  create,
  bar,
  filterBar,
  refresh = true,
  busy = false,
  selectable = false,
  locked = false,
  onRead,
}: ListPageProps<R, Item>) {
  const { resource, texts } = view;
  const scope = useScope();
  const [state, change] = useListState(view);
  const panel = usePanel(view.panelParam);
  const columns = useColumns(view);
  const [selection, setSelection] = useSelection(resource.name);
  const isMarked = useMarks(resource.name);
  const waits = (view.bySubscription === true && !scope.isKnown) || (state.quick.length > 0 && !scope.user);
  const query = listQuery(view, state, scope);
  const list = useList(resource, query, {
    pollMs: panel.id || busy ? undefined : view.pollMs,
    pollsAlways: view.pollsAlways === true,
    refresh,
    enabled: !waits,
  });
  const place = useRef<HTMLDivElement>(null);
  const isHeld = useHover(place);
  const found = list.data?.rows ?? noRows;
  // While the next list loads, the one before stays as it is.
  const shownQuery = list.isPlaceholderData ? '' : JSON.stringify(query);
  const { rows, waiting, settle } = useSettledRows(found, shownQuery, isHeld, (row) => keyOf(resource, row));
  usePageTitle(texts.title);

  useEffect(() => {
    if (list.dataUpdatedAt > 0) onRead?.(list.dataUpdatedAt);
  }, [list.dataUpdatedAt, onRead]);
  useEffect(() => {
    // The panel's code is fetched while nobody waits for it.
    const timer = setTimeout(() => {
      if (!view.panel) void genericPanel.load();
    }, 600);
    return () => clearTimeout(timer);
  }, [view]);
  const count = list.data?.count;
  const lastPage = count === undefined ? undefined : Math.max(0, Math.ceil(count / state.rows) - 1);
  useEffect(() => {
    // The rows of the last page are gone: to the last page that there is.
    if (!list.isPlaceholderData && lastPage !== undefined && state.page > lastPage) change({ page: lastPage }, { replace: true });
  }, [change, lastPage, list.isPlaceholderData, state.page]);

  const { open } = panel;
  const client = useQueryClient();
  const press = useCallback((row: Expanded<R, Item>) => view.onOpening?.(client, row), [client, view]);
  const navigate = useNavigate();
  const openWhenFilled = useOpenWhenLoaded();
  const openRow = useCallback(
    (row: Expanded<R, Item>) => {
      if (view.leadsTo) return void navigate(view.leadsTo(row));
      openWhenFilled(press(row), () => open(panelKeyOf(view, row)));
    },
    [navigate, press, open, openWhenFilled, view],
  );
  const changeFilters = useCallback((filters: ListState['filters']) => change({ filters }, { replace: true }), [change]);
  const drawn = useTableColumns(view, columns.columns, { openRow, open });
  const opened = panel.id ? rows.find((row) => panelKeyOf(view, row) === panel.id) : undefined;
  const filterPanel = useFilterPanel();
  const filters =
    (view.filters ?? view.quick) ? (
      <FilterBar view={view} state={state} onChange={change} panel={view.filterPanel ? filterPanel : undefined}>
        {filterBar}
      </FilterBar>
    ) : null;

  return (
    <div className="page">
      <ListToolbar
        view={view}
        state={state}
        change={change}
        columns={columns}
        rows={rows}
        count={count}
        query={query}
        open={open}
        filters={filterBar ? null : filters}
        bar={typeof bar === 'function' ? bar({ state, change, selected: selectedKeys(selection) }) : bar}
        create={create}
      />
      {filterBar ? filters : null}
      <div className="page-middle">
        <ListBody view={view} list={list} state={state} place={place} onClear={() => change({ search: '', filters: {}, quick: [] })}>
          <NewRows count={waiting} onShow={settle} />
          <DataTable
            label={texts.title}
            columns={drawn}
            rows={rows}
            rowKey={(row) => keyOf(resource, row)}
            rowName={(row) => titleOf(resource, row)}
            hidden={columns.hidden}
            sorting={state.sort}
            onSort={(sort) => change({ sort })}
            openKey={opened ? keyOf(resource, opened) : undefined}
            onOpen={openRow}
            onPress={press}
            isMarked={isMarked}
            skeletonRows={list.data ? 0 : state.rows}
            {...(selectable ? { selection: { value: selection, onChange: setSelection, locked } } : {})}
          />
        </ListBody>
        {view.filterPanel && filterPanel.isOpen && (
          <FilterPanel view={view} filters={state.filters} onChange={changeFilters} onClose={filterPanel.toggle} />
        )}
      </div>
      <Pager
        page={state.page}
        rows={state.rows}
        count={count}
        {...(view.sizes ? { sizes: view.sizes } : {})}
        onPage={(page) => change({ page })}
        onRows={(count) => change({ rows: count })}
      >
        {selectable && (
          <SelectionLine resource={resource} selection={selection} locked={locked} onChange={setSelection} query={query} count={count} />
        )}
      </Pager>
      {panel.id &&
        (view.panel ? (
          <view.panel key={panel.id} id={panel.id} row={opened} onClose={panel.close} />
        ) : (
          <GenericPanel key={panel.id} view={view} id={panel.id} row={opened} onClose={panel.close} />
        ))}
    </div>
  );
}
