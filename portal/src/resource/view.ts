/** What the portal adds to a declaration: columns, filters, actions, form. Only what differs from the default stands here. */
import type { FunctionComponent, ReactNode } from 'react';
import type { FieldName, Resource, Verb } from '@cloudfit/contract/resource.ts';
import type { Expanded, ExpandItem, FieldPath } from '@cloudfit/contract/resources/expanded.ts';
import type { IconName } from '../components/icon.tsx';
import type { MenuEntry } from '../components/overlay/floating-props.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import type { FormLayout } from '../forms/form-types.ts';
import type { FormValues } from '../rows/row.ts';
import type { Exported } from '../export/export-page.ts';
import type { Listing } from '../filters/listing.ts';

/** A column of the view's own: a table column and, when it sorts, the field it sorts by; `text` is what an export writes. */
export type ViewColumn<T> = TableColumn<T> & {
  /** Beside the cell, outside the link that opens the row. */
  after?: (row: T, open: () => void) => ReactNode;
  /** Shown only when a person chooses it. */
  hidden?: true;
};

export interface RowTools {
  may: (verb: 'create' | 'edit' | 'delete') => boolean;
}

export interface PanelProps<T> {
  /** The row as the list has it; undefined when the address names a row that the list does not show. */
  row: T | undefined;
  id: string;
  onClose: () => void;
}

export interface PanelCode<T> {
  Component: (props: PanelProps<T>) => ReactNode;
  /** Fetches the code ahead of the click that needs it. */
  load?: () => Promise<unknown>;
}

export interface ViewTexts<T> {
  title: string;
  /** Null: it is only logged. */
  saveFailed?: string | null;
  deleteFailed?: (row: T, error: unknown) => string;
  deleted?: (row: T) => string;
  deleteQuestion?: (row: T) => string;
  emptyText?: string;
  edit?: string;
  delete?: string;
  panelTitle?: (row: T) => string;
  /** Heading of the last column. */
  actions?: string;
}

/** A tab of the generic panel, of rows that exist. */
export interface PanelTab<T> {
  id: string;
  label: string;
  Body: FunctionComponent<{ row: T }>;
}

/** `Item`: what the list expands; it decides the type of the rows. */
export interface View<R extends Resource = Resource, Item extends ExpandItem<R> = never> extends Listing, Exported {
  resource: R;
  texts: ViewTexts<Expanded<R, Item>>;
  icon: IconName;
  expand?: readonly Item[];
  filters?: readonly FieldName<R>[];
  searchIn?: readonly FieldPath<R>[];
  /** Field names or columns; a name is drawn as the declaration says. */
  columns: readonly (FieldName<R> | ViewColumn<Expanded<R, Item>>)[];
  /** Beneath the title on a phone, where the other columns are hidden; what they say, when left out. */
  phoneLine?: (row: Expanded<R, Item>) => ReactNode;
  searchDebounceMs?: number;
  /** Query parameter of the address that holds the open row. */
  panelParam?: string;
  /** Buttons and menu entries of a row, before Edit and Delete. */
  actions?: (row: Expanded<R, Item>, tools: RowTools) => readonly MenuEntry[];
  /** What the portal offers of the verbs that the resource has; as a function, what it offers for a row, or without one. */
  offers?: readonly Verb[] | ((row: Expanded<R, Item> | undefined) => readonly Verb[]);
  form?: FormLayout<R>;
  /** First values of a new row, also of fields that the form does not show. */
  start?: FormValues<R>;
  /** Replaces the generic panel. */
  panel?: PanelCode<Expanded<R, Item>>;
  /** Shown in the generic panel above the form. */
  panelTop?: (row: Expanded<R, Item>) => ReactNode;
  /** Tabs of the generic panel, beside the one that holds the form. */
  tabs?: { form: string; others: readonly PanelTab<Expanded<R, Item>>[] };
  /** Poll while the page is visible and no live changes arrive. */
  pollMs?: number;
}

/** What the portal offers for a row; without one, for the list. */
export function offers<T>(
  view: { resource: Resource; offers?: readonly Verb[] | ((row: T | undefined) => readonly Verb[]) },
  verb: Verb,
  row?: T,
) {
  const verbs = typeof view.offers === 'function' ? view.offers(row) : (view.offers ?? view.resource.verbs);
  return verbs.includes(verb);
}

/** Ties a view to its resource and to what it expands, so that columns, filters and texts know their rows. */
export function defineView<R extends Resource, const Item extends ExpandItem<R> = never>(view: View<R, Item>): View<R, Item> {
  return view;
}
