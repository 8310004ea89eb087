/** Tells that this page was opened by the link of a message. Apart from what the list loads first. */
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { openedLink } from '@cloudfit/contract/calls.ts';
import { call } from '../../../api/call.ts';
import { currentImpersonation } from '../../../api/see-as.ts';
import { useAddress } from '../../../hooks/use-address.ts';

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
