/** Which rows a caller may see, of the resource that is asked for and of every one that a query walks to. */
import { sql, type RawBuilder } from 'kysely';
import { requireScope, type Ctx } from '../context/ctx.ts';
import type { TenantScope } from '../db/connection.ts';
import { columnName } from './column-name.ts';
import { tenantPredicate } from './scope.ts';
import { servedNamed, type AnyServed } from './served.ts';
import type { Reach } from './source.ts';

/** Rows of `served` that the caller may see, whatever they ask for. */
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

/** Targets of relations, each with the caller's own right to it. */
export function reachFor(ctx: Ctx): Reach {
  return (name) => {
    const served = servedNamed(name);
    const scope = viewScope(ctx, served);
    return { resource: served.resource, table: served.table, visible: (t) => visible(ctx, served, t, scope) };
  };
}
