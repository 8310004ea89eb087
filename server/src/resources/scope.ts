/** Which rows a caller may read: the tenants of their permissions, the feature's own condition, and only rows that are not deleted. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { TenantScope } from '../db/db.ts';
import { columnName } from '../db/column-name.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, requireScope, type Ctx } from '../context/ctx.ts';
import { servedNamed, type AnyServed } from './served.ts';
import type { ReadableResource, ReadableOf } from '../query/source.ts';
import { isPlainTable } from './read-tables.ts';

/** The condition on the tenant of rows; `undefined` for all tenants and for a resource of the installation. */
export function tenantPredicate(resource: Resource, t: string, scope: TenantScope): RawBuilder<boolean> | undefined {
  if (scope === 'all' || resource.scope.kind === 'installation') return undefined;
  const column = sql.ref(`${t}.${columnName(resource.scope.field)}`);
  // A single tenant is compared by =, which preserves the order of an index; any() would not.
  const inTenants = scope.length === 1 ? sql<boolean>`${column} = ${scope[0]}::uuid` : sql<boolean>`${column} = any(${[...scope]}::uuid[])`;
  return resource.scope.kind === 'tenant-or-global' ? sql<boolean>`(${inTenants} or ${column} is null)` : inTenants;
}

/** The conditions for rows of `served` that the caller may see, whatever the query. */
export function visible(ctx: Ctx, served: AnyServed, t: string, scope: TenantScope): RawBuilder<boolean>[] {
  const { resource } = served;
  const conditions = [tenantPredicate(resource, t, scope), served.rowsFor?.(ctx, t)].filter((c) => c !== undefined);
  if (resource.softDelete) conditions.push(sql<boolean>`not ${sql.ref(`${t}.${columnName(resource.softDelete)}`)}`);
  return conditions;
}

/** Tenants whose rows of this resource the caller may view; throws 403 when there are none. */
export function viewScope(ctx: Ctx, { resource }: AnyServed): TenantScope {
  return requireScope(ctx, resource.area, 'view', resource.viewedWith);
}

/** Whether the caller may view rows of this resource anywhere. */
export function mayView(ctx: Ctx, { area, viewedWith = [] }: Resource): boolean {
  return [permission(area, 'view'), ...viewedWith].some((item) => may(ctx, item));
}

/** Whether rows have versions (ETags): only rows that the API can update or delete need them. */
export function hasVersion({ resource, table }: AnyServed): boolean {
  return (resource.verbs.includes('update') || resource.verbs.includes('delete')) && isPlainTable(table);
}

/** What the caller may read of a resource; throws 403 when they may view it nowhere. */
export function readable(ctx: Ctx, served: AnyServed): ReadableResource {
  const tenants = viewScope(ctx, served);
  return {
    resource: served.resource,
    table: served.table,
    versioned: hasVersion(served),
    tenants,
    session: ctx.tenants,
    tenantsOf: (name) => {
      const other = servedNamed(name);
      return mayView(ctx, other.resource) ? viewScope(ctx, other) : [];
    },
    visible: (t, scope = tenants) => visible(ctx, served, t, scope),
  };
}

/** What the caller may read of related resources. */
export function readableBy(ctx: Ctx): ReadableOf {
  return (name) => readable(ctx, servedNamed(name));
}
