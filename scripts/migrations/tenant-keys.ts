/**
 * Tables of tenants have their tenant in their keys: a row cannot refer to one of another tenant then, and a tenant's rows can be stored
 * elsewhere. Tables of before are listed in `tenant-keys.json`, which only becomes shorter.
 */
import type { DatabaseSchema } from '../../server/src/db/schema.ts';

/** Tables whose primary keys, and constraints that are foreign keys, have no tenant. */
export interface TenantKeyExceptions {
  primaryKeys: readonly string[];
  foreignKeys: readonly string[];
}

const constraint = /^constraint (\w+)\.(\w+)$/;
const hasTenant = (columns: string): boolean => columns.split(', ').includes('tenant_id');

/** Returns the keys of tenants' tables without the tenant. Tables whose rows may belong to no tenant are left out. */
export function keysWithoutTenant(objects: DatabaseSchema): TenantKeyExceptions {
  const ofTenants = (table: string): boolean => objects[`column ${table}.tenant_id`]?.includes(' not null') ?? false;
  const [primaryKeys, foreignKeys]: [string[], string[]] = [[], []];
  for (const [name, text] of Object.entries(objects)) {
    const [, table = '', key = ''] = constraint.exec(name) ?? [];
    if (table === 'tenant' || !ofTenants(table)) continue;
    const [, primary] = /^PRIMARY KEY \(([^)]+)\)/.exec(text) ?? [];
    if (primary !== undefined && !hasTenant(primary)) primaryKeys.push(table);
    const [, columns = '', other = ''] = /^FOREIGN KEY \(([^)]+)\) REFERENCES (\w+)\(/.exec(text) ?? [];
    if (other !== 'tenant' && ofTenants(other) && !hasTenant(columns)) foreignKeys.push(`${table}.${key}`);
  }
  return { primaryKeys: primaryKeys.toSorted(), foreignKeys: foreignKeys.toSorted() };
}

/** Returns the faults: keys without the tenant that are no exception, and exceptions that are none any more. */
export function judgeTenantKeys(objects: DatabaseSchema, exceptions: TenantKeyExceptions): string[] {
  const current = keysWithoutTenant(objects);
  const advice = {
    primaryKeys: 'Make it (tenant_id, ..._id), with the id alone unique.',
    foreignKeys: 'Refer to (tenant_id, ..._id) of the other table, which needs a unique index on these.',
  };
  return (['primaryKeys', 'foreignKeys'] as const).flatMap((kind) => [
    ...current[kind]
      .filter((name) => !exceptions[kind].includes(name))
      .map((name) => `The ${kind === 'primaryKeys' ? 'primary' : 'foreign'} key of ${name} lacks tenant_id. ${advice[kind]}`),
    ...exceptions[kind]
      .filter((name) => !current[kind].includes(name))
      .map((name) => `${name} is no exception any more: remove it from scripts/migrations/tenant-keys.json.`),
  ]);
}
