/** Who has opened a unit and the links of messages about it; and telling that this page was opened by such a link. */
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { openedLink, workUnitSeen } from '@cloudfit/contract/calls.ts';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import { call, callQuery, useCall } from '../../../api/call.ts';
import { currentImpersonation } from '../../../api/see-as.ts';
import { useAddress } from '../../../hooks/use-address.ts';

// Read again when somebody comes or goes, as presence is.
const readOf = (id: number) => ({ refreshedBy: [presenceEntity, String(id)], together: true }) as const;

export const seenQuery = (id: number) => callQuery(workUnitSeen, { id }, readOf(id));

export const useSeen = (id: number) => useCall(workUnitSeen, { id }, readOf(id)).data?.value ?? [];

/** Tells once that the unit was opened by the link of the message in the address, and takes the message out of it. */
export function useOpenedLink(id: number): void {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const messageId = params.get('message');
  useEffect(() => {
    if (messageId === null) return;
    if (currentImpersonation() === undefined) call(openedLink, { id, messageId }, { quiet: true }).catch(() => undefined);
    setAddress(
      (next) => {
        next.delete('message');
        return undefined;
      },
      { replace: true },
    );
  }, [id, messageId, setAddress]);
}
