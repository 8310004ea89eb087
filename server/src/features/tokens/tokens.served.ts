/** Tokens of agents and integrations: made with their expiry and a value that is shown this once. */
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { beyondOwn, permissionsOfSet } from '../../auth/beyond-own.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import type { Ctx } from '../../context/ctx.ts';
import { createFromBody } from '../../resources/create.ts';
import { serve, type AnyRow, type Served } from '../../resources/served.ts';

function expiry(ctx: Ctx, years: number): string | null {
  if (years === 0) return null;
  const at = ctx.now();
  at.setUTCFullYear(at.getUTCFullYear() + years);
  return at.toISOString();
}

/** The new row and, this once, the token itself. */
async function make(ctx: Ctx, body: unknown): Promise<AnyRow> {
  const made = createIntegrationToken();
  const row = await createFromBody(ctx, servedTokens, body, { columns: { token_hash: made.hash, token_hint: made.hint } });
  return { ...row, generatedToken: made.token };
}

export const servedTokens: Served<typeof tokens> = serve(tokens, 'token_grant', {
  fill: (ctx, { verb, after }) => (verb === 'create' ? { expiresOn: expiry(ctx, after.lifetimeYears) } : {}),
  check: async (ctx, { verb, after }) => {
    if (verb !== 'create' || ctx.actor.kind === 'system') return [];
    if (!after.tenantId)
      return [{ target: 'tenantId', message: 'Tenant is required: a token for all tenants is made on the command line.' }];
    if (!after.permissionSetId) return [];
    return beyondOwn(ctx, after.tenantId, await permissionsOfSet(ctx, after.permissionSetId), 'permissionSetId');
  },
  after: (ctx) => invalidateTokens(ctx.db),
  make,
});
