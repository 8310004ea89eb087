import { useMemo } from 'react';
import { useParams } from 'react-router';
import { useContextNow } from '../api/context.ts';
import type { CurrentUser } from '../api/lookups.ts';

/** Where a list is looked at from. `tenantId` is null where the address names no tenant. */
export interface ChosenScope {
  tenantId: string | null;
  subscriptionId: string | null;
  user: CurrentUser | undefined;
  /** Tenant and subscription are settled. */
  isKnown: boolean;
}

/** Where the page looks from: the tenant of the address and the subscription chosen in it. */
export function useScope(): ChosenScope {
  const { tenantId } = useParams();
  const now = useContextNow(tenantId);
  return useMemo(
    () => ({ tenantId: tenantId ?? null, subscriptionId: now.subscriptionId, user: now.user, isKnown: now.isKnown }),
    [tenantId, now.subscriptionId, now.user, now.isKnown],
  );
}
