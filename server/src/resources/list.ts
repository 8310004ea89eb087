/** Answers a list: rights, plan (kept per caller), rows and count in one statement. */
import type { RawBuilder } from 'kysely';
import { limits } from '@cloudfit/contract/limits.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import type { Query } from '@cloudfit/contract/query/tree.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx, Permissions } from '../ctx.ts';
import type { Statement } from '../db/connection.ts';
import { compile, prepared } from './compile.ts';
import { selectQuery } from './select.ts';
import { servedOf, type Served } from './served.ts';

interface Answer {
  count?: number;
  /** `$skip` of the next page, when the server cut this one shorter than the client asked. */
  nextSkip?: number;
}

export interface Page extends Answer {
  value: Record<string, unknown>[];
}

/** A page whose rows are JSON text already. */
export interface PageText extends Answer {
  value: string;
}

interface Plan {
  statement: Statement;
  top: number;
  skip: number;
}

const plansPerCaller = 200;
// Rights are part of a plan, so plans live and die with the caller's permissions.
const plans = new WeakMap<Permissions, Map<string, Plan>>();

/** Does a hook look at more of the caller than the permissions that plans are kept by? */
function looksAtCaller(served: Served, query: Query): boolean {
  return (
    served.rowsFor !== undefined ||
    query.joins.some((j) => servedOf(j.relation.to).rowsFor) ||
    query.expand.some((e) => looksAtCaller(servedOf(e.relation.to), e.query))
  );
}

function makePlan(ctx: Ctx, served: Served, query: Query, narrow?: RawBuilder<boolean>): Plan {
  const top = Math.min(query.top ?? limits.pageDefault, limits.pageMax);
  const skip = query.skip ?? 0;
  // The client gave no `$top`, or one above the cap.
  const cut = query.top === undefined || query.top > limits.pageMax;
  return { statement: compile(selectQuery(ctx, served, query, { top, skip, cut }, narrow)), top, skip };
}

function bound(served: Served, rawQuery: string): Query {
  return bindQuery(served.resource, parseOptions(rawQuery), requireResource);
}

function planFor(ctx: Ctx, served: Served, rawQuery: string): Plan {
  let own = plans.get(ctx.permissions);
  if (!own) plans.set(ctx.permissions, (own = new Map()));
  const key = `${served.resource.name}?${rawQuery}`;
  const known = own.get(key);
  if (known) {
    if (!known.statement.name) known.statement = prepared(known.statement);
    return known;
  }
  const query = bound(served, rawQuery);
  const plan = makePlan(ctx, served, query);
  if (own.size >= plansPerCaller) own.delete(own.keys().next().value ?? '');
  if (!looksAtCaller(served, query)) own.set(key, plan);
  return plan;
}

/**
 * Answers `?{rawQuery}` on a resource; throws 400 or 501 for what it cannot do, 403 without the right. `narrow` is one
 * more condition on rows, whose table goes by the alias `t`.
 */
export async function listText(ctx: Ctx, served: Served, rawQuery: string, narrow?: RawBuilder<boolean>): Promise<PageText> {
  const { statement, top, skip } = narrow ? makePlan(ctx, served, bound(served, rawQuery), narrow) : planFor(ctx, served, rawQuery);
  const [row] = await ctx.db.query<{ count: number | null; value: string; more: boolean }>(statement);
  if (!row) throw new Error('A page has one row.');
  return { value: row.value, ...(row.count === null ? {} : { count: row.count }), ...(row.more ? { nextSkip: skip + top } : {}) };
}

/** The same with the rows as objects, for the server's own use. */
export async function list(ctx: Ctx, served: Served, rawQuery: string): Promise<Page> {
  const page = await listText(ctx, served, rawQuery);
  return { ...page, value: JSON.parse(page.value) as Page['value'] };
}
