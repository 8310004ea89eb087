/** Optimised sources for groupings without aggregates, which fill the choices of filters. */
import { sql, type RawBuilder } from '../db/sql.ts';
import { isSearch } from '@cloudfit/contract/query/functions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ApplyStep, Query, Tree } from '@cloudfit/contract/query/tree.ts';
import { columnName } from '../db/column-name.ts';
import { isIndexed } from '../db/indexes.ts';
import type { Stage } from './apply.ts';
import { allOf, treeToSql } from './filter.ts';
import { isNatural, naturally, orderBy, orderedColumn, type ReadableResource } from './source.ts';
import type { Sql } from '../db/compile.ts';

/** The query that contains the grouping. */
export interface GroupingQuery {
  root: ReadableResource;
  narrow: RawBuilder<boolean> | undefined;
  query: Query;
  /** Maximum number of groups that the page needs. */
  rowLimit: number;
}

type Grouping = ApplyStep & { k: 'group' };

/** Paths that a tree reads; null when it reads more than one row. */
export function pathsOf(tree: Tree): readonly (readonly string[])[] | null {
  switch (tree.k) {
    case 'literal':
      return [];
    case 'path':
      return [tree.path];
    case 'and':
    case 'or':
      return allPaths(tree.of);
    case 'not':
    case 'negate':
      return pathsOf(tree.of);
    case 'compare':
    case 'math':
      return allPaths([tree.left, tree.right]);
    case 'in':
      return pathsOf(tree.left);
    case 'call':
      return isSearch(tree.fn) ? null : allPaths(tree.args);
    case 'any':
    case 'all':
    case 'count':
      return null;
  }
}

function allPaths(trees: readonly Tree[]): readonly (readonly string[])[] | null {
  const pathLists = trees.map(pathsOf);
  return pathLists.includes(null) ? null : pathLists.flatMap((paths) => paths ?? []);
}

/** The conditions of the `filter` steps before the grouping; an `and` counts as several conditions. */
function conditionsOf({ query }: GroupingQuery): readonly Tree[] {
  const steps = query.apply?.steps ?? [];
  const before = steps.slice(
    0,
    steps.findIndex((step) => step.k !== 'filter'),
  );
  return before.flatMap((step) => (step.k !== 'filter' ? [] : step.where.k === 'and' ? step.where.of : [step.where]));
}

