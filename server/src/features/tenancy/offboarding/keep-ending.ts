/** Keeps rows of customers that are being offboarded as they are in the archive. */
import { endingTenants, requireNotEnding } from '../../../context/ending-tenants.ts';
import type { AnyServed } from '../../../resources/served.ts';

/**
 * The served resource, whose rows in a tenant that is being offboarded are neither added nor changed nor deleted. People and tokens of the
 * tenant are refused already, so only those of all tenants are looked at; the server itself goes on with what it does there.
 */
export function keepEnding(served: AnyServed): AnyServed {
  const { scope, key } = served.resource;
  if (scope.kind === 'installation' || scope.field === key) return served;
  return {
    ...served,
    check: async (ctx, change) => {
      if (ctx.tenants === 'all' && ctx.actor.kind !== 'system')
        requireNotEnding(await endingTenants(ctx), change.before?.[scope.field], change.after[scope.field]);
      return (await served.check?.(ctx, change)) ?? [];
    },
  };
}
