/** What a list asks for and how it can be narrowed. */
import type { ComponentType } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { SortKey } from '../components/table/table-column.ts';
import type { Scope } from '../rows/use-scope.ts';
import type { ListState } from './list-state.ts';

/** A filter that is more than a field: on or off, its condition made from who looks. */
export interface QuickFilter {
  id: string;
  label: string;
  clause: (scope: Scope) => string | undefined;
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

/** What a list asks for and how it can be narrowed, apart from what shows its rows. */
export interface Listing {
  resource: Resource;
  expand?: readonly string[];
  /** Conditions that always hold, from where the list is looked at. */
  base?: (scope: Scope, flags: readonly string[], filters: ListState['filters']) => readonly (string | undefined)[];
  /** `base` reads the subscription: the list waits until it is settled. */
  bySubscription?: boolean;
  filters?: readonly string[];
  /** Sets all filters at once, instead of the editor of one. */
  filterForm?: ComponentType<FilterFormProps>;
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
  /** Rows of a page at first. */
  rows?: number;
  /** Numbers of rows that the pager offers. */
  sizes?: readonly number[];
  address?: AddressForm;
}
