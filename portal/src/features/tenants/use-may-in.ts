import { permissionsOfCaller } from '@cloudfit/contract/calls.ts';
import { permission, type Area, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import { useCall } from '../../api/call.ts';

/**
 * Returns whether the person may do something in a tenant, which may not be their current tenant; false while permissions load.
 */
export function useMayIn(tenantId: string): (area: Area, verb: PermissionVerb) => boolean {
  const { data } = useCall(permissionsOfCaller, { tenantId }, { staleTime: 60_000 });
  return (area, verb) => data?.includes(permission(area, verb)) ?? false;
}
