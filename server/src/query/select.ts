/** Builds the statement of a bound query: scope, steps of $apply, filter, order, paging, fields and expansions. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Expand, OrderKey, Query, Tree } from '@cloudfit/contract/query/tree.ts';
import { isSearch } from '@cloudfit/contract/query/functions.ts';
import { groupFrom, pathsOf } from './distinct.ts';
import { countedBy, countTable, isIndexed, isSorted } from '../db/indexes.ts';
import { columnName } from '../db/column-name.ts';
import { selectList } from './columns.ts';
import {
  defaultOrder,
  orderBy,
  paging,
  sortParts,
  type PageEnd,
  type SortPart,
  keyOrder,
  nameOf,
  laterRanges,
  orderedColumn,
  link,
  sourceOf,
  type ReadableResource,
  type ReadableOf,
} from './source.ts';
import { searchCondition } from './search.ts';
import { firstStage, madeColumns, runSteps, type Stage } from './apply.ts';
import { allOf, treeToSql, type Source } from './filter.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { printOptions } from '@cloudfit/contract/query/print.ts';
import type { Sql } from '../db/compile.ts';

/** The resource of a statement and its related resources, as one caller may read them. */
export interface QueryTarget {
  root: ReadableResource;
  readableOf: ReadableOf;
  /** A further condition on rows, whose table has the alias `t`. */
  narrow?: RawBuilder<boolean> | undefined;
}

/**
 * The rows after `$apply` and `$filter`, before sorting and paging. The first page needs only the first `rowLimit` of them. `isBest`: of very
 * many that a search finds, the newest suffice; `cut` says then, as SQL, whether there are more.
 */
function matchingRows(
  target: QueryTarget,
  query: Query,
  rowLimit: number,
  isBest = false,
): Stage & { isShared: boolean; cut?: Sql | undefined } {
  const { root, readableOf, narrow } = target;
  const first = firstStage(readableOf, root, [...root.visible('t'), ...(narrow ? [narrow] : [])]);
  const stage = query.apply
    ? runSteps(first, query.apply, (from, step) => groupFrom(from, step, { root, narrow, query, rowLimit }))
    : first;
  if (!query.filter) return { ...stage, isShared: false };
  // After `$apply`, the filter may refer to columns that the table does not have.
  const search = query.apply ? [] : searchCondition(root, readableOf, query.filter, stage.source);
  const cut = query.apply ? undefined : askSearch(target, query.filter, stage.source, isBest);
  return {
    ...stage,
    where: [...stage.where, ...search, treeToSql(query.filter, stage.source)],
    isShared: cut !== undefined || (search.length > 0 && Boolean(query.count)),
    cut,
  };
}

/** How many rows a search looks at one by one rather than through its index; it takes as many keys of what other conditions leave. */
const fewRows = 50_000;
/** As many for a search of which the newest rows suffice, and how many of these it ranks at most (`search_best`). */
const newestRows = 5_000;
const rankedRows = 1_000;

/** Whether a search may rank the newest rows alone: for a page among them, of a list that is counted up to a number. */
const isEnough = ({ top, skip, cut, after, countUpTo }: PageRows): boolean =>
  countUpTo !== undefined && countUpTo >= rankedRows && !cut && !after && skip + top <= rankedRows;

/** The values of a field that a condition names one by one. */
function namedBy(tree: Tree, field: string): readonly string[] | undefined {
  if (tree.k !== 'in' && !(tree.k === 'compare' && tree.op === 'eq')) return undefined;
  const values = tree.k === 'in' ? tree.values : [tree.right];
  if (nameOf(tree.left) !== field || values.some((value) => value.k !== 'literal' || value.value === null)) return undefined;
  return values.map((value) => (value.k === 'literal' ? String(value.value) : ''));
}

