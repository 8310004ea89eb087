/** The caller, allowed for one call what that call is for: what the person may ask of the server, the server does in their name. */
import type { Permission } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../../../context/ctx.ts';

/** Row-level security and the record stay the caller's; the permissions hold in this tenant alone. */
export function actingIn(ctx: Ctx, tenantId: string, ...permissions: readonly Permission[]): Ctx {
  return { ...ctx, permissions: new Map([[tenantId, new Set<string>(permissions)]]) };
}
