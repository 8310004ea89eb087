/** The `from` of a statement: a table with one left join per path of relations to one row, and the rows of relations to many. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { TenantScope } from '../db/db.ts';
import type { Field, Relation, Resource } from '@cloudfit/contract/resource.ts';
import { columnName } from '../db/column-name.ts';
import { fieldExpression } from './columns.ts';
import { isNullable, type OrderKey, type Tree, typeOf } from '@cloudfit/contract/query/tree.ts';
import { inOrder, naturalOrder } from '../db/indexes.ts';
import { allOf, valueToSql, type Source } from './filter.ts';
import { searchOfArticles } from './search-of-articles.ts';
import { searchOfRequests } from './search-of-requests.ts';
import { searchOfUnits, type SearchCall } from './search-of-units.ts';
import type { Sql } from '../db/compile.ts';

/** A resource with what one caller may read of it. */
export interface ReadableResource {
  resource: Resource;
  table: string;
  /** Whether the rows have versions, which clients get as ETags. */
  versioned: boolean;
  /** Tenants whose rows the caller may view. */
  tenants: TenantScope;
  /** Tenants that row-level security shows. */
  session: TenantScope;
  /** Tenants whose rows of another resource the caller may view: none without the permission. */
  tenantsOf: (name: string) => TenantScope;
  /** Conditions on rows with the table alias `t`: of `tenants`, or of the wider `scope` if the statement names the tenants itself. */
  visible: (t: string, scope?: TenantScope) => readonly RawBuilder<boolean>[];
}

/** Returns the resource of this name as the caller may read it; throws 403 if the caller may not view it. */
export type ReadableOf = (name: string) => ReadableResource;

/** SQL of a field for conditions: unlike in an answer, durations stay numbers of seconds and times stay timestamps. */
function stored(resource: Resource, name: string, t: string): Sql {
  const field = resource.fields[name];
  if (!field) throw new Error(`${resource.name} has no field ${name}.`);
  return field.kind === 'time' ? sql.ref(`${t}.${columnName(name)}`) : fieldExpression(field, name, t, false);
}

function relationOf(resource: Resource, name: string): Relation {
  const relation = resource.relations[name];
  if (!relation) throw new Error(`${resource.name} has no relation ${name}.`);
  return relation;
}

/** The join condition of a relation: `child.on = parent.from`. */
export function link(relation: Relation, child: string, parent: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${child}.${columnName(relation.on)}`)} = ${sql.ref(`${parent}.${columnName(relation.from)}`)}`;
}

interface SourceContext {
  readableOf: ReadableOf;
  /** Returns a new, numbered alias: the joined names of nested relations would be too long for PostgreSQL. */
  nextAlias: () => string;
  /** The rows of the enclosing lambdas, by variable; the rows of the query have the variable undefined. */
  outer: ReadonlyMap<string | undefined, Source>;
}

/** The searches of `searchedByText`. */
const searches: Readonly<Record<string, (call: SearchCall) => Sql>> = {
  workUnits: searchOfUnits,
  knowledgeArticles: searchOfArticles,
  resolutionCenterWorkUnits: searchOfRequests,
};

/** The source of rows of `resource` with the alias `t`, which `base` selects. */
export function sourceOf(readableOf: ReadableOf, resource: Resource, t: string, base: Sql): Source {
  let n = 0;
  return open({ readableOf, nextAlias: () => `${t}_${++n}`, outer: new Map() }, resource, t, base, undefined);
}

