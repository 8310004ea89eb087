/** Named states of a list that a person keeps in this browser; a state is the query of its address. */
import { browserStore, type BrowserStore } from '../../../api/browser-store.ts';
import { writeListState, type ListState } from '../../../filters/list-state.ts';
import type { Listing } from '../../../filters/listing.ts';

export interface SavedView {
  name: string;
  query: string;
}

const stores = new Map<string, BrowserStore<readonly SavedView[]>>();

function isSavedView(value: unknown): value is SavedView {
  const { name, query } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && typeof query === 'string';
}

export function savedViews(resource: string): BrowserStore<readonly SavedView[]> {
  const existing = stores.get(resource);
  if (existing) return existing;
  const store = browserStore<readonly SavedView[]>(`cloudfit.views.${resource}`, (value) =>
    Array.isArray(value) ? value.filter(isSavedView) : [],
  );
  stores.set(resource, store);
  return store;
}

/** The query that a view saves: the state of the list without its page. */
export function queryOfState(view: Listing, state: ListState): string {
  return writeListState(view, new URLSearchParams(), { ...state, page: 0 }).toString();
}

export const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
