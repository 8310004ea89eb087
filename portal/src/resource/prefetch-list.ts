import { isSignedIn } from '../api/session.ts';
import { queryClient } from '../api/query-client.ts';
import { listQuery } from './list-query.ts';
import { startState } from './list-state.ts';
import { pageQuery } from './use-rows.ts';
import type { View } from './view.ts';

/** The screen before stays no longer than this. */
const mostMs = 150;

/** Asks for the first page of a list that depends on nothing but its address; the screen is drawn when it came, or without it. */
export async function prefetchList(
  view: View,
  { request, params }: { request: Request; params: Record<string, string | undefined> },
): Promise<null> {
  const state = startState(view, new URL(request.url).searchParams);
  if (!isSignedIn() || state.quick.length > 0) return null;
  const scope = { tenantId: params['tenantId'] ?? null, subscriptionId: null, user: undefined, isKnown: false };
  const came = queryClient.prefetchQuery(pageQuery(view.resource, listQuery(view, state, scope)));
  await Promise.race([came, new Promise((resolve) => setTimeout(resolve, mostMs))]);
  return null;
}
