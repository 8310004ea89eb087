/** A column of a table: what it shows and whether it sorts. */
import { rowSelectionFeature, rowSortingFeature, tableFeatures } from '@tanstack/react-table';
import type { ReactNode } from 'react';

interface ColumnParts<T> {
  id: string;
  header: string;
  /** The heading is only read aloud. */
  quiet?: boolean;
  /** Pixels; the column that grows takes what is left, and at least this. */
  width: number;
  grow?: boolean;
  align?: 'end';
  tone?: 'strong' | 'soft';
  /** Hidden below the breakpoint. */
  below?: 'sm' | 'md';
  cell: (row: T) => ReactNode;
  /** What the cell says, in plain words. */
  text?: (row: T) => string;
  /** The content is always narrower than the column: a chip, a time, a number. */
  fits?: true;
}

/** A list sorts by the field that a sortable column is named after. */
export type TableColumn<T> = ColumnParts<T> & ({ sortable?: false } | { sortable: boolean; id: keyof T & string });

export interface SortKey {
  id: string;
  desc: boolean;
}

export const features = tableFeatures({ rowSelectionFeature, rowSortingFeature });

export type Features = typeof features;
