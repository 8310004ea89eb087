/** Builds the statement of a bound query: scope, steps of $apply, filter, order, paging, fields and expansions. */
import { sql, type RawBuilder } from 'kysely';
import type { Query } from '@cloudfit/contract/query/tree.ts';
import type { Ctx } from '../context/ctx.ts';
import { selected, withoutEmptyLinks } from './expand.ts';
import { groupFrom } from './group-values.ts';
import { columnName } from './column-name.ts';
import { defaultOrder, orderBy, paging, sortParts, type SortPart } from './order-by.ts';
import { reachFor, viewScope, visible } from './reach.ts';
import { allOf } from './scope.ts';
import { searchCondition } from './search.ts';
import type { AnyServed } from './served.ts';
import type { Source } from './source.ts';
import { firstStage, madeColumns, runSteps, type Stage } from './stage.ts';
import { treeToSql } from './to-sql.ts';
import { hasVersion } from './version.ts';

/** The rows that `$apply` and `$filter` leave, before order and paging. `reach`: how many of them the page needs. */
function found(
  ctx: Ctx,
  served: AnyServed,
  query: Query,
  reach: number,
  narrow: RawBuilder<boolean> | undefined,
): Stage & { isSearch: boolean } {
  const targets = reachFor(ctx);
  const { resource, table } = served;
  const scope = viewScope(ctx, served);
  const also = narrow ? [narrow] : [];
  const rows = { scoped: [...visible(ctx, served, 't', scope), ...also], unscoped: [...visible(ctx, served, 't', 'all'), ...also] };
  const first = firstStage(targets, targets(resource.name), rows.scoped, hasVersion(served));
  const stage = query.apply
    ? runSteps(first, query.apply, (from, step) => groupFrom(from, step, { resource, table, query, scope, visible: rows, reach }))
    : first;
  if (!query.filter) return { ...stage, isSearch: false };
  // Of groups the filter names columns that are none of the row's.
  const search = query.apply ? [] : searchCondition(ctx, served, query.filter, stage.source);
  return { ...stage, where: [...stage.where, ...search, treeToSql(query.filter, stage.source)], isSearch: search.length > 0 };
}

/** How many rows a query finds, as `count`. */
export function countQuery(ctx: Ctx, served: AnyServed, query: Query, narrow?: RawBuilder<boolean>): RawBuilder<unknown> {
  const { source, where } = found(ctx, served, { ...query, count: true }, 0, narrow);
  return sql`select count(*)::int as count from ${source.from()} where ${allOf(where)}`;
}

/** What a search found, with what it is sorted by: only the rows of the page, the first `reach`, are read a second time. */
function sharedSearch(
  { resource }: AnyServed,
  source: Source,
  conditions: readonly RawBuilder<boolean>[],
  sort: readonly SortPart[],
  reach: number,
): { found: RawBuilder<unknown>; ofPage: RawBuilder<boolean> } {
  const key = sql.ref(`t.${columnName(resource.key)}`);
  const values = sort.map(({ value }, n) => sql`, ${value} as ${sql.ref(`sort${n}`)}`);
  const by = orderBy(sort.map(({ direction }, n) => ({ value: sql.ref(`sort${n}`), direction })));
  return {
    found: sql`found as materialized (select ${key} as key${sql.join(values, sql``)} from ${source.from()} where ${allOf(conditions)})`,
    ofPage: sql<boolean>`${key} = any(array(select key from found${by}${paging(reach, 0)}))`,
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
  ctx: Ctx,
  served: AnyServed,
  query: Query,
  page: { top: number; skip: number; cut: boolean; wire?: boolean },
  narrow?: RawBuilder<boolean>,
): RawBuilder<unknown> {
  const { source, where: conditions, order, last, isSearch } = found(ctx, served, query, page.skip + page.top + 1, narrow);
  const { apply } = query;
  const keys = query.orderBy.length > 0 ? query.orderBy : order.length > 0 || apply?.grouped ? order : defaultOrder(served.resource);
  const sort = sortParts(keys, last, source);
  const by = orderBy(sort);
  // One row more than a cut page tells whether there is a next one.
  const most = page.cut ? page.top + 1 : page.top;
  // A search costs far more than its rows: the count and the page look at what one search found.
  const shared = isSearch && query.count ? sharedSearch(served, source, conditions, sort, page.skip + most) : undefined;
  const where = shared ? [shared.ofPage] : conditions;
  const counted = shared ? sql`from found` : sql`from ${source.from()} where ${allOf(where)}`;
  const count = query.count ? sql`(select count(*)::int ${counted})` : sql`null::int`;
  const tag = page.wire && hasVersion(served) ? [sql`'W/"' || t.xmin || '"' as "@odata.etag"`] : [];
  const own = apply?.grouped ? [] : [...tag, ...selected(reachFor(ctx), served.resource, query, 't')];
  const fields = sql.join([...own, ...madeColumns(apply?.columns ?? [], source, query.select)]);
  const rows = sql`select ${fields} from ${source.from()} where ${allOf(where)}${by}${paging(most, page.skip)}`;
  const json = withoutEmptyLinks(query, sql`coalesce(json_agg(row_to_json(r)), '[]')::text`);
  const read = page.wire ? sql`, pg_current_snapshot()::text as snapshot` : sql``;
  const searched = shared ? [shared.found] : [];
  if (!page.cut)
    return sql`${withQueries(searched)}select ${count} as count, (select ${json} from (${rows}) r) as value, false as more${read}`;
  return sql`${withQueries([...searched, sql`page as materialized (${rows})`])}
    select ${count} as count, (select ${json} from (select * from page${paging(page.top, 0)}) r) as value, (select count(*) > ${page.top} from page) as more${read}`;
}
