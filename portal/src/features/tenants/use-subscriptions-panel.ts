/** The panel of a tenant's subscriptions, in the address as `subscriptionsOf`; the one that is edited as `subscriptionId`. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';

const panelParam = 'subscriptionsOf';
export const subscriptionParam = 'subscriptionId';

export function useSubscriptionsPanel() {
  const [params] = useSearchParams();
  const change = useAddress();
  const open = useCallback(
    (tenantId: string) =>
      change(
        (next) => {
          for (const name of ['id', 'tab', subscriptionParam]) next.delete(name);
          next.set(panelParam, tenantId);
          return undefined;
        },
        { now: true },
      ),
    [change],
  );
  return {
    tenantId: params.get(panelParam),
    open,
    close: () =>
      change(
        (next) => {
          for (const name of [panelParam, subscriptionParam]) next.delete(name);
          return undefined;
        },
        { now: true },
      ),
  };
}
