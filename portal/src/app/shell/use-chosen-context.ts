import { useEffect } from 'react';
import { useParams } from 'react-router';
import { firstTenant, useContextNow, type CurrentContext } from '../../api/context.ts';
import { useCurrentUser, useTenants } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';

/**
 * The tenant and subscription that the person has chosen in the header. Only the picker changes them; a link to a row of another
 * tenant does not. During an impersonation, which stores no choice, those of the address.
 */
export function useChosenContext(): CurrentContext {
  const { tenantId: inAddress } = useParams();
  return useContextNow(currentImpersonation() ? inAddress : undefined);
}

/** Stores, for a person who has chosen no tenant, the first one that they see. */
export function useFirstTenant(): void {
  const { tenantId: inAddress } = useParams();
  const { data: user } = useCurrentUser();
  const { data: tenants } = useTenants();
  const stored = firstTenant.use();
  useEffect(() => {
    if (!user || user.tenantId || !tenants || currentImpersonation() || tenants.some((tenant) => tenant.tenantId === stored)) return;
    const first = tenants.find((tenant) => tenant.tenantId === inAddress) ?? tenants[0];
    if (first) firstTenant.set(first.tenantId);
  }, [inAddress, stored, tenants, user]);
}
