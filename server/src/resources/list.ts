/** Answers a list: permissions, plan (cached per caller), rows and count in one statement. */
import { sql, type RawBuilder } from '../db/sql.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { parseOptions, type QueryOptions, wholeNumber } from '@cloudfit/contract/query/options.ts';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import type { Query } from '@cloudfit/contract/query/tree.ts';
import type { FieldName, Resource, Row } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx, Permissions } from '../context/ctx.ts';
import type { Statement } from '../db/db.ts';
import { compile, prepared } from '../db/compile.ts';
import { keepNewest } from '../platform/keep-newest.ts';
import { columnName } from '../db/column-name.ts';
import { countQuery, selectQuery, type QueryTarget } from '../query/select.ts';
import type { PageEnd } from '../query/source.ts';
import { mayView, readable, readableBy } from './scope.ts';
import { orderTag, readSkipToken, skipToken } from './skip-token.ts';
import { servedNamed, type AnyRow, type AnyServed, type Served } from './served.ts';

interface ListAnswer {
  /** The type and selected fields of the rows, for `@odata.context`. */
  context: string;
  count?: number;
  /** `$skiptoken` and remaining `$top` of the next page, if the page ends before the rows that the client requested. */
  next?: { skiptoken: string; top?: number };
}

export interface ListReadOptions {
  /** A further condition on rows, whose table has the alias `t`. */
  narrow?: RawBuilder<boolean>;
  /** Preferred page size of the client, up to the maximum. */
  maxPageSize?: number;
  /** For HTTP answers: rows have their ETag, and the page has the snapshot of its read. */
  wire?: boolean;
}

export interface ListPage<T = AnyRow> extends ListAnswer {
  value: T[];
}

/** A page whose rows are JSON text already. */
export interface PageText extends ListAnswer {
  value: string;
  /** PostgreSQL's snapshot: which transactions the page includes. */
  snapshot?: string;
}

export interface ListPlan {
  statement: Statement;
  context: string;
  /** Page size, and the client's `$top`. */
  size: number;
  top: number | undefined;
  /** The beginning of this list's `$skiptoken`s, which identifies its order. */
  order: string;
}

const plansPerCaller = 200;
// A plan depends on permissions, so plans are cached per permissions object of the caller.
const plans = new WeakMap<Permissions, Map<string, ListPlan>>();

/** Whether a hook depends on more properties of the caller than the permissions by which plans are cached. */
function looksAtCaller(served: AnyServed, query: Query): boolean {
  return (
    served.rowsFor !== undefined ||
    query.joins.some((j) => servedNamed(j.relation.to).rowsFor) ||
    query.expand.some((e) => looksAtCaller(servedNamed(e.relation.to), e.query))
  );
}

function targetOf(ctx: Ctx, served: AnyServed, narrow: RawBuilder<boolean> | undefined): QueryTarget {
  return { root: readable(ctx, served), readableOf: readableBy(ctx), narrow };
}

/** Returns where a count may end; undefined when it goes to the end. */
function countLimit({ custom }: QueryOptions): number | undefined {
  const text = custom.get('countUpTo');
  if (text === undefined) return undefined;
  const limit = wholeNumber(text);
  if (limit === undefined) throw new ApiError('InvalidQueryOption', 'countUpTo is a whole number, 0 or more.', { target: 'countUpTo' });
  return limit;
}

function makePlan(ctx: Ctx, served: AnyServed, options: QueryOptions, query: Query, read: ListReadOptions): ListPlan {
  const { narrow, maxPageSize, wire } = read;
  const { top, skip = 0 } = query;
  const size = Math.min(top ?? maxPageSize ?? limits.pageDefault, maxPageSize ?? limits.pageMax, limits.pageMax);
  // The client sent no `$top`, or one above the page size.
  const cut = top === undefined || top > size;
  const order = orderTag(served.resource, options);
  const after = options.skiptoken === undefined ? {} : { after: readSkipToken(order, options.skiptoken) };
  const countUpTo = countLimit(options);
  const page = { top: size, skip, cut, ...after, countUpTo, wire: wire ?? false };
  return {
    statement: compile(selectQuery(targetOf(ctx, served, narrow), query, page)),
    context: contextOf(served.resource, query),
    size,
    top,
    order,
  };
}

