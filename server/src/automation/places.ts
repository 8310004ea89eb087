/** Rows of one tenant, of a group of tenants, or of all: who sees them, and for which devices they hold. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { tenantScopeWith, type Ctx } from '../context/ctx.ts';
import { sql, type RawBuilder } from '../db/sql.ts';
import type { FieldError } from '../resources/served.ts';

export interface TenantPlace {
  tenantId?: string | null | undefined;
  tenantGroupId?: string | null | undefined;
}

/** Of the rows of groups, those whose group has one of the caller's tenants. */
export function ofCallersGroups(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = tenantScopeWith(ctx, [permission('Devices', 'view')]);
  if (scope === 'all') return undefined;
  const group = sql.ref(`${t}.tenant_group_id`);
  return sql<boolean>`(${group} is null or exists (select from tenant_group g where g.tenant_group_id = ${group} and g.tenant_ids ?| ${[...scope]}::text[]))`;
}

export function placeProblems({ tenantId, tenantGroupId }: TenantPlace, what: string): FieldError[] {
  return tenantId && tenantGroupId
    ? [{ target: 'tenantGroupId', message: `A ${what} is for a tenant or for a group of tenants. Clear one of the two.` }]
    : [];
}

/** Whether a device, the row `t` of the table of devices, is in the place. */
export function inPlace({ tenantId, tenantGroupId }: TenantPlace): RawBuilder<boolean> {
  if (tenantId) return sql<boolean>`t.tenant_id = ${tenantId}::uuid`;
  if (!tenantGroupId) return sql<boolean>`true`;
  return sql<boolean>`exists (select from tenant_group g where g.tenant_group_id = ${tenantGroupId}::uuid and g.tenant_ids ? t.tenant_id::text)`;
}
