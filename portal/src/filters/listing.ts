/** Declares what a list reads, and its filters. */
import type { FieldName, Resource } from '@cloudfit/contract/resource.ts';
import type { ChosenScope } from '../rows/use-scope.ts';

/** Chosen values by field. */
export type ChosenFilters = Readonly<Record<string, readonly string[]>>;

/** The same for code that knows the resource. */
export type FiltersOf<R extends Resource> = Readonly<Partial<Record<FieldName<R>, readonly string[]>>>;

/** A filter that is not about one field: on or off. Its condition depends on the person and the tenant. */
export interface QuickFilter {
  id: string;
  label: string;
  clause: (scope: ChosenScope) => string | undefined;
  /** Filters that are also set when the quick filter is switched on, so that another filter does not hide its rows. */
  filters?: ChosenFilters;
}

export interface Listing {
  resource: Resource;
  expand?: readonly string[];
  /** Conditions besides the chosen filters; they may depend on the scope, the flags and these filters. */
  base?: (scope: ChosenScope, flags: readonly string[], filters: ChosenFilters) => readonly (string | undefined)[];
  /** Whether `base` uses the subscription, so that the list waits until the subscription has loaded. */
  bySubscription?: boolean;
  filters?: readonly string[];
  quick?: readonly QuickFilter[];
  /** Flags of the page in the address, passed to `base`. */
  flags?: readonly string[];
  /** What the search covers besides the fields that declare `search`: fields, or texts of related rows. */
  searchIn?: readonly string[];
  /** Initial rows per page. */
  rows?: number;
}