/** The field of the resource at which a path begins; for a path through relations, the field with the key of the first relation. */
function fieldOf(resource: Resource, [first = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : (resource.relations[first]?.from ?? '');
}

/**
 * The source that a grouping reads: the original one, or one with the same groups and fewer rows. Keys of related rows
 * are grouped by the relation's key first, so that a million rows are not joined. The distinct values of an indexed
 * column are found by a loose index scan, from each value to the next.
 */
export function groupFrom(stage: Stage, step: Grouping, grouped: GroupingQuery): Stage {
  const { query, root } = grouped;
  const { resource } = root;
  const isFirst = query.apply?.steps.find((s) => s.k !== 'filter') === step;
  const paths = allPaths(step.keys.map(({ of }) => of));
  if (!isFirst || step.aggregates.length > 0 || !paths || paths.length === 0) return stage;
  const fields = [...new Set(paths.map((path) => fieldOf(resource, path)))];
  const [only = ''] = fields;
  const stepped = fields.length === 1 ? stepFrom(stage, step, only, grouped) : undefined;
  if (stepped || paths.every((path) => path.length === 1)) return stepped ?? stage;
  const columns = fields.map((name) => sql.ref(`t.${columnName(name)}`));
  const rows = sql`select distinct ${sql.join(columns)} from ${stage.source.from()} where ${allOf(stage.where)}`;
  return { ...stage, source: stage.again(rows), where: [] };
}

function isField(tree: Tree, name: string): boolean {
  return tree.k === 'path' && tree.path.length === 1 && tree.path[0] === name;
}

/** The tenants that a condition `tenantId eq ...` or `tenantId in (...)` names; undefined for any other condition. */
function tenantsNamed(part: Tree, field: string): readonly string[] | undefined {
  if (part.k === 'in' && isField(part.left, field)) return part.values.flatMap((v) => (v.value === null ? [] : [String(v.value)]));
  if (part.k !== 'compare' || part.op !== 'eq' || !isField(part.left, field) || part.right.k !== 'literal') return undefined;
  return part.right.value === null ? [] : [String(part.right.value)];
}

/** The direction, if the page has the first groups in the order of this field, so that no other groups must be found. */
function orderOf(step: Grouping, name: string, { query }: GroupingQuery): { descending: boolean } | undefined {
  if (query.count || query.filter || query.apply?.steps.at(-1) !== step) return undefined;
  const [by] = query.orderBy;
  const key = by ? step.keys.find(({ path }) => by.of.k === 'path' && by.of.path.join('/') === path.join('/')) : step.keys[0];
  return key && isField(key.of, name) ? { descending: by?.descending ?? false } : undefined;
}

/** A stage with the distinct values of one field; undefined if no index has them, or if conditions need other fields. */
function stepFrom(stage: Stage, step: Grouping, name: string, grouped: GroupingQuery): Stage | undefined {
  const { root, narrow, rowLimit } = grouped;
  const { resource, table, tenants: scope } = root;
  const field = resource.fields[name];
  const tenantField = resource.scope.kind === 'installation' ? undefined : resource.scope.field;
  const read = conditionsOf(grouped).map((tree) => ({ tree, paths: pathsOf(tree) }));
  // Conditions on the value alone, which are evaluated once per distinct value.
  const after = read.filter(({ paths }) => paths?.every((path) => fieldOf(resource, path) === name));
  const others = read.filter((item) => !after.includes(item));
  if (!field || !others.every(({ paths }) => paths?.every((path) => path.length === 1 && path[0] === tenantField))) return undefined;
  const chosen = name === tenantField ? undefined : others.map(({ tree }) => tenantsNamed(tree, tenantField ?? '')).find((ids) => ids);
  const reachable =
    chosen && scope !== 'all' ? chosen.filter((id) => scope.includes(id)) : (chosen ?? (scope === 'all' ? undefined : scope));
  const ids = resource.scope.kind === 'tenant' && name !== tenantField ? reachable : undefined;
  if (resource.scope.kind === 'tenant-or-global' && name !== tenantField && (scope !== 'all' || others.length > 0)) return undefined;
  const tenants = ids && tenantField !== undefined ? { column: columnName(tenantField), ids } : undefined;
  const column = columnName(name);
  if (!isIndexed(table, [...(tenants ? [tenants.column] : []), orderedColumn(field, name)])) return undefined;
  const order = after.length === 0 && rowLimit * (ids?.length ?? 1) <= maxSteps ? orderOf(step, name, grouped) : undefined;
  const where = [
    ...root.visible('t', tenants && 'all'),
    ...(narrow ? [narrow] : []),
    ...others.map(({ tree }) => treeToSql(tree, stage.source)),
  ];
  const rows = distinctValues({
    table,
    column,
    isNatural: isNatural(field),
    nullable: field.nullable,
    where,
    tenants,
    descending: order?.descending ?? false,
    first: order && rowLimit,
  });
  const source = stage.again(rows);
  return { ...stage, source, where: after.map(({ tree }) => treeToSql(tree, source)) };
}

export interface Walk {
  table: string;
  column: string;
  /** Whether the index sorts texts in their natural order, with nulls first. */
  isNatural?: boolean;
  nullable: boolean;
  /** Condition on the rows of the table, whose alias is `t`. */
  where: readonly RawBuilder<boolean>[];
  /** The column of the tenant, and the tenants to read one after another; rows of other tenants are not read. */
  tenants?: { column: string; ids: readonly string[] } | undefined;
  descending: boolean;
  /** The maximum number of values to find, besides one null; undefined for all values. */
  first: number | undefined;
}

/** The maximum number of values that are found step by step; for more values a scan of all rows is cheaper. */
export const maxSteps = 3_000;

/**
 * `select value from ...`: with `first`, the first values, each once; otherwise all values, which may repeat from tenant to
 * tenant. More than `maxSteps` values are found by a scan instead.
 */
export function distinctValues(walk: Walk): Sql {
  const name = sql.id(walk.column);
  if (walk.first !== undefined) return sql`select distinct v as ${name} from (${steps(walk, walk.first)}) as found(v)`;
  const tooMany = sql`(select count(*) > ${maxSteps} from found)`;
  const rows = sql`select distinct ${sql.ref(`t.${walk.column}`)} from ${sql.table(walk.table)} as t where ${allOf([...walk.where, ...inTenants(walk)])}`;
  // PostgreSQL evaluates the condition of a branch once and first, so the branch that is not taken costs nothing.
  return sql`with found(v) as materialized (select v from (${steps(walk, undefined)}) as found(v) limit ${sql.lit(maxSteps + 1)})
    select v as ${name} from found where not ${tooMany} union all select * from (${rows}) as slowly where ${tooMany}`;
}

function inTenants({ tenants }: Walk): RawBuilder<boolean>[] {
  return tenants ? [sql<boolean>`${sql.ref(`t.${tenants.column}`)} = any(${[...tenants.ids]}::uuid[])`] : [];
}

/** The values that the steps find for each tenant, or without `tenants` for all rows. */
function steps(walk: Walk, first: number | undefined): Sql {
  const { tenants, where } = walk;
  if (!tenants) return stepsOf(walk, where, first);
  const ofTenant = sql<boolean>`${sql.ref(`t.${tenants.column}`)} = tenants.id`;
  const rows = stepsOf(walk, [...where, ofTenant], first);
  return sql`select v from unnest(${[...tenants.ids]}::uuid[]) as tenants(id) cross join lateral (${rows}) as own(v)`;
}

/** Finds the first value, from each value the next, then null if a row has none. A `limit` of the reader ends it early. */
function stepsOf(
  { table, column, nullable, descending, isNatural: isText = false }: Walk,
  where: readonly RawBuilder<boolean>[],
  first: number | undefined,
): Sql {
  const value = sql.ref(`t.${column}`);
  const sorted = isText ? naturally(value) : value;
  const by = orderBy([{ value: sorted, descending, nullable: isText && nullable }]);
  const rows = (which: RawBuilder<boolean>): Sql => sql`from ${sql.table(table)} as t where ${allOf([...where, which])}`;
  const one = (which: RawBuilder<boolean>): Sql => sql`(select ${value} ${rows(which)}${by} limit 1)`;
  const next = descending ? sql<boolean>`${sorted} < steps.v` : sql<boolean>`${sorted} > steps.v`;
  const limit = first === undefined ? sql`` : sql.raw(` limit ${Math.trunc(first)}`);
  const values = sql`(with recursive steps(v) as (${one(sql<boolean>`${value} is not null`)}
      union all select ${one(next)} from steps where v is not null)
    select v from steps where v is not null${limit})`;
  return nullable ? sql`${values} union all select null where exists (select ${rows(sql<boolean>`${value} is null`)})` : values;
}
