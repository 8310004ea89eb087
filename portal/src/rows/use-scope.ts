import { useMemo } from 'react';
import { useParams } from 'react-router';
import { useContextNow } from '../api/context.ts';
import type { CurrentUser } from '../api/lookups.ts';

/** The tenant and subscription of a list. `tenantId` is null when the address has no tenant. */
export interface ChosenScope {
  tenantId: string | null;
  subscriptionId: string | null;
  user: CurrentUser | undefined;
  /** Whether the person, tenants and subscriptions have loaded. */
  isKnown: boolean;
}

/** The tenant in the address, and the subscription in use. */
export function useScope(): ChosenScope {
  const { tenantId } = useParams();
  const now = useContextNow(tenantId);
  return useMemo(
    () => ({ tenantId: tenantId ?? null, subscriptionId: now.subscriptionId, user: now.user, isKnown: now.isKnown }),
    [tenantId, now.subscriptionId, now.user, now.isKnown],
  );
}
