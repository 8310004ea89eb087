/** The steps of `$apply`, each a `select` from the previous one. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Aggregate, Apply, Column, OrderKey, ApplyStep } from '@cloudfit/contract/query/tree.ts';
import { isNullable, typeOf } from '@cloudfit/contract/query/tree.ts';
import { keyOrder, orderBy, paging, sortParts } from './source.ts';
import { jsonValue } from './columns.ts';
import { sourceOf, type ReadableResource, type ReadableOf } from './source.ts';
import { allOf, casts, treeToSql, valueToSql, type Source } from './filter.ts';
import type { Sql } from '../db/compile.ts';

/** The intermediate rows: their source, conditions and order. */
export interface Stage {
  source: Source;
  where: readonly RawBuilder<boolean>[];
  order: readonly OrderKey[];
  /** The columns that identify a row. */
  last: readonly OrderKey[];
  /** The source for the next step, which reads `rows`, a sub-query with all columns of this stage. */
  again: (rows: Sql) => Source;
  /** The select list of all columns, with which the sub-query of `again` is built. */
  all: Sql;
  /** After `concat`: an array of the names of properties that the result of a row does not have. */
  absent?: Sql;
}

/** The visible rows of a resource under the alias `t`. */
export function firstStage(readableOf: ReadableOf, root: ReadableResource, where: readonly RawBuilder<boolean>[]): Stage {
  const open = (base: Sql): Source => sourceOf(readableOf, root.resource, 't', base);
  return {
    source: open(sql`${sql.table(root.table)} as t`),
    where,
    order: [],
    last: keyOrder(root.resource),
    again: (rows) => open(sql`(${rows}) as t`),
    all: root.versioned ? sql`t.*, t.xmin` : sql`t.*`,
  };
}

/** Builds the SQL of the steps upon `first`; `groupFrom` may return a faster source for the first grouping. */
export function runSteps(first: Stage, apply: Apply, groupFrom: (stage: Stage, step: ApplyStep & { k: 'group' }) => Stage): Stage {
  let stage = first;
  for (const step of apply.steps) {
    if (step.k === 'filter') stage = { ...stage, where: [...stage.where, treeToSql(step.where, stage.source)] };
    else if (step.k === 'orderby') stage = { ...stage, order: step.by };
    else if (step.k === 'page') stage = cut(stage, step.top, step.skip ?? 0);
    else if (step.k === 'group') stage = group(groupFrom(stage, step), step);
    else {
      const before = stage;
      stage = concat(step, (branch) => runSteps(before, branch, groupFrom));
    }
  }
  return stage;
}

function cut(stage: Stage, top: number | undefined, skip: number): Stage {
  const { source, where, order, last, all } = stage;
  const by = orderBy(sortParts(order, last, source));
  const rows = sql`select ${all} from ${source.from()} where ${allOf(where)}${by}${paging(top, skip)}`;
  // The sub-query has the row version among its columns, so `t.*` includes it.
  return { ...stage, source: stage.again(rows), where: [], all: all === groupColumns ? all : sql`t.*` };
}

const groupColumns = sql`g.*`;

function group({ source, where }: Stage, { keys, aggregates }: ApplyStep & { k: 'group' }): Stage {
  const values = [...keys.map(({ of }) => valueToSql(of, source)), ...aggregates.map((a) => aggregateSql(a, source))];
  const columns = values.map((value, i) => sql`${value} as ${sql.id(`c${i}`)}`);
  // Groups by column number: a repeated expression would have other parameters, and PostgreSQL cannot know that they are
  // equal.
  const by = keys.length === 0 ? sql`` : sql` group by ${sql.join(keys.map((_, i) => sql.raw(String(i + 1))))}`;
  const rows = sql`select ${sql.join(columns)} from ${source.from()} where ${allOf(where)}${by}`;
  const names = [...keys.map(({ path }) => path.join('/')), ...aggregates.map((a) => a.name)];
  const again = (inner: Sql): Source => groupSource(names, inner);
  const last = keys.map(({ path, of }): OrderKey => {
    return { of: { k: 'path', type: typeOf(of), nullable: isNullable(of), path }, descending: false };
  });
  return { source: again(rows), where: [], order: [], last, again, all: groupColumns };
}

/** Concatenates several results in their order; each row has the columns of all results and a row number. */
function concat({ of, columns }: ApplyStep & { k: 'concat' }, run: (branch: Apply) => Stage): Stage {
  const names = columns.map(({ path }) => path.join('/'));
  const results = of.map((branch) => {
    const { source, where, order, last } = run(branch);
    const values = columns.map(({ of: tree }, i) => {
      const ownColumn = branch.columns.find(({ path }) => path.join('/') === names[i]);
      return sql`${ownColumn ? valueToSql(ownColumn.of, source) : sql`null`}::${casts[typeOf(tree)]} as ${sql.id(`c${i}`)}`;
    });
    const missing = columns.flatMap(({ path: [name] }) => (branch.columns.some(({ path }) => path[0] === name) ? [] : [name]));
    const by = orderBy(sortParts(order, last, source));
    return sql`select ${sql.join(values)}, ${missing}::text[] as absent from ${source.from()} where ${allOf(where)}${by}`;
  });
  const rows = sql`select u.*, row_number() over () as ${sql.id(`c${names.length}`)} from ((${sql.join(results, sql`) union all (`)})) u`;
  const again = (inner: Sql): Source => groupSource([...names, ''], inner);
  const last: OrderKey = { of: { k: 'path', type: 'bigint', nullable: false, path: [''] }, descending: false };
  return { source: again(rows), where: [], order: [], last: [last], again, all: groupColumns, absent: sql`g.absent` };
}

/** The source that reads groups; `names` are the grouping paths and the names of the aggregates. */
function groupSource(names: readonly string[], rows: Sql): Source {
  return {
    column: (path) => {
      const i = names.indexOf(path.join('/'));
      if (i < 0) throw new Error(`Groups have no column ${path.join('/')}.`);
      return sql.ref(`g.c${i}`);
    },
    rows: () => {
      throw new Error('Groups have no relations.');
    },
    from: () => sql`(${rows}) as g`,
  };
}

function aggregateSql({ method, of, type }: Aggregate, source: Source): Sql {
  const value = of && valueToSql(of, source);
  switch (method) {
    case 'count':
      return sql`count(*)`;
    case 'countdistinct':
      return sql`count(distinct ${value})`;
    case 'average':
      return sql`avg(${value})::float8`;
    default:
      return sql`${sql.raw(method)}(${value})::${casts[type]}`;
  }
}

/** The properties that `$apply` computes, as `value as "name"`; nested objects for paths. */
export function madeColumns(columns: readonly Column[], source: Source, select?: readonly string[]): Sql[] {
  const names = [...new Set(columns.map(({ path }) => path[0] ?? ''))].filter((name) => select?.includes(name) ?? true);
  return names.map((name) => sql`${nested(columns, [name], source)} as ${sql.id(name)}`);
}

function nested(columns: readonly Column[], at: readonly string[], source: Source): Sql {
  const below = columns.filter(({ path }) => at.every((name, i) => path[i] === name));
  const column = below.find(({ path }) => path.length === at.length);
  if (column) return jsonValue(typeOf(column.of), valueToSql(column.of, source));
  const names = [...new Set(below.map(({ path }) => path[at.length] ?? ''))];
  const parts = names.map((name) => sql`${sql.lit(name)}, ${nested(below, [...at, name], source)}`);
  return sql`json_build_object(${sql.join(parts)})`;
}
