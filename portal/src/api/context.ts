/** The tenant and subscription that the person works in. */
import { browserStore } from './browser-store.ts';
import { useCurrentUser, useSubscriptions, useTenants, type CurrentUser, type SubscriptionChoice } from './lookups.ts';

export interface CurrentContext {
  tenantId: string | null;
  tenantName: string | undefined;
  subscriptionId: string | null;
  subscriptionName: string | undefined;
  user: CurrentUser | undefined;
  /** Whether the person, tenants and subscriptions have loaded; true also for a person without tenants. */
  isKnown: boolean;
}

/** The person's stored subscription if it belongs to the tenant, otherwise the first one of the tenant. */
export function subscriptionIn(
  tenantId: string | null,
  storedId: string | null | undefined,
  all: readonly SubscriptionChoice[],
): SubscriptionChoice | undefined {
  const ofTenant = all.filter((subscription) => subscription.tenantId === tenantId);
  return ofTenant.find((subscription) => subscription.subscriptionId === storedId) ?? ofTenant[0];
}

/** The tenant in which somebody works who has chosen none: the first one that they saw, whatever tenants are added later. */
export const firstTenant = browserStore('cloudfit.tenants.first', (stored) => (typeof stored === 'string' ? stored : null));

/**
 * The tenant and subscription in use. `inAddress`: the tenant of the screen; it takes precedence over the tenant that the person
 * has chosen.
 */
export function useContextNow(inAddress?: string): CurrentContext {
  const { data: user } = useCurrentUser();
  const { data: tenants } = useTenants();
  const { data: subscriptions } = useSubscriptions();
  const first = firstTenant.use();
  const home = tenants?.find((tenant) => tenant.tenantId === first) ?? tenants?.[0];
  const tenantId = inAddress ?? user?.tenantId ?? home?.tenantId ?? null;
  const subscription = subscriptionIn(tenantId, user?.subscriptionId, subscriptions ?? []);
  return {
    tenantId,
    user,
    tenantName: tenants?.find((tenant) => tenant.tenantId === tenantId)?.name,
    subscriptionId: subscription?.subscriptionId ?? null,
    subscriptionName: subscription?.name,
    isKnown: user !== undefined && tenants !== undefined && subscriptions !== undefined,
  };
}
