import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { isSignedIn } from '../api/session.ts';
import { queryClient } from '../api/query-client.ts';
import { defaultViews, openingWith, viewScreenAt } from '../filters/default-views.ts';
import { listQuery } from '../filters/list-query.ts';
import type { ListAddress } from '../filters/list-state.ts';
import { newId } from '../hooks/use-panel.ts';
import { pageQuery } from '../rows/use-rows.ts';
import type { View } from '../resource/view.ts';

/** The longest time for which the previous screen stays visible while the rows load. */
const maxMs = 250;

/**
 * Prefetches the page of a list whose query depends only on the address, and the panel in the address. Waits up to `maxMs` for
 * the rows, but not for the panel: rendering list and panel at once would block the browser for too long.
 */
export async function prefetchList<R extends Resource, Item extends ExpandItem<R>>(
  view: View<R, Item>,
  address: ListAddress,
  { request, params }: { request: Request; params: Record<string, string | undefined> },
  panel: (id: string) => Promise<unknown>,
): Promise<null> {
  const { pathname, searchParams } = new URL(request.url);
  const screen = viewScreenAt(pathname);
  const state = openingWith(address, screen && defaultViews.get()[screen]).read(searchParams);
  if (!isSignedIn() || state.quick.length > 0) return null;
  const scope = { tenantId: params['tenantId'] ?? null, subscriptionId: null, user: undefined, isKnown: false };
  const rows = queryClient.prefetchQuery(pageQuery(view.resource, listQuery(view, state, scope)));
  const id = searchParams.get(view.panelParam ?? 'id');
  // The panel retries what failed to load, and reports it.
  if (id && id !== newId) panel(id).catch(() => undefined);
  await Promise.race([rows, new Promise((resolve) => setTimeout(resolve, maxMs))]);
  return null;
}
