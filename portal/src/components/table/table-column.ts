/** A column of a table: what it shows and whether it sorts. */
import { rowSelectionFeature, rowSortingFeature, tableFeatures } from '@tanstack/react-table';
import type { ReactNode } from 'react';

export interface TableColumn<T> {
  id: string;
  header: string;
  /** The heading is only read aloud. */
  quiet?: boolean;
  /** Pixels; the column that grows takes what is left, and at least this. */
  width: number;
  grow?: boolean;
  align?: 'end';
  sortable?: boolean;
  tone?: 'strong' | 'soft';
  /** Hidden below the breakpoint. */
  below?: 'sm' | 'md';
  cell: (row: T) => ReactNode;
  /** What the cell says, in plain words. */
  text?: (row: T) => string;
  /** The content is always narrower than the column: a chip, a time, a number. */
  fits?: true;
}

export interface SortKey {
  id: string;
  desc: boolean;
}

export const features = tableFeatures({ rowSelectionFeature, rowSortingFeature });

export type Features = typeof features;
