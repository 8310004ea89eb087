/** The portal's grid: sortable headers, arrow keys between rows, selection, skeletons. It fetches nothing itself. */
import { useCallback, useLayoutEffect, useMemo, useRef, type CSSProperties } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { DataTableHead } from './data-table-head.tsx';
import { DataTableRow } from './data-table-row.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { Skeleton } from '../states.tsx';
import './data-table.css';
import type { SortKey, TableColumn } from './table-column.ts';
import { between, selecting, type RowSelection } from './table-state.ts';

export interface DataTableProps<T extends object> {
  label: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  rowName: (row: T) => string;
  sorting?: readonly SortKey[];
  /** Without it the columns cannot be sorted. */
  onSort?: (next: readonly SortKey[]) => void;
  hidden?: Readonly<Record<string, boolean>>;
  /** `locked`: whether the selection cannot change, because an action runs on it. */
  selection?: { value: RowSelection; onChange: (next: RowSelection) => void; locked?: boolean };
  openKey?: string | undefined;
  onOpen?: ((row: T) => void) | undefined;
  /** Runs when the pointer goes down on a row, before it opens. */
  onPress?: ((row: T) => void) | undefined;
  isMarked?: (key: string) => boolean;
  /** Whether something covers the heading. The buttons of a covered heading are not in the tab order. */
  headCovered?: boolean;
  /** Number of skeleton rows to show instead of rows. */
  skeletonRows?: number;
}

const unsorted: readonly SortKey[] = [];

export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { columns, rows, rowKey, sorting = unsorted, selection, hidden, skeletonRows = 0 } = props;
  const keys = rows.map(rowKey);
  // The handlers of unchanged rows are not recreated when the selection changes, so they read the present selection from this
  // ref.
  const latest = useRef({ selection, keys });
  useLayoutEffect(() => {
    latest.current = { selection, keys };
  });
  const pickAll = useCallback((picked: readonly string[], value: boolean) => {
    const { selection: now } = latest.current;
    now?.onChange(selecting(now.value, picked, value));
  }, []);
  const lastPicked = useRef<string>(undefined);
  const pick = useCallback(
    (key: string, value: boolean, isRange: boolean) => {
      const range = isRange && lastPicked.current !== undefined ? between(latest.current.keys, lastPicked.current, key) : [];
      lastPicked.current = key;
      pickAll(range.length > 0 ? range : [key], value);
    },
    [pickAll],
  );
  const shown = useMemo(() => columns.filter((c) => !hidden?.[c.id]), [columns, hidden]);
  const widthOf = (some: typeof shown) => some.reduce((sum, column) => sum + column.width, selection ? 38 : 0);
  const widths = { '--least': `${widthOf(shown)}px`, '--least-md': `${widthOf(shown.filter((column) => column.below !== 'md'))}px` };
  const onKeyDown = useRowKeys();

  return (
    <table className="table" style={widths as CSSProperties} aria-label={props.label} aria-busy={skeletonRows > 0}>
      <colgroup>
        {selection && <col style={{ width: 38 }} />}
        {shown.map((column) => (
          <col
            key={column.id}
            className={column.below ? `below-${column.below}` : undefined}
            style={column.grow ? {} : { width: column.width }}
          />
        ))}
      </colgroup>
      <DataTableHead
        columns={shown}
        sorting={sorting}
        onSort={props.onSort}
        covered={props.headCovered === true}
        {...(selection ? { selection: { value: selection.value, keys, locked: selection.locked === true, onPick: pickAll } } : {})}
      />
      <tbody onKeyDown={onKeyDown}>
        {skeletonRows > 0
          ? Array.from({ length: skeletonRows }, (_, at) => (
              <tr key={at}>
                {selection && <td className="tick" />}
                {shown.map((column, place) => (
                  <td key={column.id} className={column.below ? `below-${column.below}` : undefined}>
                    <Skeleton width={`${45 + ((at * 7 + place * 13) % 40)}%`} />
                  </td>
                ))}
              </tr>
            ))
          : rows.map((row, at) => {
              const key = keys[at] ?? '';
              return (
                <DataTableRow
                  key={key}
                  id={key}
                  row={row}
                  columns={shown}
                  first={at === 0}
                  name={props.rowName(row)}
                  onOpen={props.onOpen}
                  onPress={props.onPress}
                  opened={key === props.openKey}
                  marked={props.isMarked?.(key) ?? false}
                  picked={selection ? (selection.value[key] ?? false) : undefined}
                  locked={selection?.locked === true}
                  onPick={selection ? pick : undefined}
                />
              );
            })}
      </tbody>
      {skeletonRows > 0 && <caption className="visually-hidden">{en.grid.loading}</caption>}
    </table>
  );
}
