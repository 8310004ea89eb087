/** A column of a table: what it shows and whether it sorts. */
import type { ReactNode } from 'react';

interface ColumnParts<T> {
  id: string;
  header: string;
  /** Whether only screen readers get the heading. */
  quiet?: boolean;
  /** The width in pixels. The column that grows takes the remaining width, but at least this width. */
  width: number;
  grow?: boolean;
  align?: 'end';
  tone?: 'strong' | 'soft';
  /** The column is hidden on screens below this width. */
  below?: 'sm' | 'md';
  cell: (row: T) => ReactNode;
  /** The content of the cell as plain text. */
  text?: (row: T) => string;
  /**
   * Replaces `text` where the row alone is not enough: reads the missing data for all rows of an export, including rows that
   * are not on the screen.
   */
  texts?: (rows: readonly T[]) => Promise<(row: T) => string>;
  /** The cells have buttons only, which an export leaves out. */
  buttons?: true;
  /** Set where the content is never wider than the column, such as a chip, a time or a number. */
  fits?: true;
}

/** A sortable column is named after the field that the list sorts by; one of a related row has the relation before it. */
export type TableColumn<T> = ColumnParts<T> &
  ({ sortable?: false } | { sortable: boolean; id: (keyof T & string) | `${keyof T & string}/${string}` });

/** The text of a column for exports. A column that has only buttons has none. */
export type ColumnText<T> =
  | { text: (row: T) => string }
  | { texts: (rows: readonly T[]) => Promise<(row: T) => string> }
  | { buttons: true };

export interface SortKey {
  id: string;
  desc: boolean;
}