/** The search by which each row has to be found; it is told what the other conditions leave. Returns whether it was cut, as SQL. */
function askSearch({ root, readableOf, narrow }: QueryTarget, filter: Tree, source: Source, isBest: boolean): Sql | undefined {
  const parts = filter.k === 'and' ? filter.of : [filter];
  const search = parts.find((part) => part.k === 'call' && isSearch(part.fn));
  const [typed] = search?.k === 'call' ? search.args : [];
  if (search?.k !== 'call' || typed?.k !== 'literal') return undefined;
  const { scope } = root.resource;
  const tenants = parts.map((part) => (scope.kind === 'tenant' ? namedBy(part, scope.field) : undefined));
  const others = parts.filter((part, n) => part !== search && !tenants[n]);
  const named = tenants.filter((ids) => ids !== undefined);
  const of = named[0] && { of: named[0].filter((id) => named.every((ids) => ids.includes(id))) };
  const rest = sourceOf(readableOf, root.resource, 't', sql`${sql.table(root.table)} as t`);
  const key = sql.ref(`t.${columnName(root.resource.key)}`);
  const where = allOf([...root.visible('t'), narrow, ...parts.filter((part) => part !== search).map((part) => treeToSql(part, rest))]);
  const limit = isBest ? sql` order by ${key} desc${paging(newestRows + 1, 0)}` : paging(fewRows + 1, 0);
  const isFiltered = others.length > 0 || (isBest && narrow !== undefined);
  const among = isFiltered ? { among: sql`array(select ${key} from ${rest.from()} where ${where}${limit})` } : {};
  const text = String(typed.value);
  source.search?.(search.fn, text, { ...of, ...among, isBest });
  return (isBest ? source.search?.('cut', text) : undefined) ?? sql`false`;
}

/** Selects `what`, an aggregate of the rows of a query; by default their number as `count`. */
export function countQuery(target: QueryTarget, query: Query, what?: Sql): Sql {
  const { source, where } = matchingRows(target, { ...query, count: true }, 0);
  const rows = sql`${source.from()} where ${allOf(where)}`;
  return what ? sql`select ${what} from ${rows}` : sql`select ${countOf(target, query, rows)} as count`;
}

/** The number of rows, or any number above `upTo` if there are more. Uses the stored counts of the table if they suffice. */
function countOf(target: QueryTarget, query: Query, rows: Sql, upTo?: number): Sql {
  const counted = upTo === undefined ? rows : sql`(select from ${rows}${paging(upTo + 1, 0)}) counted`;
  return keptCount(target, query) ?? sql`(select count(*)::int from ${counted})`;
}

function keptCount({ root, readableOf, narrow }: QueryTarget, { apply, filter }: Query): Sql | undefined {
  const columns = countedBy(root.table);
  const paths = filter ? pathsOf(filter) : [];
  if (narrow || apply || !columns || !paths?.every(([name = '', ...more]) => more.length === 0 && columns.includes(columnName(name))))
    return undefined;
  const source = sourceOf(readableOf, root.resource, 't', sql`${sql.table(countTable(root.table))} as t`);
  const where = allOf([...root.visible('t'), filter && treeToSql(filter, source)]);
  return sql`(select coalesce(sum(t.rows), 0)::int from ${source.from()} where ${where})`;
}

/** A search whose result (keys and sort columns) serves count and page, so that it runs once, and only rows of the page are read in full. */
function sharedSearch(
  { resource, table }: ReadableResource,
  source: Source,
  conditions: readonly RawBuilder<boolean>[],
  sort: readonly SortPart[],
  ofPage: Sql,
  after: PageEnd | undefined,
  cut = sql`false`,
): { matching: Sql; rows: (what: Sql) => Sql; sort: readonly SortPart[] } {
  const key = sql.ref(`t.${columnName(resource.key)}`);
  const values = sort.map(({ value }, n) => sql`, ${value} as ${sql.ref(`sort${n}`)}`);
  const sortColumns = sort.map((part, n) => ({ ...part, value: sql.ref(`found.sort${n}`) }));
  const rest = after ? sql` where ${sql.join(laterRanges(sortColumns, after), sql` or `)}` : sql``;
  return {
    matching: sql`found as materialized (select ${key} as key, ${cut} as is_cut${sql.join(values, sql``)} from ${source.from()} where ${allOf(conditions)})`,
    rows: (what) =>
      sql`select ${what} from (select * from found${rest}${orderBy(sortColumns)}${ofPage}) found join ${sql.table(table)} as t on ${key} = found.key${orderBy(sortColumns)}`,
    sort: sortColumns,
  };
}

