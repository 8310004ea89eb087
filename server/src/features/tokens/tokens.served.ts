/** Tokens of agents and integrations: made with their expiry and a value that is shown this once. */
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { beyondOwn, permissionsOfSet } from '../../auth/beyond-own.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import type { Ctx } from '../../context/ctx.ts';
import { createFromBody } from '../../resources/create.ts';
import { serve, type Served } from '../../resources/served.ts';

function expiry(ctx: Ctx, years: number): string | null {
  if (years === 0) return null;
  const at = ctx.now();
  at.setUTCFullYear(at.getUTCFullYear() + years);
  return at.toISOString();
}

type NewToken = Row<typeof tokens> & { generatedToken: string };

/** The new row with the token itself, of which the database keeps only the hash. */
export async function createToken(ctx: Ctx, body: unknown): Promise<NewToken> {
  const { hash, hint, token } = createIntegrationToken();
  const row = await createFromBody(ctx, servedTokens, body, { columns: { token_hash: hash, token_hint: hint } });
  return { ...row, generatedToken: token };
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
  verbs: { createWithSecret: createToken },
});
