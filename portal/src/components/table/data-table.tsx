/** The portal's grid: sortable headers, arrow keys between rows, selection, skeletons. It knows no entity and fetches nothing. */
import { useTable, type ColumnDef, type RowSelectionState } from '@tanstack/react-table';
import { useMemo, type CSSProperties } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { DataTableHead } from './data-table-head.tsx';
import { DataTableRow } from './data-table-row.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { Skeleton } from '../states.tsx';
import './data-table.css';
import { type Features, type SortKey, type TableColumn, features } from './table-column.ts';

export interface DataTableProps<T extends object> {
  label: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  rowName: (row: T) => string;
  sorting: readonly SortKey[];
  onSort: (next: readonly SortKey[]) => void;
  hidden?: Readonly<Record<string, boolean>>;
  /** `locked`: the selection cannot change while an action runs on it. */
  selection?: { value: RowSelectionState; onChange: (next: RowSelectionState) => void; locked?: boolean };
  openKey?: string | undefined;
  onOpen?: ((row: T) => void) | undefined;
  /** Runs when the pointer goes down on a row, before it opens. */
  onPress?: ((row: T) => void) | undefined;
  isMarked?: (key: string) => boolean;
  /** Number of skeleton rows to show instead of rows. */
  skeletonRows?: number;
}

const noSelection: RowSelectionState = {};

export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { columns, rows, rowKey, sorting, selection, hidden, skeletonRows = 0 } = props;
  const definitions = useMemo<ColumnDef<Features, T>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.header,
        accessorFn: (row: T) => row,
        enableSorting: column.sortable ?? false,
        sortDescFirst: false,
      })),
    [columns],
  );
  const sortState = useMemo(() => sorting.map((key) => ({ ...key })), [sorting]);
  const table = useTable<Features, T>({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowKey,
    manualSorting: true,
    state: { rowSelection: selection?.value ?? noSelection, sorting: sortState },
    onSortingChange: (change) => props.onSort(typeof change === 'function' ? change(sortState) : change),
    onRowSelectionChange: (change) => selection?.onChange(typeof change === 'function' ? change(selection.value) : change),
  });
  const shown = useMemo(() => columns.filter((c) => !hidden?.[c.id]), [columns, hidden]);
  const widthOf = (some: typeof shown) => some.reduce((sum, column) => sum + column.width, selection ? 38 : 0);
  const widths = { '--least': `${widthOf(shown)}px`, '--least-md': `${widthOf(shown.filter((column) => column.below !== 'md'))}px` };
  const keys = useRowKeys();

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
      <DataTableHead table={table} columns={shown} selectable={selection !== undefined} locked={selection?.locked === true} />
      <tbody onKeyDown={keys}>
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
          : table
              .getRowModel()
              .rows.map((row, at) => (
                <DataTableRow
                  key={row.id}
                  id={row.id}
                  row={row.original}
                  columns={shown}
                  first={at === 0}
                  name={props.rowName(row.original)}
                  onOpen={props.onOpen}
                  onPress={props.onPress}
                  opened={row.id === props.openKey}
                  marked={props.isMarked?.(row.id) ?? false}
                  picked={selection ? row.getIsSelected() : undefined}
                  locked={selection?.locked === true}
                  onPick={selection ? (value?: boolean) => row.toggleSelected(value) : undefined}
                />
              ))}
      </tbody>
      {skeletonRows > 0 && <caption className="visually-hidden">{en.grid.loading}</caption>}
    </table>
  );
}
