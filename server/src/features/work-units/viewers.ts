/** SQL conditions on people: who may see or edit work units at this moment. */
import { permission, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import { grantIsOpen, grantsOfPerson } from '../../auth/grants.ts';

const mayUnits = (verb: PermissionVerb, tenant: string): string =>
  `p.enabled and exists (select from access_grant g join permission_set s using (permission_set_id)
    where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = ${tenant}) and ${grantIsOpen} and s.permissions ? '${permission('WorkUnits', verb)}')`;

/** SQL condition: the person (`p`) is enabled and may view the work units of the tenant. */
export const mayViewUnits = (tenant: string): string => mayUnits('view', tenant);

/** SQL condition: the person (`p`) is enabled and may edit the work units of the tenant. */
export const mayEditUnits = (tenant: string): string => mayUnits('edit', tenant);
