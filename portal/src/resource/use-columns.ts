import { useCallback, useMemo, useState } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Expanded, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { fieldColumn } from '../rows/cells.tsx';
import type { View, ViewColumn } from './view.ts';

type Hidden = Readonly<Record<string, boolean>>;

function read(key: string): Hidden | undefined {
  try {
    const text = localStorage.getItem(key);
    return text ? (JSON.parse(text) as Hidden) : undefined;
  } catch {
    return undefined;
  }
}

export interface Columns<T> {
  columns: readonly ViewColumn<T>[];
  hidden: Hidden;
  setHidden: (hidden: Hidden | undefined) => void;
}

/** The columns of a view, and those that the person hid; stored in the browser. */
export function useColumns<R extends Resource, Item extends ExpandItem<R>>(view: View<R, Item>): Columns<Expanded<R, Item>> {
  const key = `cloudfit.columns.${view.resource.name}`;
  const columns = useMemo(
    () =>
      view.columns.map((column): ViewColumn<Expanded<R, Item>> =>
        typeof column === 'string' ? fieldColumn(view.resource, column) : column,
      ),
    [view],
  );
  const first = useMemo(() => Object.fromEntries(columns.filter((column) => column.hidden).map(({ id }) => [id, true])), [columns]);
  const [hidden, setState] = useState<Hidden>(() => read(key) ?? first);
  const setHidden = useCallback(
    (next: Hidden | undefined) => {
      setState(next ?? first);
      if (next) localStorage.setItem(key, JSON.stringify(next));
      else localStorage.removeItem(key);
    },
    [first, key],
  );
  return { columns, hidden, setHidden };
}