function open(around: SourceContext, resource: Resource, t: string, base: Sql, variable: string | undefined): Source {
  const joins = new Map<string, { alias: string; target: Resource; join: Sql }>();
  const searchJoins = new Map<string, { alias: string; join: Sql }>();

  /** Joins the relations of a path to one row; returns the row at the end of the path. */
  function walk(path: readonly string[]): { resource: Resource; alias: string } {
    let at = { resource, alias: t };
    for (const [i, name] of path.entries()) {
      const key = path.slice(0, i + 1).join('/');
      let join = joins.get(key);
      if (!join) {
        const relation = relationOf(at.resource, name);
        const target = around.readableOf(relation.to);
        const alias = around.nextAlias();
        const on = allOf([link(relation, alias, at.alias), ...target.visible(alias)]);
        join = { alias, target: target.resource, join: sql`left join ${sql.table(target.table)} as ${sql.ref(alias)} on ${on}` };
        joins.set(key, join);
      }
      at = { resource: join.target, alias: join.alias };
    }
    return at;
  }

  /** Joins what a search returns for some of the rows. */
  function joinRows(name: string, rows: Sql, key: string): string {
    let join = searchJoins.get(name);
    if (!join) {
      const alias = around.nextAlias();
      const on = sql`${sql.ref(`${alias}.${key}`)} = ${sql.ref(`${t}.${columnName(resource.key)}`)}`;
      join = { alias, join: sql`left join ${rows} as ${sql.ref(alias)} on ${on}` };
      searchJoins.set(name, join);
    }
    return join.alias;
  }

  function elsewhere(of: string | undefined): Source {
    const outerRows = around.outer.get(of);
    if (!outerRows) throw new Error(`There is no row named ${of ?? ''}.`);
    return outerRows;
  }

  const source: Source = {
    column: (path, of) => {
      if (of !== variable) return elsewhere(of).column(path, of);
      const at = walk(path.slice(0, -1));
      return stored(at.resource, path.at(-1) ?? '', at.alias);
    },
    choices: (path, of) => {
      if (of !== variable) return elsewhere(of).choices?.(path, of);
      return walk(path.slice(0, -1)).resource.fields[path.at(-1) ?? '']?.choices?.map(({ value }) => value);
    },
    sortColumn: (path, of) => {
      if (of !== variable) return elsewhere(of).column(path, of);
      const at = walk(path.slice(0, -1));
      const sorted = at.resource.fields[path.at(-1) ?? ''];
      if (sorted?.sortedBy !== undefined) return sql.ref(`${at.alias}.${sorted.sortedBy}`);
      return sorted && isNatural(sorted) ? naturally(source.column(path, of)) : source.column(path, of);
    },
    rows: (path, of, inside) => {
      if (of !== variable) return elsewhere(of).rows(path, of, inside);
      const at = walk(path.slice(0, -1));
      const relation = relationOf(at.resource, path.at(-1) ?? '');
      const target = around.readableOf(relation.to);
      const alias = around.nextAlias();
      const outer = new Map([...around.outer, [variable, source] as const]);
      const table = sql`${sql.table(target.table)} as ${sql.ref(alias)}`;
      // Without a variable, no path can refer to these rows; the alias keeps them apart.
      const inner = open({ ...around, outer }, target.resource, alias, table, inside ?? alias);
      return {
        source: inner,
        select: (what, also) =>
          sql`(select ${what} from ${inner.from()} where ${allOf([link(relation, alias, at.alias), ...target.visible(alias), also])})`,
      };
    },
    search: (fn, typed, ask = {}) =>
      searches[resource.name]?.({ scope: around.readableOf(resource.name), t, fn, typed, ask, join: joinRows }) ?? sql`false`,
    from: () =>
      sql`${base} ${sql.join(
        [...joins.values(), ...searchJoins.values()].map((j) => j.join),
        sql` `,
      )}`,
  };
  return source;
}

function field(resource: Resource, name: string, descending = false): OrderKey {
  const nullable = resource.fields[name]?.nullable ?? false;
  return { of: { k: 'path', type: 'text', nullable, path: [name] }, descending };
}

export function defaultOrder(resource: Resource): OrderKey[] {
  return resource.orderBy.split(',').map((key) => {
    const [name = '', direction] = key.trim().split(' ');
    return field(resource, name, direction === 'desc');
  });
}

export function keyOrder(resource: Resource): OrderKey[] {
  return [field(resource, resource.key)];
}

/** The path of the field that a tree reads from the query's row, with slashes; undefined for other trees. */
export const nameOf = (tree: Tree): string | undefined => (tree.k === 'path' && tree.of === undefined ? tree.path.join('/') : undefined);

export interface SortPart {
  value: Sql;
  descending: boolean;
  nullable: boolean;
}

/** The sort values of a page's last row, as PostgreSQL prints them. */
export type PageEnd = readonly (string | null)[];