/** Prepares `?{rawQuery}` on a resource; throws 400 or 501 for invalid or unsupported queries, 403 without the permission. */
export function planList(ctx: Ctx, served: AnyServed, rawQuery: string, options: ListReadOptions = {}): ListPlan {
  const planned = (): { plan: ListPlan; query: Query; isFirstPage: boolean } => {
    const requested = parseOptions(rawQuery);
    const bound = bindQuery(served.resource, requested, requireResource);
    const query = { ...bound, expand: bound.expand.filter(({ ifAllowed, target }) => !ifAllowed || mayView(ctx, target)) };
    return { plan: makePlan(ctx, served, requested, query, options), query, isFirstPage: requested.skiptoken === undefined };
  };
  if (options.narrow) return planned().plan;
  let plansOfCaller = plans.get(ctx.permissions);
  if (!plansOfCaller) plans.set(ctx.permissions, (plansOfCaller = new Map()));
  const key = `${served.resource.name} ${options.maxPageSize ?? ''}${options.wire ? 'w' : ''}?${rawQuery}`;
  const cached = plansOfCaller.get(key);
  if (cached) {
    if (!cached.statement.name) cached.statement = prepared(cached.statement);
    return cached;
  }
  const { plan, query, isFirstPage } = planned();
  // A plan of a later page is not cached, because the query of each page has another `$skiptoken`.
  if (!isFirstPage || looksAtCaller(served, query)) return plan;
  keepNewest(plansOfCaller, plansPerCaller, key, plan);
  return plan;
}

/** Runs a plan: rows and count in one statement. */
export async function runPlan(ctx: Ctx, { statement, context, size, top, order }: ListPlan): Promise<PageText> {
  const [row] = await ctx.db.query<{ count: number | null; value: string; page_end: PageEnd | null; snapshot?: string }>(statement);
  if (!row) throw new Error('A page has one row.');
  const next = row.page_end && { skiptoken: skipToken(order, row.page_end), ...(top === undefined ? {} : { top: top - size }) };
  return {
    context,
    value: row.value,
    ...(row.count === null ? {} : { count: row.count }),
    ...(row.snapshot === undefined ? {} : { snapshot: row.snapshot }),
    ...(next ? { next } : {}),
  };
}

/** A page with its rows as objects, with all fields or with those of `select`, which replaces `$select`. */
export async function list<R extends Resource, Name extends FieldName<R> = FieldName<R>>(
  ctx: Ctx,
  served: Served<R>,
  rawQuery: string,
  { select, ...options }: ListReadOptions & { select?: readonly Name[] } = {},
): Promise<ListPage<Pick<Row<R>, Name>>> {
  const query = select ? `$select=${select.join(',')}&${rawQuery}` : rawQuery;
  const page = await runPlan(ctx, planList(ctx, served, query, options));
  return { ...page, value: JSON.parse(page.value) as Pick<Row<R>, Name>[] };
}

/** The exact number of rows in the caller's scope. Only `$filter`, `$search`, `$apply` and `$compute` have an effect. */
export async function countRows(ctx: Ctx, served: AnyServed, rawQuery: string, narrow?: RawBuilder<boolean>): Promise<number> {
  const { aliases, custom, ...options } = parseOptions(rawQuery);
  const narrowing = (['apply', 'compute', 'filter', 'search'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [[name, options[name]]],
  );
  const query = bindQuery(served.resource, { aliases, custom, ...Object.fromEntries(narrowing) }, requireResource);
  const [row] = await ctx.db.query<{ count: number }>(compile(countQuery(targetOf(ctx, served, narrow), query)));
  if (!row) throw new Error('A count has one row.');
  return row.count;
}

/** The keys of all matching rows, in no order, and their number; no keys when there are more than `max`. */
export async function listKeys(
  ctx: Ctx,
  served: AnyServed,
  rawQuery: string,
  { narrow, max }: { narrow: RawBuilder<boolean>; max: number },
): Promise<{ count: number; keys: string[] }> {
  const key = sql.ref(`t.${columnName(served.resource.key)}`);
  const what = sql`count(*)::int as count, case when count(*) <= ${max} then json_agg(${key}) end as keys`;
  const query = bindQuery(served.resource, parseOptions(rawQuery), requireResource);
  const [row] = await ctx.db.query<{ count: number; keys: string[] | null }>(
    compile(countQuery(targetOf(ctx, served, narrow), query, what)),
  );
  return { count: row?.count ?? 0, keys: row?.keys ?? [] };
}

function parts(query: Query): string[] {
  const expanded = query.expand.flatMap(({ name, query: inner }) => {
    const nested = parts(inner);
    // The context URL does not name a relation whose rows are expanded with all their fields and nothing else.
    return nested.length > 0 || query.select ? [`${name}(${nested.join(',')})`] : [];
  });
  return [...(query.select ?? []), ...expanded];
}

/** Columns of groups, nested where a path uses a relation: `tenant(name),count`. */
function grouped(paths: readonly (readonly string[])[]): string[] {
  const names = [...new Set(paths.map(([name = '']) => name))];
  return names.map((name) => {
    const inner = paths.filter((path) => path[0] === name && path.length > 1).map((path) => path.slice(1));
    return inner.length > 0 ? `${name}(${grouped(inner).join(',')})` : name;
  });
}

export function contextOf(resource: Resource, query: Query): string {
  const named = query.apply?.grouped && !query.select ? grouped(query.apply.columns.map(({ path }) => path)) : parts(query);
  return named.length > 0 ? `${resource.name}(${named.join(',')})` : resource.name;
}
