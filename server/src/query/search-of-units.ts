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

/** A call of the search in a query. */
export interface SearchCall {
  scope: SearchScope;
  /** The alias of the row. */
  t: string;
  fn: string;
  typed: string;
  /** The keys of the rows that the other conditions leave, or more than can be looked at one by one. */
  among?: Sql | undefined;
  /** Joins what has a column `work_unit_id`, once for each name; returns its alias. */
  join: (name: string, rows: Sql, key: string) => string;
}

/** Whether the search finds a unit by a typed text (`found`), or how well the unit has it (`relevance`): 0 for one that is not found. */
export function searchOfUnits({ scope: { session, tenants, tenantsOf }, fn, typed, among, join }: SearchCall): Sql {
  const scope = (of: TenantScope): Sql => tenantArray(of, session);
  const scopes = sql.join(['tenants', 'devices', 'workUnitCommunications'].map((name) => scope(tenantsOf(name))));
  const named = scope(tenantsOf('tenants'));
  const terms = sql`(select search_terms_of(${typed}, ${scope(tenants)}))`;
  const isCommon =
    session === 'all' ? sql`search_is_common(${terms}, ${named})` : sql`search_is_common_in(${typed}, ${scope(tenants)}, ${named})`;
  const few = among ? sql`case when ${isCommon} then ${among} end` : sql`null::bigint[]`;
  const rows =
    session === 'all'
      ? sql`search_units(${terms}, ${scope(tenants)}, ${scopes}, ${few})`
      : sql`search_units_in(${typed}, ${scope(tenants)}, ${scopes}, ${few})`;
  const ranked = join(`search ${typed}`, rows, 'work_unit_id');
  return fn === 'relevance' ? sql`coalesce(${sql.ref(`${ranked}.rank`)}, 0)` : sql`(${sql.ref(`${ranked}.work_unit_id`)} is not null)`;
}
