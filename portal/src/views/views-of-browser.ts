/** Views of work units that an earlier version stored in this browser; they are moved to the server once. */
import { saveView, savedViews } from '@cloudfit/contract/calls.ts';
import { browserStore } from '../api/browser-store.ts';
import { call } from '../api/call.ts';
import { RequestFailed } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';

interface StoredView {
  name: string;
  query: string;
}

function isStoredView(value: unknown): value is StoredView {
  const { name, query } = (value ?? {}) as Partial<StoredView>;
  return typeof name === 'string' && typeof query === 'string';
}

export const viewsOfBrowser = browserStore<readonly StoredView[]>('cloudfit.views.workUnits', (stored) =>
  Array.isArray(stored) ? stored.filter(isStoredView) : [],
);

/** Whether this page has begun to move them: it does so once for each visit. */
let hasBegun = false;

/** Whether the person has a view of this name on the server: it was moved before, or by another tab. */
async function isMoved(tenantId: string, name: string): Promise<boolean> {
  const { views } = await call(savedViews, { tenantId }, { quiet: true });
  return views.some((view) => view.isMine && view.screen === 'workunitsv2' && view.name.toLowerCase() === name.toLowerCase());
}

/**
 * Saves each view on the server and removes it here. What the server refuses stays, and what fails stays with the rest for the next visit:
 * a conflict may also mean that the person has as many views as possible. `filterOf` returns the filter of a query.
 */
export async function moveViewsOfBrowser(tenantId: string, filterOf: (query: string) => string | null): Promise<void> {
  if (hasBegun) return;
  hasBegun = true;
  for (const view of viewsOfBrowser.get()) {
    const chosen = { hidden: null, sharing: 'Me', team: null, inMenu: false, tenantId } as const;
    try {
      await call(
        saveView,
        { screen: 'workunitsv2', name: view.name, address: view.query, filter: filterOf(view.query), ...chosen },
        { quiet: true },
      );
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status < 400 || error.status >= 500) return;
      if (error.status !== 409 || !(await isMoved(tenantId, view.name))) continue;
    }
    viewsOfBrowser.set(viewsOfBrowser.get().filter(({ name }) => name !== view.name));
  }
  await queryClient.invalidateQueries({ queryKey: [savedViews] });
}
