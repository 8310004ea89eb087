import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { isSignedIn } from '../api/session.ts';
import { queryClient } from '../api/query-client.ts';
import { listQuery } from '../filters/list-query.ts';
import type { ListAddress } from '../filters/list-state.ts';
import { newId } from '../hooks/use-panel.ts';
import { pageQuery } from '../rows/use-rows.ts';
import type { View } from './view.ts';

/** The screen before stays no longer than this. */
const maxMs = 250;

/**
 * Asks for the first page of a list that depends on nothing but its address, and for the panel that the address opens. The
 * screen is drawn when the rows came, or without them; both at once would keep the browser busy for too long.
 */
export async function prefetchList<R extends Resource, Item extends ExpandItem<R>>(
  view: View<R, Item>,
  address: ListAddress,
  { request, params }: { request: Request; params: Record<string, string | undefined> },
  panel: (id: string) => Promise<unknown>,
): Promise<null> {
  const { searchParams } = new URL(request.url);
  const state = address.read(searchParams);
  if (!isSignedIn() || state.quick.length > 0) return null;
  const scope = { tenantId: params['tenantId'] ?? null, subscriptionId: null, user: undefined, isKnown: false };
  const rows = queryClient.prefetchQuery(pageQuery(view.resource, listQuery(view, state, scope)));
  const id = searchParams.get(view.panelParam ?? 'id');
  // What fails to come is asked for again by the panel, which says so.
  if (id && id !== newId) panel(id).catch(() => undefined);
  await Promise.race([rows, new Promise((resolve) => setTimeout(resolve, maxMs))]);
  return null;
}
