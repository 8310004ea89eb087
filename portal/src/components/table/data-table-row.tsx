import { memo, type MouseEvent, type ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { TableColumn } from './table-column.ts';
import { atMostPx, cellPaddingPx } from './text-width.ts';

interface DataTableRowProps<T> {
  id: string;
  row: T;
  name: string;
  columns: readonly TableColumn<T>[];
  /** Whether Tab focuses this row first. */
  first: boolean;
  opened: boolean;
  marked: boolean;
  picked: boolean | undefined;
  locked: boolean;
  /** `isRange`: all rows from the one that was picked last. */
  onPick: ((key: string, value: boolean, isRange: boolean) => void) | undefined;
  onOpen: ((row: T) => void) | undefined;
  onPress: ((row: T) => void) | undefined;
}

const interactive = 'a, button, input, select, label, textarea';

/** Whether a click on the element opens the row: on its link or its text, but not on a button or a checkbox in it. */
const isOpening = (target: Element) => (target.closest(interactive)?.tagName ?? 'A') === 'A';

/** Whether a cell may overflow. Only such cells are clipped, because clipping is the most expensive part of painting a row. */
function mayOverflow<T>({ fits, grow, text, width }: TableColumn<T>, row: T): boolean {
  return !fits && (grow === true || text === undefined || atMostPx(text(row)) + cellPaddingPx > width);
}

function DataTableRowView<T>({
  id,
  row,
  name,
  columns,
  first,
  opened,
  marked,
  picked,
  locked,
  onPick,
  onOpen,
  onPress,
}: DataTableRowProps<T>) {
  const open = (event: MouseEvent<HTMLTableRowElement>) => {
    if (!onOpen || (event.target instanceof Element && event.target.closest(interactive))) return;
    // Selecting text in a row is not a click on it.
    if (window.getSelection()?.type === 'Range') return;
    onOpen(row);
  };
  const classes = `${opened ? 'opened ' : ''}${marked ? 'marked ' : ''}${picked ? 'picked' : ''}`;
  return (
    <tr
      data-row={id}
      {...(onOpen ? { 'data-open': '' } : {})}
      className={classes.trim()}
      tabIndex={first ? 0 : -1}
      onClick={open}
      onPointerDown={({ target }) => {
        if (target instanceof Element && isOpening(target)) onPress?.(row);
      }}
      {...(picked === undefined ? {} : { 'aria-selected': picked })}
    >
      {onPick && (
        <td className="tick">
          <input
            type="checkbox"
            aria-label={en.common.selectRow(name)}
            checked={picked ?? false}
            disabled={locked}
            onChange={({ target, nativeEvent }) => onPick(id, target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
            onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          className={`${mayOverflow(column, row) ? '' : 'fits '}${column.tone ?? ''} ${column.align ?? ''} ${column.below ? `below-${column.below}` : ''}`.trim()}
        >
          {column.cell(row) as ReactNode}
        </td>
      ))}
    </tr>
  );
}

/** Re-renders only when the row, its columns, its state or its open and press handlers change. */
export const DataTableRow = memo(
  DataTableRowView,
  (before, after) =>
    before.row === after.row &&
    before.columns === after.columns &&
    before.opened === after.opened &&
    before.marked === after.marked &&
    before.picked === after.picked &&
    before.locked === after.locked &&
    before.first === after.first &&
    before.onOpen === after.onOpen &&
    before.onPress === after.onPress,
) as typeof DataTableRowView;
