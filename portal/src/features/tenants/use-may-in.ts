import { useQuery } from '@tanstack/react-query';
import { permission, type Area, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import { callJson } from '../../api/client.ts';

/**
 * Returns whether the person may do something in a tenant, which may not be their current tenant; false while permissions load.
 */
export function useMayIn(tenantId: string): (area: Area, verb: PermissionVerb) => boolean {
  const { data } = useQuery({
    queryKey: ['permissionsIn', tenantId],
    queryFn: () => callJson<string[]>(`/v1/permissions?tenantId=${tenantId}`, { quiet: true }),
    staleTime: 60_000,
  });
  return (area, verb) => data?.includes(permission(area, verb)) ?? false;
}
