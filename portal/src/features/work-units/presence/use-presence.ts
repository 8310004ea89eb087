/** Reports that this page shows or edits a unit, and reads who else does: one call, repeated while the page is visible. */
import { useEffect } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { workUnitPresence } from '@cloudfit/contract/calls.ts';
import { presenceBeatSeconds, presenceEntity, type Presence, type PresenceState } from '@cloudfit/contract/presence.ts';
import { call } from '../../../api/call.ts';
import { RequestFailed } from '../../../api/client.ts';
import { pageId } from '../../../api/live.ts';
import { currentImpersonation } from '../../../api/see-as.ts';

/** Units with unsaved changes on this page. */
const editedIds = new Set<number>();
/** Units that this page has reported to the server. */
const announcedIds = new Set<number>();

const key = (id: number) => [presenceEntity, String(id)];

async function tell(id: number, state: PresenceState | 'gone', signal?: AbortSignal): Promise<readonly Presence[]> {
  return (await call(workUnitPresence, { id, page: pageId, state }, { quiet: true, signal })).value;
}

const stateOf = (id: number): PresenceState => (editedIds.has(id) ? 'editing' : 'looking');

/** Reports what the page does; reports again if that has changed while the report was being sent. */
async function reportPresence(id: number, signal: AbortSignal): Promise<readonly Presence[]> {
  const state = stateOf(id);
  const others = await tell(id, state, signal);
  return state === stateOf(id) ? others : reportPresence(id, signal);
}

const isRefused = (error: Error | null) => error instanceof RequestFailed && error.status >= 400 && error.status < 500;

/**
 * Delay of the first report in milliseconds: paging through units sends no report for each, and the panel's content loads
 * first.
 */
const settleMs = 250;

const settled = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, settleMs);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });

/** The other people at the unit, as long as it is open. */
export function usePresence(id: number): readonly Presence[] {
  const { data } = useQuery({
    queryKey: key(id),
    queryFn: async ({ signal }) => {
      if (!announcedIds.has(id)) await settled(signal);
      announcedIds.add(id);
      return reportPresence(id, signal);
    },
    // An administrator who sees the portal as another person reports nothing: the server would refuse it and record that.
    enabled: currentImpersonation() === undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: (query) => (isRefused(query.state.error) ? false : presenceBeatSeconds * 1_000),
  });
  useEffect(
    () => () => {
      editedIds.delete(id);
      if (announcedIds.delete(id)) tell(id, 'gone').catch(() => undefined);
    },
    [id],
  );
  return data ?? [];
}

export function useReportEditing(id: number, isEditing: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (editedIds.has(id) === isEditing) return;
    if (isEditing) editedIds.add(id);
    else editedIds.delete(id);
    // Without `cancelRefetch`, because the server would keep the state of whichever of two simultaneous reports it reads last.
    void client.invalidateQueries({ queryKey: key(id) }, { cancelRefetch: false });
  }, [client, id, isEditing]);
}
