/** Named states of a list that a person keeps in this browser; a state is the query of its address. */
import { browserStore } from '../../../api/browser-store.ts';
import type { ListState } from '../../../filters/list-state.ts';
import { workUnitsAddress } from '../list-address.ts';

export interface SavedView {
  name: string;
  query: string;
}

function isSavedView(value: unknown): value is SavedView {
  const { name, query } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && typeof query === 'string';
}

/** The saved views of the list of work units. */
export const savedViews = browserStore<readonly SavedView[]>('cloudfit.views.workUnits', (stored) =>
  Array.isArray(stored) ? stored.filter(isSavedView) : [],
);

/** The query that a view saves: the state of the list without its page. */
export function queryOfState(state: ListState): string {
  return workUnitsAddress.write(new URLSearchParams(), { ...state, page: 0 }).toString();
}

export const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
