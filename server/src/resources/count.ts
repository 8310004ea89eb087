/** How many rows a query finds: what `/$count` answers. */
import type { RawBuilder } from 'kysely';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx } from '../context/ctx.ts';
import { compile } from './compile.ts';
import { countQuery } from './select.ts';
import type { AnyServed } from './served.ts';

/** Exact, inside the caller's scope. Of the options `$filter` and `$apply` count, the others are none of its business. */
export async function countRows(ctx: Ctx, served: AnyServed, rawQuery: string, narrow?: RawBuilder<boolean>): Promise<number> {
  const { apply, filter, aliases, custom } = parseOptions(rawQuery);
  const options = { aliases, custom, ...(apply === undefined ? {} : { apply }), ...(filter === undefined ? {} : { filter }) };
  const query = bindQuery(served.resource, options, requireResource);
  const [row] = await ctx.db.query<{ count: number }>(compile(countQuery(ctx, served, query, narrow)));
  if (!row) throw new Error('A count has one row.');
  return row.count;
}
