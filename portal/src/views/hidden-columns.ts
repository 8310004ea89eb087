import { browserStore, type BrowserStore } from '../api/browser-store.ts';

export type HiddenColumns = Readonly<Record<string, boolean>>;

const stores = new Map<string, BrowserStore<HiddenColumns | null>>();

/** The columns that the person has chosen to hide in lists of an entity; null: those that the list hides at first. */
export function hiddenColumns(entity: string): BrowserStore<HiddenColumns | null> {
  const store =
    stores.get(entity) ??
    browserStore(`cloudfit.columns.${entity}`, (stored) =>
      typeof stored === 'object' && stored !== null ? (stored as HiddenColumns) : null,
    );
  stores.set(entity, store);
  return store;
}
