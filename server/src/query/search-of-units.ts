/** Asks the search of work units, whose functions look at a text for each unit (`work_unit_text`), and at names of related rows. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Sql } from '../db/compile.ts';
import type { TenantScope } from '../db/db.ts';

/** What the caller may read: tenants of units, of the session, and of rows of other resources (`ReadableResource`). */
export interface SearchScope {
  table: string;
  /** The conditions for rows that the caller may read. */
  visible: (t: string) => readonly RawBuilder<boolean>[];
  tenants: TenantScope;
  session: TenantScope;
  tenantsOf: (name: string) => TenantScope;
}

/** Tenants as an argument of a search. Null is all tenants, which only the functions for a session of all tenants take. */
export function tenantArray(of: TenantScope, session: TenantScope): Sql {
  const named = of === 'all' ? session : of;
  return named === 'all' ? sql`null::uuid[]` : sql`${[...named]}::uuid[]`;
}

/** What a query says of its search. */
export interface AskedSearch {
  /** The tenants that the other conditions name. */
  of?: readonly string[];
  /** The keys of the rows that the other conditions leave, or more than can be looked at one by one. */
  among?: Sql;
  /** Of very many rows the newest suffice (`search_best`): the column `is_cut` says whether there are more. */
  isBest?: boolean;
}

/** A call of the search in a query. */
export interface SearchCall {
  scope: SearchScope;
  /** The alias of the row. */
  t: string;
  fn: string;
  typed: string;
  ask: AskedSearch;
  /** Joins what has a column `work_unit_id`, once for each name; returns its alias. */
  join: (name: string, rows: Sql, key: string) => string;
}

/**
 * Whether the search finds a unit by a typed text (`found`), how well the unit has it (`relevance`, 0 for one that is not found), or whether
 * there are more than it returned (`cut`).
 */
export function searchOfUnits({
  scope: { session, tenants, tenantsOf },
  fn,
  typed,
  ask: { of, among, isBest = false },
  join,
}: SearchCall): Sql {
  const within = of ? of.filter((id) => tenants === 'all' || tenants.includes(id)) : tenants;
  const scope = (those: TenantScope): Sql => tenantArray(those, session);
  const scopes = sql.join(['tenants', 'devices', 'workUnitCommunications'].map((name) => scope(tenantsOf(name))));
  const named = scope(tenantsOf('tenants'));
  const terms = sql`(select search_terms_of(${typed}, ${scope(within)}))`;
  const share = session === 'all' ? sql`search_share(${terms}, ${named})` : sql`search_share_in(${typed}, ${scope(within)}, ${named})`;
  const few = among ? sql`case when ${share} > ${sql.lit(isBest ? 0.005 : 0.02)} then ${among} end` : sql`null::bigint[]`;
  const ofAll = isBest ? sql.ref('search_best') : sql.ref('search_units');
  const ofScope = isBest ? sql.ref('search_best_in') : sql.ref('search_units_in');
  const isFiltered = isBest ? sql`${among !== undefined}::boolean, ` : sql``;
  const rows =
    session === 'all'
      ? sql`${ofAll}(${terms}, ${scope(within)}, ${scopes}, ${isFiltered}${few})`
      : sql`${ofScope}(${typed}, ${scope(within)}, ${scopes}, ${isFiltered}${few})`;
  const ranked = join(`search ${typed}`, rows, 'work_unit_id');
  if (fn === 'cut') return sql.ref(`${ranked}.is_cut`);
  return fn === 'relevance' ? sql`coalesce(${sql.ref(`${ranked}.rank`)}, 0)` : sql`(${sql.ref(`${ranked}.work_unit_id`)} is not null)`;
}
