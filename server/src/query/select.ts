/** Builds the statement of a bound query: scope, steps of $apply, filter, order, paging, fields and expansions. */
import { sql, type RawBuilder } from 'kysely';
import type { Expand, Query } from '@cloudfit/contract/query/tree.ts';
import { groupFrom } from './distinct.ts';
import { columnName, selectList } from './columns.ts';
import {
  defaultOrder,
  orderBy,
  paging,
  sortParts,
  type SortPart,
  keyOrder,
  link,
  sourceOf,
  type Readable,
  type ReadableOf,
} from './source.ts';
import { searchCondition } from './search.ts';
import { firstStage, madeColumns, runSteps, type Stage } from './apply.ts';
import { allOf, treeToSql, type Source } from './filter.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { printOptions } from '@cloudfit/contract/query/print.ts';

/** The resource that a statement answers, and what else it leads to, as one caller may read them. */
export interface QueryTarget {
  root: Readable;
  readableOf: ReadableOf;
  /** One more condition on rows, whose table goes by the alias `t`. */
  narrow?: RawBuilder<boolean> | undefined;
}

/** The rows that `$apply` and `$filter` leave, before order and paging; the page needs the first `rowLimit` of them. */
function matchingRows(target: QueryTarget, query: Query, rowLimit: number): Stage & { isSearch: boolean } {
  const { root, readableOf, narrow } = target;
  const first = firstStage(readableOf, root, [...root.visible('t'), ...(narrow ? [narrow] : [])]);
  const stage = query.apply
    ? runSteps(first, query.apply, (from, step) => groupFrom(from, step, { root, narrow, query, rowLimit }))
    : first;
  if (!query.filter) return { ...stage, isSearch: false };
  // The filter of groups names columns that the row does not have.
  const search = query.apply ? [] : searchCondition(root, readableOf, query.filter, stage.source);
  return { ...stage, where: [...stage.where, ...search, treeToSql(query.filter, stage.source)], isSearch: search.length > 0 };
}

/** How many rows a query finds, as `count`. */
export function countQuery(target: QueryTarget, query: Query): RawBuilder<unknown> {
  const { source, where } = matchingRows(target, { ...query, count: true }, 0);
  return sql`select count(*)::int as count from ${source.from()} where ${allOf(where)}`;
}

/** What a search found, with what it is sorted by: only the rows of the page, the first `rowLimit`, are read a second time. */
function sharedSearch(
  { resource }: Readable,
  source: Source,
  conditions: readonly RawBuilder<boolean>[],
  sort: readonly SortPart[],
  rowLimit: number,
): { matching: RawBuilder<unknown>; ofPage: RawBuilder<boolean> } {
  const key = sql.ref(`t.${columnName(resource.key)}`);
  const values = sort.map(({ value }, n) => sql`, ${value} as ${sql.ref(`sort${n}`)}`);
  const by = orderBy(sort.map(({ direction }, n) => ({ value: sql.ref(`sort${n}`), direction })));
  return {
    matching: sql`found as materialized (select ${key} as key${sql.join(values, sql``)} from ${source.from()} where ${allOf(conditions)})`,
    ofPage: sql<boolean>`${key} = any(array(select key from found${by}${paging(rowLimit, 0)}))`,
  };
}

