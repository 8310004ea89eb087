import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordChange } from '../../../auth/audit-entry.ts';
import { createIntegrationToken, hashIntegrationToken } from '../../../auth/integration-token.ts';
import { invalidateTokens } from '../../../auth/invalidate.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';

const tokenName = 'Local agent';

interface Grant {
  tenant_id: string | null;
  usable: boolean;
}

interface InsertedGrant {
  token_grant_id: string;
  scopes: string[];
}

/**
 * Returns the tenant of the token in `file`. Creates a token if the file or the token does not exist. Null if the token may not
 * be used any more, such as after a person revoked it.
 */
export async function ensureLocalToken(ctx: Ctx, file: string, tenantId: string): Promise<string | null> {
  const stored = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (stored !== '') {
    const [grant] = await ctx.db.query<Grant>({
      text: `select tenant_id, revoked_on is null and (expires_on is null or expires_on > $2) and scopes @> '["agent"]' as usable
        from token_grant where token_hash = $1`,
      values: [hashIntegrationToken(stored), ctx.now().toISOString()],
    });
    if (grant) return grant.usable ? grant.tenant_id : null;
  }
  const created = createIntegrationToken();
  // The file is written first: if the process is killed before the insert, the next start finds an unknown token and creates a
  // new one.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${created.token}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  await inTransaction(ctx, async (ctx) => {
    const [grant] = await ctx.db.query<InsertedGrant>({
      text: `insert into token_grant (tenant_id, name, description, token_hash, token_hint, scopes) values ($1, $2, $3, $4, $5, '["agent"]')
        returning token_grant_id, scopes`,
      values: [tenantId, tokenName, 'Made at the first start for the agent of the server itself.', created.hash, created.hint],
    });
    if (!grant) throw new Error('The token of the local agent was not written.');
    await recordChange(ctx.db, {
      actor: ctx.actor,
      verb: 'create',
      entity: 'tokens',
      entityId: grant.token_grant_id,
      tenantId,
      after: { tenantId, name: tokenName, tokenHint: created.hint, scopes: grant.scopes },
      correlationId: ctx.correlationId,
    });
    await invalidateTokens(ctx.db);
  });
  return tenantId;
}
