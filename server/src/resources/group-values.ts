/** Faster ways to the rows of a grouping without aggregates, which is what fills the choices of a filter. */
import { sql, type RawBuilder } from 'kysely';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Query, ApplyStep, Tree } from '@cloudfit/contract/query/tree.ts';
import type { TenantScope } from '../db/connection.ts';
import { columnName } from './column-name.ts';
import { isIndexed } from './indexes.ts';
import { allOf } from './scope.ts';
import type { Stage } from './stage.ts';
import { distinctValues, maxSteps } from './step-values.ts';
import { treeToSql } from './to-sql.ts';

export interface Grouped {
  resource: Resource;
  table: string;
  query: Query;
  scope: TenantScope;
  /** What narrows rows beside filters: with the tenants of the scope, and without. */
  visible: { scoped: readonly RawBuilder<boolean>[]; unscoped: readonly RawBuilder<boolean>[] };
  /** How many groups the page reaches to. */
  reach: number;
}

type Grouping = ApplyStep & { k: 'group' };

/** Paths that a tree reads; null when it looks at more than one row. */
function pathsOf(tree: Tree): readonly (readonly string[])[] | null {
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
      return allPaths(tree.args);
    case 'any':
    case 'all':
    case 'count':
      return null;
  }
}

function allPaths(trees: readonly Tree[]): readonly (readonly string[])[] | null {
  const found = trees.map(pathsOf);
  return found.includes(null) ? null : found.flatMap((paths) => paths ?? []);
}

/** The conditions that stand before the grouping, each by itself. */
function conditionsOf({ query }: Grouped): readonly Tree[] {
  const steps = query.apply?.steps ?? [];
  const before = steps.slice(
    0,
    steps.findIndex((step) => step.k !== 'filter'),
  );
  return before.flatMap((step) => (step.k !== 'filter' ? [] : step.where.k === 'and' ? step.where.of : [step.where]));
}

/** Field of the row that a path begins with: its own, or the key of the relation. */
function fieldOf(resource: Resource, [first = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : (resource.relations[first]?.from ?? '');
}

/**
 * The stage that a grouping reads from: the one it is given, or one with the same groups and fewer rows. Keys that
 * are reached through relations are grouped by the relations' own keys first, so that a million rows are not joined;
 * and the values of one column that an index keeps are found by stepping from each to the next.
 */
export function groupFrom(stage: Stage, step: Grouping, grouped: Grouped): Stage {
  const { resource, query } = grouped;
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

/** The tenants that a condition names: `tenantId eq ...`, `tenantId in (...)`. */
function tenantsNamed(part: Tree, field: string): readonly string[] | undefined {
  if (part.k === 'in' && isField(part.left, field)) return part.values.flatMap((v) => (v.value === null ? [] : [String(v.value)]));
  if (part.k !== 'compare' || part.op !== 'eq' || !isField(part.left, field) || part.right.k !== 'literal') return undefined;
  return part.right.value === null ? [] : [String(part.right.value)];
}

/** Is the page one of the first groups in the order of this field? Then only those need to be found. */
function orderOf(step: Grouping, name: string, { query }: Grouped): { descending: boolean } | undefined {
  if (query.count || query.filter || query.apply?.steps.at(-1) !== step) return undefined;
  const [by] = query.orderBy;
  const key = by ? step.keys.find(({ path }) => by.of.k === 'path' && by.of.path.join('/') === path.join('/')) : step.keys[0];
  return key && isField(key.of, name) ? { descending: by?.descending ?? false } : undefined;
}

/** Rows with each value of one field, when an index keeps them and the other conditions are about tenants only. */
function stepFrom(stage: Stage, step: Grouping, name: string, grouped: Grouped): Stage | undefined {
  const { resource, table, scope, visible, reach } = grouped;
  const field = resource.fields[name];
  const tenantField = resource.scope.kind === 'installation' ? undefined : resource.scope.field;
  const read = conditionsOf(grouped).map((tree) => ({ tree, paths: pathsOf(tree) }));
  // What is about the value alone is asked of each value once.
  const after = read.filter(({ paths }) => paths?.every((path) => fieldOf(resource, path) === name));
  const others = read.filter((one) => !after.includes(one));
  if (!field || !others.every(({ paths }) => paths?.every((path) => path.length === 1 && path[0] === tenantField))) return undefined;
  const chosen = name === tenantField ? undefined : others.map(({ tree }) => tenantsNamed(tree, tenantField ?? '')).find((ids) => ids);
  const reachable =
    chosen && scope !== 'all' ? chosen.filter((id) => scope.includes(id)) : (chosen ?? (scope === 'all' ? undefined : scope));
  const ids = resource.scope.kind === 'tenant' && name !== tenantField ? reachable : undefined;
  if (resource.scope.kind === 'tenant-or-global' && name !== tenantField && (scope !== 'all' || others.length > 0)) return undefined;
  const tenants = ids && tenantField !== undefined ? { column: columnName(tenantField), ids } : undefined;
  const column = columnName(name);
  if (!isIndexed(table, [...(tenants ? [tenants.column] : []), column], resource.softDelete && columnName(resource.softDelete)))
    return undefined;
  const order = after.length === 0 && reach * (ids?.length ?? 1) <= maxSteps ? orderOf(step, name, grouped) : undefined;
  const where = [...(tenants ? visible.unscoped : visible.scoped), ...others.map(({ tree }) => treeToSql(tree, stage.source))];
  const rows = distinctValues({
    table,
    column,
    nullable: field.nullable,
    where,
    tenants,
    descending: order?.descending ?? false,
    first: order && reach,
  });
  const source = stage.again(rows);
  return { ...stage, source, where: after.map(({ tree }) => treeToSql(tree, source)) };
}
