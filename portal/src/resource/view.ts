/** What the portal adds to a declaration: columns, filters, actions, form. Only what differs from the default stands here. */
import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import type { Resource, Verb } from '@cloudfit/contract/resource.ts';
import type { CurrentUser } from '../api/lookups.ts';

import type { IconName } from '../components/icon.tsx';
import type { MenuEntry } from '../components/overlay/floating-props.ts';
import type { SortKey, TableColumn } from '../components/table/table-column.ts';
import type { FormLayout, Values } from './form-types.ts';
import type { ListState } from './list-state.ts';
import { type AnyRow, keyOf } from './row.ts';

/** Where a list is looked at from. `tenantId` is null where the address names no tenant. */
export interface Scope {
  tenantId: string | null;
  subscriptionId: string | null;
  user: CurrentUser | undefined;
  /** Tenant and subscription are settled. */
  isKnown: boolean;
}

/** A column of the view's own: a table column and, when it sorts, the field it sorts by; `text` is what an export writes. */
export interface ViewColumn<T> extends TableColumn<T> {
  /** Beside the cell, outside the link that opens the row. */
  after?: (row: T, open: (key: string) => void) => ReactNode;
}

/** A filter that is more than a field: on or off, its condition made from who looks. */
export interface QuickFilter {
  id: string;
  label: string;
  clause: (scope: Scope) => string | undefined;
}

export interface RowTools {
  open: (key: string, tab?: string) => void;
  may: (verb: 'create' | 'edit' | 'delete') => boolean;
  remove: () => void;
}

export interface PanelProps<T> {
  view: View<T>;
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
export interface PanelTab {
  id: string;
  label: string;
  Body: ComponentType<{ row: AnyRow }>;
}

export interface FilterFormProps {
  filters: ListState['filters'];
  onApply: (filters: ListState['filters']) => void;
  onClose: () => void;
}

/** How the state of a list stands in the address, where that is not the usual parameters. */
export interface AddressForm {
  read: (params: URLSearchParams, usual: ListState) => ListState;
  /** Leaves parameters alone that are not the list's. */
  write: (params: URLSearchParams, state: ListState, usual: ListState) => URLSearchParams;
}

export interface View<T = AnyRow> {
  resource: Resource;
  texts: ViewTexts<T>;
  icon: IconName;
  /** Field names or columns; a name is drawn as the declaration says. */
  columns: readonly (string | ViewColumn<T>)[];
  /** Beneath the title on a phone, where the other columns are hidden; what they say, when left out. */
  phoneLine?: (row: T) => ReactNode;
  /** Columns that are hidden until chosen. */
  hiddenAtFirst?: readonly string[];
  expand?: string;
  /** Conditions that always hold, from where the list is looked at. */
  base?: (scope: Scope, flags: readonly string[], filters: ListState['filters']) => readonly (string | undefined)[];
  /** `base` reads the subscription: the list waits until it is settled. */
  bySubscription?: boolean;
  filters?: readonly string[];
  /** Sets all filters at once, instead of the editor of one. */
  filterForm?: ComponentType<FilterFormProps>;
  /** All filters can be shown together beside the list. */
  filterPanel?: boolean;
  /** Texts that are filtered by choosing among the values there are. */
  filterAmong?: readonly string[];
  defaultFilters?: Readonly<Record<string, readonly string[]>>;
  /** Filters are remembered and applied when the bare address is visited. */
  savesFilters?: boolean;
  quick?: readonly QuickFilter[];
  /** Values of one field that the quick filters offer. */
  quickValues?: { field: string; values: readonly string[] };
  /** Switches of the page's own that stand in the address and that `base` receives. */
  flags?: readonly string[];
  defaultSort?: readonly SortKey[];
  /** Where the search looks beside the fields that declare `search`: fields, or texts reached through relations. */
  searchIn?: readonly string[];
  searchDebounceMs?: number;
  /** Column that opens the panel as a link. */
  opens?: string;
  /** Query parameter of the address that holds the open row. */
  panelParam?: string;
  /** Field whose value names the open row in the address; the key when left out. */
  panelKey?: string;
  /** Rows of a page at first. */
  rows?: number;
  /** Numbers of rows that the pager offers. */
  sizes?: readonly number[];
  address?: AddressForm;
  /** Buttons and menu entries of a row, before Edit and Delete. */
  actions?: (row: T, tools: RowTools) => readonly MenuEntry[];
  /** Why a row can only be looked at, whoever asks; nothing where it can be changed. */
  locked?: (row: T) => string | undefined;
  /** What the portal offers of the verbs that the resource has. */
  offers?: readonly Verb[];
  form?: FormLayout;
  /** First values of a new row, also of fields that the form does not show. */
  start?: Values;
  /** Starts loading what the panel will ask for: at the pointer's press, and at the click that opens it. Ends when it is there. */
  onOpening?: (client: QueryClient, row: T) => Promise<unknown> | undefined;
  /** Replaces the generic panel. */
  panel?: ComponentType<PanelProps<T>>;
  /** The address that a row leads to, instead of a panel. */
  leadsTo?: (row: T) => string;
  /** Shown in the generic panel above the form. */
  panelTop?: (row: T) => ReactNode;
  /** Tabs of the generic panel, beside the one that holds the form. */
  tabs?: { form: string; others: readonly PanelTab[] };
  /** Told what the generic panel saved, as the server answered it: a creation may tell what is never told again. */
  onSaved?: (row: T, isNew: boolean) => void;
  /** Poll while the page is visible and no live changes arrive. */
  pollMs?: number;
  /** Polls beside live changes too: they do not tell all that changes here. */
  pollsAlways?: boolean;
  exportFile?: string;
}

/** The relation whose key a field holds, such as `tenant` for `tenantId`. */
export function relationOf(resource: Resource, name: string): string | undefined {
  return Object.entries(resource.relations).find(([, relation]) => !relation.many && relation.from === name)?.[0];
}

/** What names a row in the address. */
export function panelKeyOf(view: Pick<View, 'resource' | 'panelKey'>, row: AnyRow): string {
  return view.panelKey ? String(row[view.panelKey]) : keyOf(view.resource, row);
}

export function offers(view: Pick<View, 'resource' | 'offers'>, verb: Verb): boolean {
  return (view.offers ?? view.resource.verbs).includes(verb);
}
