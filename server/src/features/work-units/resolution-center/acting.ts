/** The caller with the permissions that one call needs: the server does on the person's behalf what the person may request. */
import type { Permission } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../../../context/ctx.ts';

/**
 * Returns the caller with only these permissions, in this tenant only. Row-level security and the audit still use the caller.
 */
export function actingIn(ctx: Ctx, tenantId: string, ...permissions: readonly Permission[]): Ctx {
  return { ...ctx, permissions: new Map([[tenantId, new Set<string>(permissions)]]) };
}
