/** The tenant and subscription that the person works in. */
import { browserStore } from './browser-store.ts';
import {
  currentUserKey,
  tenantsQuery,
  useCurrentUser,
  useSubscriptions,
  useTenants,
  type CurrentUser,
  type SubscriptionChoice,
  type TenantChoice,
} from './lookups.ts';
import { queryClient } from './query-client.ts';

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

/** The tenant that the person has chosen, or the first one. */
const workTenantId = (user: CurrentUser | undefined, tenants: readonly TenantChoice[] | undefined): string | null =>
  user?.tenantId ?? (tenants?.find(({ tenantId }) => tenantId === firstTenant.get()) ?? tenants?.[0])?.tenantId ?? null;

/** The names of those of the tenants that the person has not chosen, by what has loaded; for code outside of components. */
export function namesOfOthers(tenantIds: ReadonlySet<unknown>): string[] {
  const tenants = queryClient.getQueryData<readonly TenantChoice[]>(tenantsQuery.queryKey) ?? [];
  const chosen = workTenantId(queryClient.getQueryData<CurrentUser>(currentUserKey), tenants);
  return tenants.flatMap(({ tenantId, name }) => (tenantId !== chosen && tenantIds.has(tenantId) ? [name] : []));
}

/**
 * The tenant and subscription in use. `inAddress`: the tenant of the screen; it takes precedence over the tenant that the person
 * has chosen.
 */
export function useContextNow(inAddress?: string): CurrentContext {
  const { data: user } = useCurrentUser();
  const { data: tenants } = useTenants();
  const { data: subscriptions } = useSubscriptions();
  firstTenant.use();
  const tenantId = inAddress ?? workTenantId(user, tenants);
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
