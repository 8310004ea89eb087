/** What the portal adds to a declaration: columns, filters, actions, form. Only what differs from the default stands here. */
import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType, FunctionComponent, ReactNode } from 'react';
import type { FieldName, Resource, Row, Verb } from '@cloudfit/contract/resource.ts';
import type { Expanded, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import type { IconName } from '../components/icon.tsx';
import type { MenuEntry } from '../components/overlay/floating-props.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import type { FormLayout } from '../forms/form-types.ts';
import type { Values } from '../rows/row.ts';
import type { Exported } from '../export/export-page.ts';
import type { Listing } from '../filters/listing.ts';

import { fieldValue, keyOf } from '../rows/row.ts';

/** A column of the view's own: a table column and, when it sorts, the field it sorts by; `text` is what an export writes. */
export interface ViewColumn<T> extends TableColumn<T> {
  /** Beside the cell, outside the link that opens the row. */
  after?: (row: T, open: (key: string) => void) => ReactNode;
}

export interface RowTools {
  open: (key: string, tab?: string) => void;
  may: (verb: 'create' | 'edit' | 'delete') => boolean;
  remove: () => void;
}

export interface PanelProps<T> {
  /** The row as the list has it; undefined when the address names a row that the list does not show. */
  row: T | undefined;
  id: string;
  onClose: () => void;
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
  filterAmong?: readonly FieldName<R>[];
  /** Field names or columns; a name is drawn as the declaration says. */
  columns: readonly (FieldName<R> | ViewColumn<Expanded<R, Item>>)[];
  /** Beneath the title on a phone, where the other columns are hidden; what they say, when left out. */
  phoneLine?: (row: Expanded<R, Item>) => ReactNode;
  /** Columns that are hidden until chosen. */
  hiddenAtFirst?: readonly string[];
  /** All filters can be shown together beside the list. */
  filterPanel?: boolean;
  searchDebounceMs?: number;
  /** Column that opens the panel as a link. */
  opens?: FieldName<R>;
  /** Query parameter of the address that holds the open row. */
  panelParam?: string;
  /** Field whose value names the open row in the address; the key when left out. */
  panelKey?: FieldName<R>;
  /** Buttons and menu entries of a row, before Edit and Delete. */
  actions?: (row: Expanded<R, Item>, tools: RowTools) => readonly MenuEntry[];
  /** Why a row can only be looked at, whoever asks; nothing where it can be changed. */
  locked?: (row: Expanded<R, Item>) => string | undefined;
  /** What the portal offers of the verbs that the resource has. */
  offers?: readonly Verb[];
  form?: FormLayout<R>;
  /** First values of a new row, also of fields that the form does not show. */
  start?: Values<R>;
  /** Starts loading what the panel will ask for: at the pointer's press, and at the click that opens it. Ends when it is there. */
  onOpening?: (client: QueryClient, row: Expanded<R, Item>) => Promise<unknown> | undefined;
  /** Replaces the generic panel. */
  panel?: ComponentType<PanelProps<Expanded<R, Item>>>;
  /** The address that a row leads to, instead of a panel. */
  leadsTo?: (row: Expanded<R, Item>) => string;
  /** Shown in the generic panel above the form. */
  panelTop?: (row: Expanded<R, Item>) => ReactNode;
  /** Tabs of the generic panel, beside the one that holds the form. */
  tabs?: { form: string; others: readonly PanelTab<Expanded<R, Item>>[] };
  /** Told what the generic panel saved, as the server answered it: a creation may tell what is never told again. */
  onSaved?: (row: Row<R>, isNew: boolean) => void;
  /** Poll while the page is visible and no live changes arrive. */
  pollMs?: number;
  /** Polls beside live changes too: they do not tell all that changes here. */
  pollsAlways?: boolean;
}

/** What names a row in the address. */
export function panelKeyOf({ resource, panelKey }: { resource: Resource; panelKey?: string }, row: object): string {
  return panelKey ? String(fieldValue(row, panelKey)) : keyOf(resource, row);
}

export function offers(view: { resource: Resource; offers?: readonly Verb[] }, verb: Verb): boolean {
  return (view.offers ?? view.resource.verbs).includes(verb);
}

/** Ties a view to its resource and to what it expands, so that columns, filters and texts know their rows. */
export function defineView<R extends Resource, const Item extends ExpandItem<R> = never>(view: View<R, Item>): View<R, Item> {
  return view;
}
