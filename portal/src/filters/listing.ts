/** What a list asks for and how it can be narrowed. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ChosenScope } from '../rows/use-scope.ts';

/** Chosen values by field. */
export type ChosenFilters = Readonly<Record<string, readonly string[]>>;

/** A filter that is more than a field: on or off, its condition follows from the person and the place. */
export interface QuickFilter {
  id: string;
  label: string;
  clause: (scope: ChosenScope) => string | undefined;
  /** Filters that it sets when it is switched on, so that what it looks for is not hidden by another filter. */
  filters?: ChosenFilters;
}

export interface Listing {
  resource: Resource;
  expand?: readonly string[];
  /** Conditions that always hold. */
  base?: (scope: ChosenScope, flags: readonly string[], filters: ChosenFilters) => readonly (string | undefined)[];
  /** `base` reads the subscription: the list waits until it is settled. */
  bySubscription?: boolean;
  filters?: readonly string[];
  quick?: readonly QuickFilter[];
  /** Switches of the page that stand in the address and that `base` receives. */
  flags?: readonly string[];
  /** Where the search looks beside the fields that declare `search`: fields, or texts reached through relations. */
  searchIn?: readonly string[];
  /** Rows of a page at first. */
  rows?: number;
}