const withQueries = (queries: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  queries.length > 0 ? sql`with ${sql.join(queries)} ` : sql``;

/**
 * One statement for a page: `value` is the rows as JSON text, `count` (null when not asked for) has the same
 * filter and scope and is not touched by paging, `more` tells of a cut page whether rows follow it.
 * PostgreSQL writes the JSON: ten rows of seventy fields would cost more to read here than to find there.
 */
export function selectQuery(
  target: QueryTarget,
  query: Query,
  page: { top: number; skip: number; cut: boolean; wire?: boolean },
): RawBuilder<unknown> {
  const { root, readableOf } = target;
  const { source, where: conditions, order, last, isSearch } = matchingRows(target, query, page.skip + page.top + 1);
  const { apply } = query;
  const keys = query.orderBy.length > 0 ? query.orderBy : order.length > 0 || apply?.grouped ? order : defaultOrder(root.resource);
  const sort = sortParts(keys, last, source);
  const by = orderBy(sort);
  // One row more than a cut page tells whether there is a next one.
  const maxRows = page.cut ? page.top + 1 : page.top;
  // A search costs far more than its rows: the count and the page look at what one search found.
  const shared = isSearch && query.count ? sharedSearch(root, source, conditions, sort, page.skip + maxRows) : undefined;
  const where = shared ? [shared.ofPage] : conditions;
  const counted = shared ? sql`from found` : sql`from ${source.from()} where ${allOf(where)}`;
  const count = query.count ? sql`(select count(*)::int ${counted})` : sql`null::int`;
  const tag = page.wire && root.versioned ? [sql`'W/"' || t.xmin || '"' as "@odata.etag"`] : [];
  const columns = apply?.grouped ? [] : [...tag, ...selected(readableOf, root.resource, query, 't')];
  const fields = sql.join([...columns, ...madeColumns(apply?.columns ?? [], source, query.select)]);
  const rows = sql`select ${fields} from ${source.from()} where ${allOf(where)}${by}${paging(maxRows, page.skip)}`;
  const json = withoutEmptyLinks(query, sql`coalesce(json_agg(row_to_json(r)), '[]')::text`);
  const read = page.wire ? sql`, pg_current_snapshot()::text as snapshot` : sql``;
  const searched = shared ? [shared.matching] : [];
  if (!page.cut)
    return sql`${withQueries(searched)}select ${count} as count, (select ${json} from (${rows}) r) as value, false as more${read}`;
  return sql`${withQueries([...searched, sql`page as materialized (${rows})`])}
    select ${count} as count, (select ${json} from (select * from page${paging(page.top, 0)}) r) as value, (select count(*) > ${page.top} from page) as more${read}`;
}

type Sql = RawBuilder<unknown>;

/** `a as "a", (...) as "relation"`: fields and expansions of the row with alias `t`; empty when nothing is selected. */
export function selected(readableOf: ReadableOf, resource: Resource, query: Query, t: string): Sql[] {
  const names = query.select?.filter((name) => Object.hasOwn(resource.fields, name));
  const columns = names?.length === 0 ? [] : [selectList(resource, t, names)];
  return [...columns, ...query.expand.flatMap((item) => expansion(readableOf, item, t))];
}

function expansion(readableOf: ReadableOf, item: Expand, parent: string): Sql[] {
  const { name, relation, query } = item;
  const target = readableOf(relation.to);
  const { resource } = target;
  const alias = `${parent}e`;
  const source = sourceOf(readableOf, resource, alias, sql`${sql.table(target.table)} as ${sql.ref(alias)}`);
  const where = allOf([link(relation, alias, parent), ...target.visible(alias), query.filter && treeToSql(query.filter, source)]);
  const fields = sql.join(selected(readableOf, resource, query, alias));
  if (!relation.many) {
    const rows = sql`select ${fields} from ${source.from()} where ${where} limit 1`;
    return [sql`(select row_to_json(r) from (${rows}) r) as ${sql.id(name)}`];
  }
  const count = sql`(select count(*)::int from ${source.from()} where ${where}) as ${sql.id(`${name}@odata.count`)}`;
  if (item.countOnly) return [count];
  const { top = Infinity, skip = 0 } = query;
  const order = orderBy(sortParts(query.orderBy.length > 0 ? query.orderBy : defaultOrder(resource), keyOrder(resource), source));
  const rows = sql`select ${fields} from ${source.from()} where ${where}${order}${paging(Math.min(top, limits.expandRows), skip)}`;
  const all = sql`(select coalesce(json_agg(row_to_json(r)), '[]') from (${rows}) r) as ${sql.id(name)}`;
  const beyond = sql`exists (select from ${source.from()} where ${where} offset ${skip + limits.expandRows})`;
  const next = sql`case when ${beyond} then ${nextLink(item, parent)} end as ${sql.id(`${name}@odata.nextLink`)}`;
  return [...(query.count ? [count] : []), all, ...(top > limits.expandRows ? [next] : [])];
}

/** The list of the target that goes on where the nested rows were cut; relative, as the standard allows. */
function nextLink({ relation, target, query }: Expand, parent: string): Sql {
  const [before = '', after = ''] = printOptions(query, `${relation.on} eq \u0000`).split(encodeURIComponent('\u0000'));
  const left = query.top === undefined ? '' : `&$top=${query.top - limits.expandRows}`;
  const skip = `${after}${left}&$skip=${(query.skip ?? 0) + limits.expandRows}`;
  const value = sql.ref(`${parent}.${columnName(relation.from)}`);
  return sql`(${`${target.name}?${before}`}::text || ${value} || ${skip}::text)`;
}

/** Names of the links to the rest of nested rows that an answer may hold. */
function linkNames(query: Query): string[] {
  return query.expand.flatMap(({ name, relation, countOnly, query: { top = Infinity }, query: inner }) => [
    ...(relation.many && !countOnly && top > limits.expandRows ? [`${name}@odata.nextLink`] : []),
    ...linkNames(inner),
  ]);
}

/** Rows of which nothing was cut have no link: the nulls are taken out of the JSON, where no text can look like them. */
export function withoutEmptyLinks(query: Query, json: Sql): Sql {
  return [...new Set(linkNames(query))].reduce((text, name) => sql`replace(${text}, ${sql.lit(`,"${name}":null`)}, '')`, json);
}
