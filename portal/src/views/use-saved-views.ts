/** The saved views that the person sees, and what opening one does. */
import { useEffect } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { savedViews } from '@cloudfit/contract/calls.ts';
import { readerMarks, viewScreens, type ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { useCall } from '../api/call.ts';
import { useContextNow } from '../api/context.ts';
import { useIdle } from '../api/when-idle.ts';
import { defaultViews } from '../filters/default-views.ts';
import { hiddenColumns } from './hidden-columns.ts';

export type SavedView = CallOutput<typeof savedViews>['views'][number];

/** The parameter of an address that opens a view as it is now: `/devices?savedView=...`. */
export const viewParam = 'savedView';

const freshMs = 60_000;

/** The views of all lists that the person sees in the current tenant. */
export function useSavedViews() {
  const isIdle = useIdle();
  const { tenantId, isKnown } = useContextNow();
  const query = useCall(savedViews, tenantId ? { tenantId } : {}, { staleTime: freshMs, enabled: isIdle && isKnown });
  const { data } = query;
  useEffect(() => {
    if (!data) return;
    const now = Object.fromEntries(data.views.filter(({ isDefault }) => isDefault).map((view) => [view.screen, view.address]));
    if (JSON.stringify(now) !== JSON.stringify(defaultViews.get())) defaultViews.set(now);
  }, [data]);
  return query;
}

/** Shows the columns of the view, if it has any. */
export function showColumnsOf({ screen, hidden }: Pick<SavedView, 'screen' | 'hidden'>): void {
  if (hidden) hiddenColumns(viewScreens[screen]).set(Object.fromEntries(hidden.map((id) => [id, true])));
}

/** The path of the view's list. A view that was saved in a tenant opens in the current one. */
export function pathOfView({ screen, filter }: { screen: ViewScreen; filter: string | null }, tenantId: string | null): string {
  const isOfAll = screen === 'workunitsv2' && !filter?.includes(readerMarks.tenantId);
  return isOfAll || tenantId === null ? `/${screen}` : `/${tenantId}/${screen}`;
}
