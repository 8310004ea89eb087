/** The distinct values of an indexed column, found by stepping from each to the next instead of reading every row. */
import { sql, type RawBuilder } from 'kysely';
import { allOf } from './scope.ts';

type Sql = RawBuilder<unknown>;

export interface Walk {
  table: string;
  column: string;
  nullable: boolean;
  /** Which rows of the table, whose alias is `t`. */
  where: readonly RawBuilder<boolean>[];
  /** Column of the tenant and the tenants to look at one after another; of others nothing is read. */
  tenants?: { column: string; ids: readonly string[] } | undefined;
  descending: boolean;
  /** The first so many values are enough, and one of no value beside them. */
  first: number | undefined;
}

/** Past this many steps one walk through all rows is cheaper. */
export const maxSteps = 3_000;

/** `select value from ...`: each value once when `first` is given, otherwise all values or, when they are too many, any number of each. */
export function distinctValues(walk: Walk): Sql {
  const name = sql.id(walk.column);
  if (walk.first !== undefined) return sql`select distinct v as ${name} from (${steps(walk, walk.first)}) as found(v)`;
  const tooMany = sql`(select count(*) > ${maxSteps} from found)`;
  const rows = sql`select distinct ${sql.ref(`t.${walk.column}`)} from ${sql.table(walk.table)} as t where ${allOf([...walk.where, ...inTenants(walk)])}`;
  // Whichever branch is not taken costs nothing: its condition is asked once, before it.
  return sql`with found(v) as materialized (select v from (${steps(walk, undefined)}) as found(v) limit ${sql.lit(maxSteps + 1)})
    select v as ${name} from found where not ${tooMany} union all select * from (${rows}) as slowly where ${tooMany}`;
}

function inTenants({ tenants }: Walk): RawBuilder<boolean>[] {
  return tenants ? [sql<boolean>`${sql.ref(`t.${tenants.column}`)} = any(${[...tenants.ids]}::uuid[])`] : [];
}

/** The steps of each tenant, or of all rows. */
function steps(walk: Walk, first: number | undefined): Sql {
  const { tenants, where } = walk;
  if (!tenants) return stepsOf(walk, where, first);
  const own = sql<boolean>`${sql.ref(`t.${tenants.column}`)} = tenants.id`;
  const rows = stepsOf(walk, [...where, own], first);
  return sql`select v from unnest(${[...tenants.ids]}::uuid[]) as tenants(id) cross join lateral (${rows}) as own(v)`;
}

/** The first value, and from each the next; then none, when a row has none. The reader stops it by reading no further. */
function stepsOf({ table, column, nullable, descending }: Walk, where: readonly RawBuilder<boolean>[], first: number | undefined): Sql {
  const value = sql.ref(`t.${column}`);
  const rows = (which: RawBuilder<boolean>): Sql => sql`from ${sql.table(table)} as t where ${allOf([...where, which])}`;
  const one = (which: RawBuilder<boolean>): Sql =>
    sql`(select ${value} ${rows(which)} order by ${value}${descending ? sql` desc` : sql``} limit 1)`;
  const next = descending ? sql<boolean>`${value} < steps.v` : sql<boolean>`${value} > steps.v`;
  const limit = first === undefined ? sql`` : sql.raw(` limit ${Math.trunc(first)}`);
  const values = sql`(with recursive steps(v) as (${one(sql<boolean>`${value} is not null`)}
      union all select ${one(next)} from steps where v is not null)
    select v from steps where v is not null${limit})`;
  return nullable ? sql`${values} union all select null where exists (select ${rows(sql<boolean>`${value} is null`)})` : values;
}
