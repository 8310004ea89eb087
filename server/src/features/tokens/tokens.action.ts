import { sql } from '../../db/sql.ts';
import { listTokens, revokeToken, takeOverToken } from '@cloudfit/contract/actions/tokens.ts';
import { forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import { inTransaction, requirePermission } from '../../context/ctx.ts';
import { implement, implementList, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { escalationFaultsOfToken, servedTokens } from './tokens.served.ts';

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

const takeOver = implement(takeOverToken, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedTokens, id, { lock: 'edit' });
    requirePermission(ctx, 'Tokens', 'edit', before.tenantId);
    const { actor } = ctx;
    if (actor.kind !== 'person') throw forbidden('Only a person can take over a token.');
    if (before.ownerId === actor.id) return before;
    const beyond = await escalationFaultsOfToken(ctx, before);
    if (beyond.length > 0) throw validationFailed(beyond);
    // The new owner has not been warned of the expiry yet.
    const write = sql`update token_grant set owner_id = ${actor.id}::uuid, end_told_on = null, version = version + 1
      where token_grant_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedTokens, 'update', write, before);
    if (!row) throw notFound('Token');
    await invalidateTokens(ctx.db);
    return row;
  }),
);

export const tokenActions: readonly ImplementedAction[] = [ofTenant, revoke, takeOver];
