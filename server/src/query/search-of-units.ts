/** Asks the search of work units, whose functions look at a text for each unit (`work_unit_text`), and at names of related rows. */
import { sql } from '../db/sql.ts';
import type { Sql } from '../db/compile.ts';
import type { TenantScope } from '../db/db.ts';

/** What the caller may read: tenants of units, of the session, and of rows of other resources (`ReadableResource`). */
export interface SearchScope {
  tenants: TenantScope;
  session: TenantScope;
  tenantsOf: (name: string) => TenantScope;
}

/** Tenants as an argument of a search. Null is all tenants, which only the functions for a session of all tenants take. */
export function tenantArray(of: TenantScope, session: TenantScope): Sql {
  const named = of === 'all' ? session : of;
  return named === 'all' ? sql`null::uuid[]` : sql`${[...named]}::uuid[]`;
}

/** The units that the search finds by a typed text (`found`), or how well the text of a unit has it (`relevance`). */
export function searchOfUnits({ session, tenants, tenantsOf }: SearchScope, t: string, fn: string, typed: string): Sql {
  const scope = (of: TenantScope): Sql => tenantArray(of, session);
  const terms =
    session === 'all'
      ? sql`(select search_terms_of(${typed}, ${scope(tenants)}))`
      : sql`(select search_terms_in(${typed}, ${scope(tenants)}))`;
  const key = sql.ref(`${t}.work_unit_id`);
  if (fn === 'relevance')
    return sql`(select search_rank(s.public_work_unit_id, s.body, ${terms}) from work_unit_text s where s.work_unit_id = ${key})`;
  const scopes = sql.join(['tenants', 'devices', 'workUnitCommunications'].map((name) => scope(tenantsOf(name))));
  const keys =
    session === 'all'
      ? sql`work_units_with(${terms}, ${scope(tenants)}, ${scopes})`
      : sql`work_units_found(${typed}, ${scope(tenants)}, ${scopes})`;
  return sql`(${key} = any(array(select ${keys})))`;
}
