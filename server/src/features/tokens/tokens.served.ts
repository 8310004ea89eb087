/** Tokens of agents and integrations. The value of a token is shown only once, when it is created. */
import { promotionPermissions, scopePermissions, tokens } from '@cloudfit/contract/resources/tokens.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { escalationFaults, permissionsOfSet } from '../../auth/escalation-faults.ts';
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

type TokenRow = Row<typeof tokens>;
type NewToken = TokenRow & { generatedToken: string };

let longestYears = 0;

/** Sets the longest lifetime of new tokens in years; 0: no limit. Called once at the start, with the setting. */
export function setLongestTokenLife(years: number): void {
  longestYears = years;
}

/**
 * Returns the person for whom the caller acts. For a token this is the token's owner, so that a token cannot create tokens that
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

/** Returns why the caller may not give the scopes and the permission set of this token, or may not take the token over. */
export async function escalationFaultsOfToken(
  ctx: Ctx,
  { tenantId, scopes, permissionSetId, promoteTo }: Pick<TokenRow, 'tenantId' | 'scopes' | 'permissionSetId' | 'promoteTo'>,
): Promise<FieldError[]> {
  return [
    ...escalationFaults(
      ctx,
      tenantId,
      scopes.map((scope) => scopePermissions[scope as keyof typeof scopePermissions]),
      'scopes',
    ),
    ...(permissionSetId ? escalationFaults(ctx, tenantId, await permissionsOfSet(ctx, permissionSetId), 'permissionSetId') : []),
    ...(promoteTo ? escalationFaults(ctx, tenantId, promotionPermissions, 'promoteTo') : []),
  ];
}

function networkErrors(token: TokenRow): FieldError[] {
  return (['networks', 'promoteNetworks'] as const).flatMap((target) =>
    token[target].flatMap((network) => networkProblem(network) ?? []).map((message) => ({ target, message })),
  );
}

/** Refuses a promotion rule that could never promote a machine. */
function promotionErrors({ promoteTo, scopes, ...token }: TokenRow): FieldError[] {
  if (promoteTo)
    return scopes.includes('agent')
      ? []
      : [{ target: 'promoteTo', message: 'Only a token with the scope agent registers machines, so only it can promote them.' }];
  const parts = (['promoteLocationId', 'promoteNames', 'promoteHeartbeat'] as const).filter((name) => (token[name] ?? null) !== null);
  const useless = token.promoteNetworks.length > 0 ? [...parts, 'promoteNetworks'] : parts;
  return useless.map((target) => ({ target, message: 'Promote to is required: without a subscription no machine is promoted.' }));
}

function lifetimeErrors(ctx: Ctx, { lifetimeYears, expiresOn }: TokenRow): FieldError[] {
  if (longestYears > 0 && (lifetimeYears === 0 || lifetimeYears > longestYears))
    return [{ target: 'lifetimeYears', message: `Here a token lasts at most ${longestYears === 1 ? '1 year' : `${longestYears} years`}.` }];
  if (!expiresOn) return [];
  const latest = expiry(ctx, lifetimeYears);
  if (Date.parse(expiresOn) <= ctx.now().getTime()) return [{ target: 'expiresOn', message: 'Expires on is in the past.' }];
  return latest !== null && Date.parse(expiresOn) > Date.parse(latest)
    ? [{ target: 'expiresOn', message: 'Expires on is after the end of the lifetime.' }]
    : [];
}

/** Creates a token; returns the new row with the token itself, of which the database stores only the hash. */
export async function createToken(ctx: Ctx, body: unknown): Promise<NewToken> {
  const { hash, hint, token } = createIntegrationToken();
  const row = await createFromBody(ctx, servedTokens, body, {
    columns: { token_hash: hash, token_hint: hint, owner_id: await ownerOf(ctx) },
  });
  return { ...row, generatedToken: token };
}

export const servedTokens: Served<typeof tokens> = serve(tokens, 'token_grant', {
  fill: (ctx, { verb, after }) => (verb === 'create' && !after.expiresOn ? { expiresOn: expiry(ctx, after.lifetimeYears) } : {}),
  check: async (ctx, { verb, after }) => {
    const errors = networkErrors(after);
    if (verb !== 'create') return errors;
    errors.push(...lifetimeErrors(ctx, after), ...promotionErrors(after));
    if (ctx.actor.kind === 'system') return errors;
    if (!after.tenantId)
      return [{ target: 'tenantId', message: 'Tenant is required: a token for all tenants is created on the command line.' }];
    return [...errors, ...(await escalationFaultsOfToken(ctx, after))];
  },
  after: (ctx) => invalidateTokens(ctx.db),
});
