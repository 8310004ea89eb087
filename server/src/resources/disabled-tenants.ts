/**
 * Errors for a row or tenant that the caller cannot see: 403 if it belongs to a disabled tenant in which the caller has a
 * permission, otherwise 404.
 */
import { sql } from '../db/sql.ts';
import { forbidden, notFound, type ApiError } from '@cloudfit/contract/errors.ts';
import { tenantScopeWith, type Ctx } from '../context/ctx.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { columnName } from '../db/column-name.ts';
import { toColumn } from '../query/columns.ts';
import { compile } from '../db/compile.ts';
import { allOf } from '../query/filter.ts';
import { isTenantInScope } from './references.ts';
import { visible } from './scope.ts';
import type { AnyServed } from './served.ts';

const isDisabled = (name: string): ApiError =>
  forbidden(`The tenant ${name} is disabled. Please ask an administrator of this installation.`);

/** Returns the error for a row that the caller cannot see: 403 if only its disabled tenant hides the row, otherwise 404. */
export async function missingRow(ctx: Ctx, served: AnyServed, key: string | number): Promise<ApiError> {
  const { resource } = served;
  const { scope, area, viewedWith = [] } = resource;
  const missing = notFound(resource.label);
  const field = resource.fields[resource.key];
  if (!ctx.disabled || scope.kind === 'installation' || !field) return missing;
  const { names, permissions, db } = ctx.disabled;
  const tenants = [...names.keys()];
  const then: Ctx = { ...ctx, permissions, tenants, db };
  const tenantScope = tenantScopeWith(then, [permission(area, 'view'), ...viewedWith]);
  if (tenantScope === 'all' || tenantScope.length === 0) return missing;
  const is = sql<boolean>`${sql.ref(`t.${columnName(resource.key)}`)} = ${toColumn(field, key)}`;
  const [row] = await db.query<{ tenant_id: string | null }>(
    compile(
      sql`select ${sql.ref(`t.${columnName(scope.field)}`)} as tenant_id from ${sql.table(served.table)} as t where ${allOf([is, ...visible(then, served, 't', tenantScope)])}`,
    ),
  );
  const name = row?.tenant_id ? names.get(row.tenant_id) : undefined;
  return name === undefined ? missing : isDisabled(name);
}

/** Throws unless the tenant is an enabled one of the caller's: 403 for a disabled one, otherwise 404, which reveals nothing. */
export function requireTenant(ctx: Ctx, tenantId: string): void {
  if (isTenantInScope(ctx, tenantId)) return;
  const name = ctx.disabled?.names.get(tenantId);
  throw name === undefined ? notFound('Tenant') : isDisabled(name);
}
