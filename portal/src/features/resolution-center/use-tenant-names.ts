import { useMemo } from 'react';
import { useTenants } from '../../api/lookups.ts';

/** The name of a tenant, for people with several tenants; undefined for all others, who need no name. */
export function useTenantNames(): ((tenantId: string) => string) | undefined {
  const { data: tenants } = useTenants();
  return useMemo(() => {
    if (!tenants || tenants.length < 2) return undefined;
    const names = new Map(tenants.map(({ tenantId, name }) => [tenantId, name]));
    return (tenantId) => names.get(tenantId) ?? '';
  }, [tenants]);
}
