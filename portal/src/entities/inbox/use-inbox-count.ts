/** How many items of the person's inbox are unread: one query for the bell, the menu and the title of the tab. */
import { useEffect } from 'react';
import { inboxCount } from '@cloudfit/contract/calls.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useIdle } from '../../api/when-idle.ts';
import { refresh } from '../../calls/command.ts';
import { nowMs } from '../../theme/now.ts';

// The name alone, because the shell loads no declarations.
const entity: ResourceName = 'inboxItems';
/** The longest time that browsers wait. */
const longestMs = 2 ** 31 - 1;

/** The number of unread items; 0 until it has loaded, and for people without work units. */
export function useInboxCount(): number {
  const mayView = useMay()('WorkUnits', 'view');
  const isIdle = useIdle();
  const { data } = useCall(inboxCount, {}, { refreshedBy: entity, enabled: mayView && isIdle });
  const nextDue = data?.nextDue;
  // No change announces that a snooze is over. By the clock of the server, because an earlier question would change nothing.
  useEffect(() => {
    if (!nextDue) return;
    const timer = setTimeout(() => void refresh([entity]), Math.min(Math.max(Date.parse(nextDue) - nowMs(), 0) + 1_000, longestMs));
    return () => clearTimeout(timer);
  }, [nextDue]);
  return data?.unread ?? 0;
}
