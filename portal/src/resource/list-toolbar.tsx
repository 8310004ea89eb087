/** The bar above a list: search, what the page adds, columns, exports, create. */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../api/lookups.ts';
import type { ListQuery } from '../api/query-string.ts';
import { Button } from '../components/button.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { ExportButtons } from './export-buttons.tsx';
import type { ListState } from './list-state.ts';
import type { useColumns } from './use-columns.ts';
import { newId } from './use-panel.ts';
import { offers, type View } from './view.ts';
import type { AnyRow } from './row.ts';

interface ListToolbarProps {
  view: View;
  state: ListState;
  change: (change: Partial<ListState>, options?: { replace?: boolean }) => void;
  columns: ReturnType<typeof useColumns>;
  rows: readonly AnyRow[];
  count: number | undefined;
  query: ListQuery;
  open: (key: string) => void;
  /** Beside the search. */
  filters: ReactNode;
  bar: ReactNode;
  /** Replaces the Create button. */
  create: ReactNode;
}

export function ListToolbar({ view, state, change, columns, rows, count, query, open, filters, bar, create }: ListToolbarProps) {
  const { resource } = view;
  const may = useMay();
  const canCreate = offers(view, 'create') && may(resource.area, 'create');
  return (
    <div className="page-bar">
      <SearchBox
        label={en.grid.searchIn(resource.plural.toLowerCase())}
        value={state.search}
        exact={state.exact}
        debounceMs={view.searchDebounceMs ?? 500}
        onSearch={(search, exact) => change({ search, exact }, { replace: true })}
      />
      {filters}
      <span className="grow" />
      <span className="row only-wide">
        <ColumnChooser columns={columns.columns} hidden={columns.hidden} onChange={columns.setHidden} />
        <ExportButtons
          view={view}
          columns={columns.columns.filter((column) => !columns.hidden[column.id])}
          rows={rows}
          query={query}
          count={count}
        />
      </span>
      {bar}
      {create ??
        (canCreate && (
          <Button look="primary" icon="plus" data-create onClick={() => open(newId)}>
            {en.grid.create}
          </Button>
        ))}
    </div>
  );
}
