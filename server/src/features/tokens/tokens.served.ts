/** Tokens of agents and integrations: created with an expiry. The value is shown only once. */
import { scopePermissions, tokens } from '@cloudfit/contract/resources/tokens.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { beyondOwn, permissionsOfSet } from '../../auth/beyond-own.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import type { Ctx } from '../../context/ctx.ts';
import { networkProblem } from '../../platform/network.ts';
import { createFromBody } from '../../resources/create.ts';
import { serve, type FieldError, type Served } from '../../resources/served.ts';

function expiry(ctx: Ctx, years: number): string | null {
  if (years === 0) return null;
  const at = ctx.now();
  at.setUTCFullYear(at.getUTCFullYear() + years);
  return at.toISOString();
}

type NewToken = Row<typeof tokens> & { generatedToken: string };

let longestYears = 0;

/** The longest lifetime of new tokens; 0: no limit. Set once at the start, from the settings. */
export function setLongestTokenLife(years: number): void {
  longestYears = years;
}

/**
 * The person for whom the caller acts. For a token it is the token's owner, so that a token cannot create tokens that
 * outlive its owner.
 */
async function ownerOf(ctx: Ctx): Promise<string | null> {
  if (ctx.actor.kind === 'system') return null;
  const text =
    ctx.actor.kind === 'person'
      ? 'select person_id as owner from person where person_id = $1'
      : 'select owner_id as owner from token_grant where token_grant_id = $1';
  const [row] = await ctx.db.query<{ owner: string | null }>({ text, values: [ctx.actor.id] });
  return row?.owner ?? null;
}

/** Why the caller may not give the scopes and the permission set of this token, or take the token over. */
export async function beyondOwnToken(
  ctx: Ctx,
  { tenantId, scopes, permissionSetId }: Pick<Row<typeof tokens>, 'tenantId' | 'scopes' | 'permissionSetId'>,
): Promise<FieldError[]> {
  return [
    ...beyondOwn(
      ctx,
      tenantId,
      scopes.map((scope) => scopePermissions[scope]),
      'scopes',
    ),
    ...(permissionSetId ? beyondOwn(ctx, tenantId, await permissionsOfSet(ctx, permissionSetId), 'permissionSetId') : []),
  ];
}

/** The new row with the token itself; the database stores only its hash. */
export async function createToken(ctx: Ctx, body: unknown): Promise<NewToken> {
  const { hash, hint, token } = createIntegrationToken();
  const row = await createFromBody(ctx, servedTokens, body, {
    columns: { token_hash: hash, token_hint: hint, owner_id: await ownerOf(ctx) },
  });
  return { ...row, generatedToken: token };
}

export const servedTokens: Served<typeof tokens> = serve(tokens, 'token_grant', {
  fill: (ctx, { verb, after }) => (verb === 'create' ? { expiresOn: expiry(ctx, after.lifetimeYears) } : {}),
  check: async (ctx, { verb, after }) => {
    const wrongNetworks = after.networks
      .flatMap((network) => networkProblem(network) ?? [])
      .map((message) => ({ target: 'networks', message }));
    if (verb !== 'create') return wrongNetworks;
    const { lifetimeYears } = after;
    if (longestYears > 0 && (lifetimeYears === 0 || lifetimeYears > longestYears))
      return [
        { target: 'lifetimeYears', message: `Here a token lasts at most ${longestYears === 1 ? '1 year' : `${longestYears} years`}.` },
      ];
    if (ctx.actor.kind === 'system') return wrongNetworks;
    if (!after.tenantId)
      return [{ target: 'tenantId', message: 'Tenant is required: a token for all tenants is created on the command line.' }];
    return [...wrongNetworks, ...(await beyondOwnToken(ctx, after))];
  },
  after: (ctx) => invalidateTokens(ctx.db),
  verbs: { createWithSecret: createToken },
});
