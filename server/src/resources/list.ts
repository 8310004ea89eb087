/** Answers a list: rights, plan (kept per caller), rows and count in one flight. */
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

export interface Page {
  value: Record<string, unknown>[];
  count?: number;
  /** `$skip` of the next page, when the server cut this one shorter than the client asked. */
  nextSkip?: number;
}

interface Plan {
  statements: Statement[];
  top: number;
  skip: number;
  /** The client gave no `$top`, or one above the cap. */
  cut: boolean;
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

function makePlan(ctx: Ctx, served: Served, query: Query): Plan {
  const top = Math.min(query.top ?? limits.pageDefault, limits.pageMax);
  const skip = query.skip ?? 0;
  const cut = query.top === undefined || query.top > limits.pageMax;
  // One row more than a cut page tells whether there is a next one.
  const { rows, count } = selectQuery(ctx, served, query, { top: cut ? top + 1 : top, skip });
  const statements = [rows, count].filter((s): s is RawBuilder<unknown> => s !== undefined).map((s) => compile(s));
  return { statements, top, skip, cut };
}

/** Answers `?{rawQuery}` on a resource; throws 400 or 501 for what it cannot do, 403 without the right. */
export async function list(ctx: Ctx, served: Served, rawQuery: string): Promise<Page> {
  let own = plans.get(ctx.permissions);
  if (!own) plans.set(ctx.permissions, (own = new Map()));
  const key = `${served.resource.name}?${rawQuery}`;
  let plan = own.get(key);
  if (!plan) {
    const query = bindQuery(served.resource, parseOptions(rawQuery), requireResource);
    plan = makePlan(ctx, served, query);
    if (own.size >= plansPerCaller) own.delete(own.keys().next().value ?? '');
    if (!looksAtCaller(served, query)) own.set(key, plan);
  } else {
    plan.statements = plan.statements.map((s) => (s.name ? s : prepared(s)));
  }
  return run(ctx, plan);
}

async function run(ctx: Ctx, plan: Plan): Promise<Page> {
  const [rows = [], counts] = await ctx.db.queries(plan.statements);
  const count = counts?.[0]?.['count'];
  const more = plan.cut && rows.length > plan.top;
  return {
    value: more ? rows.slice(0, plan.top) : rows,
    ...(typeof count === 'number' ? { count } : {}),
    ...(more ? { nextSkip: plan.skip + plan.top } : {}),
  };
}
