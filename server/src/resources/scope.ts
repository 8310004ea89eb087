/** The tenant predicate of a table: added at the root of every query and at every join and expansion. */
import { sql, type RawBuilder } from 'kysely';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { TenantScope } from '../db/connection.ts';
import { columnName } from './column-name.ts';

/** `undefined` when nothing narrows: all tenants, or a resource of the installation. */
export function tenantPredicate(resource: Resource, t: string, scope: TenantScope): RawBuilder<boolean> | undefined {
  if (scope === 'all' || resource.scope.kind === 'installation') return undefined;
  const column = sql.ref(`${t}.${columnName(resource.scope.field)}`);
  // One tenant compares by =, which keeps the order of an index; any() of one would lose it.
  const own = scope.length === 1 ? sql<boolean>`${column} = ${scope[0]}::uuid` : sql<boolean>`${column} = any(${[...scope]}::uuid[])`;
  return resource.scope.kind === 'tenant-or-global' ? sql<boolean>`(${own} or ${column} is null)` : own;
}

/** Joins conditions by `and`; `true` when there are none. */
export function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<boolean> {
  const present = conditions.filter((c) => c !== undefined);
  return present.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(present, sql` and `)}`;
}
