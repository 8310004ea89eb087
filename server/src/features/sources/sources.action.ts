import { newSourceToken, sourceRefusals } from '@cloudfit/contract/actions/sources.ts';
import { sourceTokenPrefix } from '@cloudfit/contract/sources/kinds.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import { inTransaction, requirePermission } from '../../context/ctx.ts';
import { sql } from '../../db/sql.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedSources } from './sources.served.ts';

const renew = implement(newSourceToken, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedSources, id, { lock: 'edit' });
    requirePermission(ctx, 'Sources', 'edit', before.tenantId);
    const { hash, hint, token } = createIntegrationToken(sourceTokenPrefix);
    const write = sql`update intake_source set token_hash = ${hash}, token_hint = ${hint}, modified = now(), version = version + 1
      where source_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedSources, 'update', write, before);
    if (!row) throw notFound('Source');
    await invalidateTokens(ctx.db);
    return { sourceId: id, generatedToken: token };
  }),
);

interface RefusalRow {
  code: string;
  message: string;
  sample: string;
  count: number;
  first: string;
  last: string;
}

const refusals = implement(sourceRefusals, async (ctx, { id }) => {
  await get(ctx, servedSources, id);
  const value = await ctx.db.query<RefusalRow>({
    text: 'select code, message, sample, count, first, last from source_refusal where source_id = $1 order by last desc, code',
    values: [id],
  });
  return { value };
});

export const sourceActions: readonly ImplementedAction[] = [renew, refusals];
