/** Every row that a write refers to is looked up inside the caller's scope: a foreign key is no authorisation. */
import { sql } from '../db/sql.ts';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { may, type Ctx } from '../context/ctx.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { columnName } from '../db/column-name.ts';
import { compile } from '../db/compile.ts';
import { tenantPredicate } from './scope.ts';
import { allOf } from '../query/filter.ts';
import { servedNamed, type RowChange, type AnyServed, type FieldError } from './served.ts';

interface Reference {
  name: string;
  field: Field;
  value: unknown;
  target: AnyServed;
}

/** The references in the write; if the row moves to another tenant, also its unchanged references. */
function references(served: AnyServed, change: RowChange): Reference[] {
  const { scope, fields } = served.resource;
  const moves = scope.kind !== 'installation' && change.changed.includes(scope.field);
  return (moves ? Object.keys(fields) : change.changed).flatMap((name) => {
    const field = served.resource.fields[name];
    const value = change.after[name];
    if (!field?.ref || field.write === 'never' || value === null || value === undefined) return [];
    return [{ name, field, value, target: servedNamed(field.ref) }];
  });
}

/** Whether rows of the resource belong to a tenant. Rows of the installation do not, and tenants are tenants themselves. */
function hasTenantField({ scope, key }: Resource): boolean {
  return scope.kind !== 'installation' && scope.field !== key;
}

/**
 * Returns an error for each referenced row that is deleted, not of the caller's tenants, or neither global nor of the row's
 * tenant. References to tenants and rows of the installation are left to the scope check and the foreign key.
 */
export async function checkReferences(ctx: Ctx, served: AnyServed, change: RowChange): Promise<FieldError[]> {
  const scope = served.resource.scope;
  const tenantId = scope.kind === 'installation' ? null : change.after[scope.field];
  const checked = references(served, change).filter((r) => hasTenantField(r.target.resource));
  if (checked.length === 0) return [];
  const tests = checked.map(({ target, value, name }) => {
    const { resource, table } = target;
    const conditions = [sql<boolean>`${sql.ref(`x.${columnName(resource.key)}`)} = ${value}`, tenantPredicate(resource, 'x', ctx.tenants)];
    if (resource.scope.kind !== 'installation' && scope.kind !== 'installation') {
      const column = sql.ref(`x.${columnName(resource.scope.field)}`);
      // A row without a tenant refers to global rows only: nothing equals null.
      conditions.push(sql<boolean>`(${column} = ${tenantId ?? null}::uuid or ${column} is null)`);
    }
    if (resource.softDelete) conditions.push(sql<boolean>`not ${sql.ref(`x.${columnName(resource.softDelete)}`)}`);
    return sql`exists (select from ${sql.table(table)} as x where ${allOf(conditions)}) as ${sql.ref(name)}`;
  });
  const [present] = await ctx.db.query<Record<string, boolean>>(compile(sql`select ${sql.join(tests)}`));
  return checked.filter((r) => !present?.[r.name]).map((r) => ({ target: r.name, message: `${r.field.label} was not found.` }));
}

/** Whether the tenant is in the caller's scope. An unknown tenant and a tenant outside the scope give the same result. */
export function isTenantInScope(ctx: Ctx, tenantId: unknown): boolean {
  return ctx.tenants === 'all' || (typeof tenantId === 'string' && ctx.tenants.includes(tenantId));
}

/** Whether the caller has the permission in the tenant of the row; a global row needs it in all tenants. */
export function mayWrite(ctx: Ctx, served: AnyServed, verb: 'create' | 'edit' | 'delete', row: Record<string, unknown>): boolean {
  const { scope, area } = served.resource;
  const tenantId = scope.kind === 'installation' ? null : ((row[scope.field] ?? null) as string | null);
  return may(ctx, permission(area, verb), tenantId);
}
