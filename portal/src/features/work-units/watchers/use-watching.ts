/** Who follows a unit, and the command by which the person begins or ends to follow it. */
import { useQuery } from '@tanstack/react-query';
import { unwatchWorkUnit, watchersOfWorkUnit, watchWorkUnit } from '@cloudfit/contract/calls.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { watcherTexts as t } from '@cloudfit/contract/messages/watchers.en.ts';
import { call, callQuery } from '../../../api/call.ts';
import { useCurrentUser } from '../../../api/lookups.ts';
import { useCommand } from '../../../calls/command.ts';

const entity: ResourceName = 'workUnits';
/** The beginning of the query keys: watchers are announced as changes of their unit. */
const refreshedBy = [entity, 'watchers'];

export const watchersQuery = (id: number) => callQuery(watchersOfWorkUnit, { id }, { refreshedBy, together: true });

/** The watchers of a unit, whether the person is one of them, and `toggle`, which a button and a key share. */
export function useWatching(id: number) {
  const { data: user } = useCurrentUser();
  const { data } = useQuery(watchersQuery(id));
  const watchers = data?.value ?? [];
  const isWatching = watchers.some(({ personId }) => personId === user?.personId);
  const { run, isBusy } = useCommand((watches: boolean) => call(watches ? watchWorkUnit : unwatchWorkUnit, { id }), {
    done: (_, watches) => (watches ? t.began : t.ended),
    refreshes: [entity],
  });
  return { watchers, isWatching, isBusy, isLoaded: data !== undefined, toggle: () => void run(!isWatching) };
}
