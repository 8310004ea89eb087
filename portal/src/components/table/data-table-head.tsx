import type { ReactTable } from '@tanstack/react-table';
import { en } from '@cloudfit/contract/messages/en.ts';

import { Icon } from '../icon.tsx';
import type { Features, TableColumn } from './table-column.ts';

interface HeadProps<T extends object> {
  table: ReactTable<Features, T>;
  columns: readonly TableColumn<T>[];
  selectable: boolean;
  locked: boolean;
}

/** Column headings; a click sorts, Shift+click sorts by an additional column. */
export function DataTableHead<T extends object>({ table, columns, selectable, locked }: HeadProps<T>) {
  const several = table.state.sorting.length > 1;
  return (
    <thead>
      <tr>
        {selectable && (
          <th className="tick" scope="col">
            <input
              type="checkbox"
              aria-label={en.common.selectAll}
              checked={table.getIsAllRowsSelected()}
              disabled={locked}
              onChange={table.getToggleAllRowsSelectedHandler()}
              ref={(box) => {
                if (box) box.indeterminate = table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected();
              }}
            />
          </th>
        )}
        {columns.map((column) => {
          const model = table.getColumn(column.id);
          const sorted = model?.getIsSorted() ?? false;
          const classes = [column.align === 'end' ? 'end' : '', column.below ? `below-${column.below}` : ''].join(' ').trim();
          return (
            <th
              key={column.id}
              scope="col"
              className={classes}
              {...(sorted ? { 'aria-sort': sorted === 'asc' ? ('ascending' as const) : ('descending' as const) } : {})}
            >
              {column.sortable && model ? (
                <button type="button" onClick={model.getToggleSortingHandler()} title={en.grid.sortHint}>
                  <span className="ellipsis">{column.header}</span>
                  {sorted && <Icon name={sorted === 'asc' ? 'sortUp' : 'sortDown'} />}
                  {sorted && several && <sup>{model.getSortIndex() + 1}</sup>}
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
