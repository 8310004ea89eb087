import { forbidden } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';

/** The tenant for which an agent speaks: that of its token, which must be good for agents and for one tenant alone. */
export function requireAgent(ctx: Ctx): string {
  if (ctx.actor.kind !== 'token' || !ctx.actor.scopes.includes('agent')) throw forbidden('Only a token with the scope agent may do this.');
  const [tenantId, ...others] = ctx.tenants === 'all' ? [] : ctx.tenants;
  if (tenantId === undefined || others.length > 0) throw forbidden("An agent's token belongs to one tenant.");
  return tenantId;
}
