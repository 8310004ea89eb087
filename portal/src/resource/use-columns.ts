import { useCallback, useMemo, useState } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { fieldColumn } from '../rows/cells.tsx';
import type { View, ViewColumn } from './view.ts';

type HiddenColumns = Readonly<Record<string, boolean>>;

function read(key: string): HiddenColumns | undefined {
  try {
    const text = localStorage.getItem(key);
    return text ? (JSON.parse(text) as HiddenColumns) : undefined;
  } catch {
    return undefined;
  }
}

export interface Columns<T> {
  columns: readonly ViewColumn<T>[];
  hidden: HiddenColumns;
  setHidden: (hidden: HiddenColumns | undefined) => void;
}

/** The columns of a view, and those that the person hid; stored in the browser. */
export function useColumns<R extends Resource, Item extends ExpandItem<R>>(view: View<R, Item>): Columns<ExpandedRow<R, Item>> {
  const key = `cloudfit.columns.${view.resource.name}`;
  const columns = useMemo(
    () =>
      view.columns.map((column): ViewColumn<ExpandedRow<R, Item>> =>
        typeof column === 'string' ? fieldColumn(view.resource, column) : column,
      ),
    [view],
  );
  const first = useMemo(() => Object.fromEntries(columns.filter((column) => column.hidden).map(({ id }) => [id, true])), [columns]);
  const [hidden, setState] = useState<HiddenColumns>(() => read(key) ?? first);
  const setHidden = useCallback(
    (next: HiddenColumns | undefined) => {
      setState(next ?? first);
      if (next) localStorage.setItem(key, JSON.stringify(next));
      else localStorage.removeItem(key);
    },
    [first, key],
  );
  return { columns, hidden, setHidden };
}
