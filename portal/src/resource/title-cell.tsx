import type { MouseEvent } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import type { RowOpening } from './use-opening.ts';
import type { View, ViewColumn } from './view.ts';
import { atMostPx, cellPaddingPx } from '../components/table/text-width.ts';

interface TitleCellProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  row: ExpandedRow<R, Item>;
  column: ViewColumn<ExpandedRow<R, Item>>;
  isPhone: boolean;
  /** Content of the second line; shown only on a phone. */
  details: readonly ViewColumn<ExpandedRow<R, Item>>[];
  opening: RowOpening<ExpandedRow<R, Item>>;
}

/** The width of a word beside the title, with the gap before it. */
const afterPx = 48;

/** Whether the title may be cut off. On a phone it always may, because the column may be narrower than declared. */
function mayBeCut<T>({ text, width, after }: ViewColumn<T>, row: T, isPhone: boolean): boolean {
  return isPhone || !text || atMostPx(text(row)) + cellPaddingPx + (after ? afterPx : 0) > width;
}

/** The link that opens the row; on a phone with a second line for the hidden columns. */
export function TitleCell<R extends Resource, Item extends ExpandItem<R>>({
  view,
  row,
  column,
  isPhone,
  details,
  opening,
}: TitleCellProps<R, Item>) {
  // A plain click keeps the filters in the address; a new tab opens the row without them.
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    opening.open(row);
  };
  return (
    <span className="title-cell">
      <span className="lines">
        <a {...(mayBeCut(column, row, isPhone) ? { className: 'ellipsis' } : {})} href={opening.href(row)} onClick={follow}>
          {column.cell(row)}
        </a>
        {details.length > 0 &&
          (view.phoneLine ? (
            <span className="phone-line parts">{view.phoneLine(row)}</span>
          ) : (
            <span className="phone-line ellipsis">
              {details
                .map((detail) => detail.text?.(row))
                .filter(Boolean)
                .join(' · ')}
            </span>
          ))}
      </span>
      {column.after?.(row, () => opening.open(row))}
    </span>
  );
}