const withQueries = (queries: readonly Sql[]): Sql => (queries.length > 0 ? sql`with ${sql.join(queries)} ` : sql``);

/** Which rows of a query an answer contains. */
interface PageRows {
  top: number;
  skip: number;
  /** The client sent no `$top`, or one above the page size, so a page end is answered when rows follow. */
  cut: boolean;
  after?: PageEnd;
  /** If more rows match, the count may be any number above this one. */
  countUpTo?: number | undefined;
  wire?: boolean;
}

/**
 * One statement for a page: `value` is the rows as JSON text; `count` (null unless requested) has the same filter and
 * scope without paging; `page_end` is the end of a limited page that rows follow. PostgreSQL writes the JSON: to parse ten rows
 * of seventy fields in this process would cost more than to find them in the database.
 */
export function selectQuery(target: QueryTarget, query: Query, page: PageRows): Sql {
  const { root, readableOf } = target;
  const {
    source,
    where: conditions,
    order,
    last,
    isShared,
    absent,
    cut,
  } = matchingRows(target, query, page.after ? Infinity : page.skip + page.top + 1, isEnough(page));
  const { apply } = query;
  const usual = apply?.grouped ? [] : defaultOrder(root.resource);
  const keys = query.orderBy.length > 0 ? query.orderBy : order.length > 0 ? order : usual;
  const sort = sortParts(keys, last, source, usual, apply ? [] : usualAmongEqual(root, query.orderBy, usual));
  // One row more than the page tells whether there is a next page.
  const maxRows = page.cut ? page.top + 1 : page.top;
  // A search costs far more than reading its rows, so count and page share one search.
  const shared = isShared ? sharedSearch(root, source, conditions, sort, paging(maxRows, page.skip), page.after, cut) : undefined;
  const tag = page.wire && root.versioned ? [sql`'W/"' || t.xmin || '"' as "@odata.etag"`] : [];
  const columns = apply?.grouped ? [] : [...tag, ...selected(readableOf, root.resource, query, 't')];
  const fields = sql.join([...columns, ...madeColumns(apply?.columns ?? [], source, query.select)]);
  // On a standby, a snapshot does not name the transactions that run, so all that are not older than every running one count as not read.
  const read = page.wire
    ? sql`, case when pg_is_in_recovery() then regexp_replace(pg_current_snapshot()::text, '^([0-9]+):.*', '\\1:\\1:') else pg_current_snapshot()::text end as snapshot`
    : sql``;
  const searched = shared ? [shared.matching] : [];
  const joined = source.from();
  const rowsOf = (what: Sql, where: readonly RawBuilder<boolean>[], limit: Sql): Sql =>
    sql`select ${what} from ${joined} where ${allOf(where)}${orderBy(sort)}${limit}`;
  const key = sql.ref(`t.${columnName(root.resource.key)}`);
  const pageOf = (what: Sql): Sql => {
    if (!page.after) return rowsOf(what, conditions, paging(maxRows, page.skip));
    const ranges = laterRanges(sort, page.after).map((range) => rowsOf(what, [...conditions, range], paging(maxRows, 0)));
    return ranges.length === 1 ? sql`${sql.join(ranges)}` : sql`(${sql.join(ranges, sql`) union all (`)})${paging(maxRows, 0)}`;
  };
  // Selects keys first if rows are skipped, which an index can do alone, or if no index has the order, to sort keys only.
  const first = (keys[0] && nameOf(keys[0].of)) ?? '';
  const column = orderedColumn(root.resource.fields[first], first);
  const keysFirst = !apply && ((page.skip > 0 && !page.after) || isSorted(root.table, columnName(root.resource.key), column));
  const rowsAs = (what: Sql): Sql => {
    if (shared) return shared.rows(what);
    return keysFirst ? rowsOf(what, [sql<boolean>`${key} = any(array(${pageOf(key)}))`], paging(maxRows, 0)) : pageOf(what);
  };
  const all = query.count
    ? countOf(target, query, shared ? sql`found` : sql`${joined} where ${allOf(conditions)}`, page.countUpTo)
    : sql`null::int`;
  const count =
    cut && isEnough(page) && query.count
      ? sql`(case when (select bool_or(is_cut) from found) then ${(page.countUpTo ?? 0) + 1} else ${all} end)`
      : all;
  const json = (row: Sql): Sql => withoutEmptyLinks(query, sql`coalesce(json_agg(${row}), '[]')::text`);
  const row = absent ? sql`(to_jsonb(r) - ${absent})::json` : sql`row_to_json(r)`;
  const item = sql`(select ${row} from (select ${fields}) r) as item`;
  if (!page.cut) {
    const rows = sql`select ${json(sql`item`)} from (${rowsAs(item)}) r`;
    return sql`${withQueries(searched)}select ${count} as count, (${rows}) as value, null::text[] as page_end${read}`;
  }
  // The sort values of a row are a separate column, not a part of its JSON.
  const end = sql`array[${sql.join((shared?.sort ?? sort).map(({ value }) => sql`(${value})::text`))}]::text[]`;
  const rows = sql`page as materialized (${rowsAs(sql`${item}, ${end} as page_end`)})`;
  return sql`${withQueries([...searched, rows])}
    select ${count} as count, (select ${json(sql`item`)} from (select item from page${paging(page.top, 0)}) r) as value,
      (select page_end from page where (select count(*) > ${page.top} from page)${paging(1, page.top - 1)}) as page_end${read}`;
}