/**
 * The given keys, then missing keys of `last`, which make the order total. These have the direction of the given keys, so that
 * one index serves both directions; after the `usual` order they ascend, as in the index that each table has for it. `amongEqual` has the
 * keys of the usual order by which rows with the same value of the only given key are ordered.
 */
export function sortParts(
  keys: readonly OrderKey[],
  last: readonly OrderKey[],
  source: Source,
  usual: readonly OrderKey[] = [],
  amongEqual: readonly OrderKey[] = [],
): SortPart[] {
  const [first] = usual;
  const isUsual = keys.length === 1 && first && nameOf(keys[0]?.of ?? first.of) === nameOf(first.of);
  const startsUsual = isUsual && (usual.length === 1 || amongEqual.length > 0);
  const descending = keys.length > 0 && keys.every((key) => key.descending !== (startsUsual ? first.descending : false));
  const leading = [...keys, ...amongEqual.map((key) => ({ ...key, descending: key.descending !== descending }))];
  const named = new Set(leading.map(({ of }) => nameOf(of)));
  const all = [...leading, ...last.filter(({ of }) => !named.has(nameOf(of))).map(({ of }) => ({ of, descending }))];
  return all.map(({ of, descending }) => {
    // PostgreSQL would read a literal as the number of a column.
    const value = of.k === 'literal' ? sql`(${valueToSql(of, source)})` : sortValue(of, source);
    return { value, descending, nullable: isNullable(of) };
  });
}

export function orderBy(parts: readonly SortPart[]): Sql {
  if (parts.length === 0) return sql``;
  return sql` order by ${sql.join(parts.map((part) => sql`${part.value}${direction(part)}`))}`;
}

/** The direction of a sort key: nulls come first, or last in descending order. */
function direction({ descending, nullable }: SortPart): Sql {
  const nulls = nullable ? (descending ? sql` nulls last` : sql` nulls first`) : sql``;
  return sql`${descending ? sql` desc` : sql` asc`}${nulls}`;
}

/** Conditions for the rows after a page end, in the order of their rows; each is one range of an index. */
export function laterRanges(parts: readonly SortPart[], [end = null, ...ends]: PageEnd): RawBuilder<boolean>[] {
  const [first, ...rest] = parts;
  if (!first) return [];
  const { value, descending, nullable } = first;
  if (parts.every((part) => !part.nullable && part.descending === descending)) {
    const values = sql.join(parts.map((part) => part.value));
    return [sql<boolean>`((${values}) ${descending ? sql`<` : sql`>`} (${sql.join([end, ...ends])}))`];
  }
  const same = end === null ? sql`${value} is null` : sql`${value} = ${end}`;
  const among = laterRanges(rest, ends).map((range) => sql<boolean>`(${same} and ${range})`);
  if (end === null) return descending ? among : [...among, sql<boolean>`${value} is not null`];
  if (!descending) return [...among, sql<boolean>`${value} > ${end}`];
  return [...among, sql<boolean>`${value} < ${end}`, ...(nullable ? [sql<boolean>`${value} is null`] : [])];
}

/** Whether lists sort the values of the field in the natural order of texts. */
export function isNatural({ kind, choices, sortedBy }: Field): boolean {
  return kind === 'text' && !choices && sortedBy === undefined;
}

/** The name by which `isIndexed` finds an index in the order of a field. */
export function orderedColumn(field: Field | undefined, name: string): string {
  return inOrder(field?.sortedBy ?? columnName(name), field !== undefined && isNatural(field));
}

/** Sorts a text in its natural order; an index with this collation has the same order. */
export function naturally(text: Sql): Sql {
  return sql`${text} collate ${sql.id(naturalOrder)}`;
}

function sortValue(of: Tree, source: Source): Sql {
  if (of.k === 'path' && source.sortColumn) return source.sortColumn(of.path, of.of);
  const value = valueToSql(of, source);
  return typeOf(of) === 'text' ? naturally(value) : value;
}

/** `limit` and `offset`, as literals: for a parameter the planner assumes a tenth of all rows. */
export function paging(top: number | undefined, skip: number): Sql {
  const limit = top === undefined ? sql`` : sql.raw(` limit ${Math.trunc(top)}`);
  return skip === 0 ? limit : sql`${limit}${sql.raw(` offset ${Math.trunc(skip)}`)}`;
}
