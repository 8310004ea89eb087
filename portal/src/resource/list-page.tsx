/** The list of any resource: search, filters, grid, pages, panel, all of it in the address. */
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { RowSelectionState } from '@tanstack/react-table';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMarks } from '../api/live.ts';
import { useMay } from '../api/lookups.ts';
import { Button } from '../components/button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { usePageTitle } from '../components/page-title.ts';
import { Pager } from '../components/pager.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { FilterBar } from './filter-bar.tsx';
import { exportPage } from './export-page.ts';
import { ListBody } from './list-body.tsx';
import { listQuery } from './list-query.ts';
import type { ListState } from './list-state.ts';
import { RowActions } from './row-actions.tsx';
import { TitleCell } from './title-cell.tsx';
import { useColumns } from './use-columns.ts';
import { useListState } from './use-list-state.ts';
import { newId, usePanel } from './use-panel.ts';
import { useList } from './use-rows.ts';
import { useScope } from './use-scope.ts';
import { offers, panelKeyOf, type PanelProps, type View } from './view.ts';
import './list-page.css';
import type { TableColumn } from '../components/table-column.ts';
import { type AnyRow, keyOf, titleOf } from './row.ts';

const genericPanel = onDemand<PanelProps<AnyRow>>(() => import('./resource-panel.tsx').then((module) => module.ResourcePanel));

/** An id that says nothing to people. */
const isOwnId = (resource: Resource, name: string) => resource.fields[name]?.kind === 'guid' && !resource.fields[name]?.ref;

export interface ListTools {
  state: ListState;
  change: (change: Partial<ListState>) => void;
}

export interface ListPageProps {
  view: View;
  /** Replaces the Create button. */
  create?: ReactNode;
  /** More of the upper bar, before Columns. */
  bar?: ReactNode | ((tools: ListTools) => ReactNode);
  /** More of the filter bar, at its end. */
  filterBar?: ReactNode;
  /** False: neither live changes nor polls refresh the list. */
  refresh?: boolean;
  selectable?: boolean;
  /** Told when the list was last read. */
  onRead?: (at: number) => void;
}

export function ListPage({ view, create, bar, filterBar, refresh = true, selectable = false, onRead }: ListPageProps) {
  const { resource, texts } = view;
  const may = useMay();
  const scope = useScope();
  const [state, change] = useListState(view);
  const panel = usePanel(view.panelParam);
  const { columns, hidden, setHidden } = useColumns(view);
  const [selection, setSelection] = useState<RowSelectionState>({});
  const isMarked = useMarks(resource.name);
  const waits = (view.bySubscription === true && !scope.isKnown) || (state.quick.length > 0 && !scope.user);
  const list = useList<AnyRow>(resource, listQuery(view, state, scope), {
    pollMs: panel.id ? undefined : view.pollMs,
    refresh,
    enabled: !waits,
  });
  const rows = useMemo(() => list.data?.rows ?? [], [list.data]);
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

  const { open } = panel;
  const client = useQueryClient();
  const { onOpening } = view;
  const openRow = useCallback(
    (row: AnyRow) => {
      onOpening?.(client, row);
      open(panelKeyOf(view, row));
    },
    [client, onOpening, open, view],
  );

  const drawn = useMemo<readonly TableColumn<AnyRow>[]>(() => {
    const opens = view.opens ?? resource.title;
    const details = columns.filter((column) => column.below === 'sm' && column.text && !isOwnId(resource, column.id)).slice(0, 4);
    const linked = columns.map((column) =>
      column.id === opens
        ? {
            ...column,
            cell: (row: AnyRow) => <TitleCell view={view} row={row} column={column} details={details} open={() => openRow(row)} />,
          }
        : column,
    );
    const acts = view.actions !== undefined || offers(view, 'update') || offers(view, 'delete');
    return acts
      ? [
          ...linked,
          {
            id: 'actions',
            header: en.common.actions,
            width: 92,
            below: 'sm',
            align: 'end',
            cell: (row) => <RowActions view={view} row={row} open={open} />,
          },
        ]
      : linked;
  }, [columns, open, openRow, resource, view]);

  const opened = panel.id ? rows.find((row) => panelKeyOf(view, row) === panel.id) : undefined;
  const selected = Object.keys(selection).filter((id) => selection[id]).length;
  const Panel = view.panel ?? genericPanel.Component;
  const canCreate = offers(view, 'create') && may(resource.area, 'create');

  const filters =
    (view.filters ?? view.quick) ? (
      <FilterBar view={view} state={state} onChange={change}>
        {filterBar}
      </FilterBar>
    ) : null;

  return (
    <div className="page">
      <div className="page-bar">
        <SearchBox
          label={en.grid.searchIn(resource.plural.toLowerCase())}
          value={state.search}
          exact={state.exact}
          debounceMs={view.searchDebounceMs ?? 500}
          onSearch={(search, exact) => change({ search, exact }, { replace: true })}
        />
        {filterBar ? null : filters}
        <span className="grow" />
        {typeof bar === 'function' ? bar({ state, change }) : bar}
        <span className="row only-wide">
          <ColumnChooser columns={columns} hidden={hidden} onChange={setHidden} />
          <Button
            small
            look="quiet"
            icon="download"
            disabled={rows.length === 0}
            onClick={() =>
              exportPage(
                view,
                columns.filter((column) => !hidden[column.id]),
                rows,
              )
            }
          >
            {en.grid.exportPage}
          </Button>
        </span>
        {create ??
          (canCreate && (
            <Button look="primary" icon="plus" data-create onClick={() => open(newId)}>
              {en.grid.create}
            </Button>
          ))}
      </div>
      {filterBar ? filters : null}
      <ListBody view={view} list={list} state={state} onClear={() => change({ search: '', filters: {}, quick: [] })}>
        <DataTable
          label={texts.title}
          columns={drawn}
          rows={rows}
          rowKey={(row) => keyOf(resource, row)}
          rowName={(row) => titleOf(resource, row)}
          hidden={hidden}
          sorting={state.sort}
          onSort={(sort) => change({ sort })}
          openKey={opened ? keyOf(resource, opened) : undefined}
          onOpen={openRow}
          isMarked={isMarked}
          skeletonRows={list.data ? 0 : state.rows}
          {...(selectable ? { selection: { value: selection, onChange: setSelection } } : {})}
        />
      </ListBody>
      <Pager
        page={state.page}
        rows={state.rows}
        count={list.data?.count}
        selected={selected}
        onPage={(page) => change({ page })}
        onRows={(count) => change({ rows: count })}
      />
      {panel.id && <Panel key={panel.id} view={view} id={panel.id} row={opened} onClose={panel.close} />}
    </div>
  );
}
