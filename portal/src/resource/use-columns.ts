import { useCallback, useMemo } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { fieldColumn } from '../rows/cells.tsx';
import { hiddenColumns, type HiddenColumns } from '../views/hidden-columns.ts';
import type { View, ViewColumn } from './view.ts';

export interface Columns<T> {
  columns: readonly ViewColumn<T>[];
  hidden: HiddenColumns;
  setHidden: (hidden: HiddenColumns | undefined) => void;
}

/** The columns of a view, and those that the person hid; stored in the browser. */
export function useColumns<R extends Resource, Item extends ExpandItem<R>>(view: View<R, Item>): Columns<ExpandedRow<R, Item>> {
  const store = hiddenColumns(view.resource.name);
  const columns = useMemo(
    () =>
      view.columns.map((column): ViewColumn<ExpandedRow<R, Item>> =>
        typeof column === 'string' ? fieldColumn(view.resource, column) : column,
      ),
    [view],
  );
  const first = useMemo(() => Object.fromEntries(columns.filter((column) => column.hidden).map(({ id }) => [id, true])), [columns]);
  const hidden = store.use() ?? first;
  const setHidden = useCallback((next: HiddenColumns | undefined) => store.set(next ?? null), [store]);
  return { columns, hidden, setHidden };
}
