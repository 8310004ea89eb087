/** Nobody may grant or revoke permissions that they do not have: otherwise the permission to grant would include all others. */
import { isPermission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../context/ctx.ts';

/**
 * Returns an error on the field `target` if the caller grants (`give`) or revokes (`take away`) permissions that they
 * do not have in this tenant (null: in all tenants).
 */
export function escalationFaults(
  ctx: Ctx,
  tenantId: string | null,
  permissions: readonly string[],
  target: string,
  deed: 'give' | 'take away' = 'give',
): { target: string; message: string }[] {
  const missing = permissions.filter((p) => isPermission(p) && !may(ctx, p, tenantId));
  if (missing.length === 0) return [];
  const named = `${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ' and more' : ''}`;
  return [{ target, message: `You cannot ${deed} permissions that you do not hold: ${named}.` }];
}

/** Returns the permissions of the set; none if the set does not exist or the caller may not see it. */
export async function permissionsOfSet(ctx: Ctx, permissionSetId: string): Promise<readonly string[]> {
  const [set] = await ctx.db.query<{ permissions: string[] }>({
    text: 'select permissions from permission_set where permission_set_id = $1',
    values: [permissionSetId],
  });
  return set?.permissions ?? [];
}
