/** Grants: the permissions and tenants that they give a ctx, and SQL conditions that select them. */
import type { Permissions } from '../context/ctx.ts';
import type { TenantScope } from '../db/db.ts';

/** Tenant (null: all) and the permissions that one grant gives there. */
export type GrantRow = readonly [tenantId: string | null, permissions: readonly string[]];

export interface GrantedAccess {
  permissions: Permissions;
  tenants: TenantScope;
}

export function accessOf(grants: readonly GrantRow[]): GrantedAccess {
  const permissions = new Map<string, Set<string>>();
  for (const [tenantId, granted] of grants) {
    const tenant = tenantId ?? '*';
    const set = permissions.get(tenant) ?? new Set();
    for (const one of granted) set.add(one);
    permissions.set(tenant, set);
  }
  // Sorted, so that people with the same tenants share connections whose scope is already set.
  return { permissions, tenants: permissions.has('*') ? 'all' : [...permissions.keys()].toSorted() };
}

/** SQL condition: the tenant of the grant (`g`) is not disabled. Grants in a disabled tenant give nothing. */
export const grantIsOpen = 'not exists (select from tenant closed where closed.tenant_id = g.tenant_id and not closed.enabled)';

/**
 * SQL condition: the directory of the person (`p`), if there is one, is enabled and reaches the tenant of the grant (`g`). However a grant
 * was made, people of a directory have no rights outside its tenants.
 */
export const grantInScope = `(p.directory_id is null or exists (select from directory reach where reach.directory_id = p.directory_id
  and reach.enabled and (reach.all_tenants or reach.tenant_ids ? g.tenant_id::text)))`;

/** SQL condition: the grant (`g`) holds for the person (`p`): given to them, or to a group that they had at their last sign-in. */
export const grantsOfPerson = `(g.person_id = p.person_id or g.claim = any(p.claims)) and ${grantInScope}`;