/**
 * The keys of the usual order that follow a single key, if an index has both: it serves lists by the usual order too, so that none is
 * needed for lists by this key alone.
 */
function usualAmongEqual(
  { resource, table }: ReadableResource,
  keys: readonly OrderKey[],
  usual: readonly OrderKey[],
): readonly OrderKey[] {
  const [key, ...more] = keys;
  const first = key && more.length === 0 ? nameOf(key.of) : undefined;
  const others = usual.filter(({ of }) => nameOf(of) !== first);
  const columns = [first, others[0] && nameOf(others[0].of)].flatMap((name) =>
    name !== undefined && name in resource.fields ? [orderedColumn(resource.fields[name], name)] : [],
  );
  return columns.length === 2 && isIndexed(table, columns) ? others : [];
}

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
  const usual = defaultOrder(resource);
  const order = orderBy(sortParts(query.orderBy.length > 0 ? query.orderBy : usual, keyOrder(resource), source, usual));
  const rows = sql`select ${fields} from ${source.from()} where ${where}${order}${paging(Math.min(top, limits.expandRows), skip)}`;
  const all = sql`(select coalesce(json_agg(row_to_json(r)), '[]') from (${rows}) r) as ${sql.id(name)}`;
  const beyond = sql`exists (select from ${source.from()} where ${where} offset ${skip + limits.expandRows})`;
  const next = sql`case when ${beyond} then ${nextLink(item, parent)} end as ${sql.id(`${name}@odata.nextLink`)}`;
  return [...(query.count ? [count] : []), all, ...(top > limits.expandRows ? [next] : [])];
}

/** The next link of nested rows that were cut off; relative, as the standard allows. */
function nextLink({ relation, target, query }: Expand, parent: string): Sql {
  const [before = '', after = ''] = printOptions(query, `${relation.on} eq \u0000`).split(encodeURIComponent('\u0000'));
  const left = query.top === undefined ? '' : `&$top=${query.top - limits.expandRows}`;
  const skip = `${after}${left}&$skip=${(query.skip ?? 0) + limits.expandRows}`;
  const value = sql.ref(`${parent}.${columnName(relation.from)}`);
  return sql`(${`${target.name}?${before}`}::text || ${value} || ${skip}::text)`;
}

/** Names of all properties for next links of nested rows that an answer may have. */
function linkNames(query: Query): string[] {
  return query.expand.flatMap(({ name, relation, countOnly, query: { top = Infinity }, query: inner }) => [
    ...(relation.many && !countOnly && top > limits.expandRows ? [`${name}@odata.nextLink`] : []),
    ...linkNames(inner),
  ]);
}

/** Removes next links that are null from JSON text, where no value can contain the same text with its quotes. */
export function withoutEmptyLinks(query: Query, json: Sql): Sql {
  return [...new Set(linkNames(query))].reduce((text, name) => sql`replace(${text}, ${sql.lit(`,"${name}":null`)}, '')`, json);
}
