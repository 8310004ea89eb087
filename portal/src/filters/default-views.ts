/** With which view each list opens for the person: an address that says nothing about the list gets the view's state. */
import { isViewScreen, type ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { browserStore } from '../api/browser-store.ts';
import { namesState, type ListAddress } from './list-state.ts';

type DefaultQueries = Readonly<Partial<Record<ViewScreen, string>>>;

/** The queries of the default views, as last read from the server: a list opens before it answers. */
export const defaultViews = browserStore<DefaultQueries>('cloudfit.defaultViews', (stored) => {
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(Object.entries(stored).filter(([screen, query]) => isViewScreen(screen) && typeof query === 'string'));
});

/** The screen of which views can be saved at a path, such as `/{tenantId}/devices`. */
export function viewScreenAt(pathname: string): ViewScreen | undefined {
  const last = pathname.split('/').filter(Boolean).at(-1) ?? '';
  return isViewScreen(last) ? last : undefined;
}

/** The address of a list that opens with a view; `query` is that of the view, undefined for none. */
export function openingWith(address: ListAddress, query: string | undefined): ListAddress {
  if (query === undefined) return address;
  return {
    read: (params) => address.read(namesState(params) ? params : new URLSearchParams([...params, ...new URLSearchParams(query)])),
    write: (params, state) => {
      const next = address.write(params, state);
      // A list without filters says so, or the view would filter it again.
      if (!namesState(next)) next.set('f', '');
      return next;
    },
  };
}
