/** What the portal adds to a declaration: columns, filters, actions, form. A view sets only what differs from the default. */
import type { FunctionComponent, ReactNode } from 'react';
import type { FieldName, Resource, Verb } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem, FieldPath } from '@cloudfit/contract/resources/expanded.ts';
import type { IconName } from '../components/icon.tsx';
import type { MenuEntry } from '../components/overlay/floating-props.ts';
import type { ColumnText, TableColumn } from '../components/table/table-column.ts';
import type { FormLayout } from '../forms/form-types.ts';
import type { FormValues } from '../rows/row.ts';
import type { ExportSource } from '../export/export-rows.ts';
import type { Listing } from '../filters/listing.ts';

/** A column defined by the view: a table column and, if sortable, the field to sort by; `text` is the exported value. */
export type ViewColumn<T> = TableColumn<T> &
  ColumnText<T> & {
    /** Shown beside the cell, outside the link that opens the row. */
    after?: (row: T, open: () => void) => ReactNode;
    /** Whether the column is hidden until a person chooses it. */
    hidden?: true;
  };

export interface RowTools {
  may: (verb: 'create' | 'edit' | 'delete') => boolean;
}

export interface PanelProps<T> {
  /** The row of the list; undefined when the address names a row that the list does not show. */
  row: T | undefined;
  id: string;
  onClose: () => void;
}

export interface PanelCode<T> {
  Component: (props: PanelProps<T>) => ReactNode;
  /** Loads the code of the panel before a click needs it. */
  load?: () => Promise<unknown>;
}

export interface ViewTexts<T> {
  title: string;
  /** The message after a failed save. Null: the failure is only logged. */
  saveFailed?: string | null;
  deleteFailed?: (row: T, error: unknown) => string;
  deleted?: (row: T) => string;
  deleteQuestion?: (row: T) => string;
  emptyText?: string;
  edit?: string;
  delete?: string;
  /** Heading of the last column. */
  actions?: string;
}

/** A tab of the generic panel, for existing rows. `hasForm`: the tab has its own form, whose button replaces the panel's. */
export interface PanelTab<T> {
  id: string;
  label: string;
  hasForm?: true;
  Body: FunctionComponent<{ row: T }>;
}

/** `Item`: a row with the relations that the list expands. */
export interface View<R extends Resource = Resource, Item extends ExpandItem<R> = never> extends Listing, ExportSource {
  resource: R;
  texts: ViewTexts<ExpandedRow<R, Item>>;
  icon: IconName;
  expand?: readonly Item[];
  filters?: readonly FieldName<R>[];
  searchIn?: readonly FieldPath<R>[];
  /** Field names or columns; a name uses the declared column. */
  columns: readonly (FieldName<R> | ViewColumn<ExpandedRow<R, Item>>)[];
  /** Shown below the title on a phone; by default the values of the columns that a phone hides. */
  phoneLine?: (row: ExpandedRow<R, Item>) => ReactNode;
  searchDebounceMs?: number;
  /** Query parameter of the address that holds the open row. */
  panelParam?: string;
  /** Entries of a row's menu, before the history and Delete. */
  actions?: (row: ExpandedRow<R, Item>, tools: RowTools) => readonly MenuEntry[];
  /** The verbs of the resource that the portal offers; a function returns those for a row or, without a row, for the list. */
  offers?: readonly Verb[] | ((row: ExpandedRow<R, Item> | undefined) => readonly Verb[]);
  form?: FormLayout<R>;
  /** Initial values of a new row, also of hidden fields. */
  start?: FormValues<R>;
  /** Replaces the generic panel. */
  panel?: PanelCode<ExpandedRow<R, Item>>;
  /** What a change of the row touches: shown in the form once something is typed, and in the question before a deletion. */
  impact?: (row: ExpandedRow<R, Item>, change: 'update' | 'delete') => ReactNode;
  /** Shown in the generic panel above the form. */
  panelTop?: (row: ExpandedRow<R, Item>) => ReactNode;
  /** Tabs of the generic panel besides the form; `first` stands before the form and is open at first. */
  tabs?: { form: string; first?: PanelTab<ExpandedRow<R, Item>>; others: readonly PanelTab<ExpandedRow<R, Item>>[] };
  /** Polls while the page is visible and no live changes arrive. */
  pollMs?: number;
}

/** Whether the portal offers a verb for a row; without a row, for the list. */
export function offers<T>(
  view: { resource: Resource; offers?: readonly Verb[] | ((row: T | undefined) => readonly Verb[]) },
  verb: Verb,
  row?: T,
) {
  const verbs = typeof view.offers === 'function' ? view.offers(row) : (view.offers ?? view.resource.verbs);
  return verbs.includes(verb);
}

/** Types a view by its resource and its expanded relations, so that columns, filters and texts know their rows. */
export function defineView<R extends Resource, const Item extends ExpandItem<R> = never>(view: View<R, Item>): View<R, Item> {
  return view;
}
