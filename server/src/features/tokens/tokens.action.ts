import { sql } from 'kysely';
import { listTokens, revokeToken } from '@cloudfit/contract/actions/tokens.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import { inTransaction, requirePermission } from '../../context/ctx.ts';
import { implement, implementList, type Implemented } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedTokens } from './tokens.served.ts';

const ofTenant = implementList(listTokens, (_ctx, { tenantId }, t) =>
  tenantId === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(`${t}.tenant_id`)} = ${tenantId}::uuid`,
);

const revoke = implement(revokeToken, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedTokens, id, { lock: 'edit' });
    requirePermission(ctx, 'Tokens', 'edit', before.tenantId);
    if (before.revokedOn !== null) return before;
    const write = sql`update token_grant set revoked_on = now(), version = version + 1 where token_grant_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedTokens, 'update', write, before);
    if (!row) throw notFound('Token');
    await invalidateTokens(ctx.db);
    return row;
  }),
);

export const tokenActions: readonly Implemented[] = [ofTenant, revoke];
