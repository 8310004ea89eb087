import { useMemo } from 'react';
import { useParams } from 'react-router';
import { useCurrentUser } from '../api/lookups.ts';
import type { Scope } from './view.ts';

/** Where the page looks from: the tenant of the address, and the person's subscription when it is of that tenant. */
export function useScope(): Scope {
  const { tenantId } = useParams();
  const { data: user } = useCurrentUser();
  return useMemo(
    () => ({ tenantId: tenantId ?? null, subscriptionId: user && (!tenantId || user.tenantId === tenantId) ? user.subscriptionId : null, user }),
    [tenantId, user],
  );
}
