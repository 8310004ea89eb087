import { en } from '@cloudfit/contract/messages/en.ts';
import { Icon } from '../icon.tsx';
import type { SortKey, TableColumn } from './table-column.ts';
import { sortedBy, type RowSelection } from './table-state.ts';

interface HeadProps<T> {
  columns: readonly TableColumn<T>[];
  sorting: readonly SortKey[];
  onSort: ((next: readonly SortKey[]) => void) | undefined;
  covered: boolean;
  /** The selection. `keys`: the keys of the rows that the table shows. */
  selection?: {
    value: RowSelection;
    keys: readonly string[];
    locked: boolean;
    onPick: (keys: readonly string[], value: boolean) => void;
  };
}

/** Column headings; a click sorts, Shift+click sorts by an additional column. */
export function DataTableHead<T>({ columns, sorting, onSort, covered, selection }: HeadProps<T>) {
  const several = sorting.length > 1;
  const isAll = selection !== undefined && selection.keys.length > 0 && selection.keys.every((key) => selection.value[key]);
  const isSome = selection !== undefined && Object.values(selection.value).some(Boolean);
  return (
    <thead>
      <tr>
        {selection && (
          <th className="tick" scope="col">
            <input
              type="checkbox"
              aria-label={en.common.selectAll}
              checked={isAll}
              disabled={selection.locked}
              onChange={(event) => selection.onPick(selection.keys, event.target.checked)}
              ref={(box) => {
                if (box) box.indeterminate = isSome && !isAll;
              }}
            />
          </th>
        )}
        {columns.map((column) => {
          const at = sorting.findIndex((key) => key.id === column.id);
          const sorted = at >= 0 && (sorting[at]?.desc ? 'desc' : 'asc');
          const classes = [column.align === 'end' ? 'end' : '', column.below ? `below-${column.below}` : ''].join(' ').trim();
          return (
            <th
              key={column.id}
              scope="col"
              className={classes}
              {...(sorted ? { 'aria-sort': sorted === 'asc' ? ('ascending' as const) : ('descending' as const) } : {})}
            >
              {column.sortable && onSort ? (
                <button
                  type="button"
                  {...(covered ? { tabIndex: -1 } : {})}
                  onClick={(event) => onSort(sortedBy(sorting, column.id, event.shiftKey))}
                  title={en.grid.sortHint}
                >
                  <span className="ellipsis">{column.header}</span>
                  {sorted && <Icon name={sorted === 'asc' ? 'sortUp' : 'sortDown'} />}
                  {sorted && several && <sup>{at + 1}</sup>}
                </button>
              ) : column.quiet ? (
                <span className="visually-hidden">{column.header}</span>
              ) : (
                column.header
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
