import { forbidden } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';

/** The tenant that an agent acts for: the tenant of its token, which must have the agent scope and cover one tenant only. */
export function requireAgent(ctx: Ctx): string {
  if (ctx.actor.kind !== 'token' || !ctx.actor.scopes.includes('agent')) throw forbidden('Only a token with the scope agent may do this.');
  const [tenantId, ...others] = ctx.tenants === 'all' ? [] : ctx.tenants;
  if (tenantId === undefined || others.length > 0) throw forbidden("An agent's token belongs to one tenant.");
  return tenantId;
}
