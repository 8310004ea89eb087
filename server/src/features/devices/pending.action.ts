import { deletePending, promotePending } from '@cloudfit/contract/actions/devices.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { remove } from '../../resources/remove.ts';
import { pendingNotFound, promotePendingDevices, type SubscriptionIds } from './agent/promote.ts';
import { servedPendingDevices } from './pending.served.ts';

/** Returns the requested subscription, or the one that the person last chose in the portal's header. */
async function homeOf(ctx: Ctx, subscriptionId: string | undefined): Promise<SubscriptionIds> {
  const [home] = await ctx.db.query<SubscriptionIds>({
    text: `select tenant_id as "tenantId", subscription_id as "subscriptionId" from subscription
      where subscription_id = coalesce($1, (select context_subscription_id from person where person_id = $2))`,
    values: [subscriptionId ?? null, ctx.actor.kind === 'person' ? ctx.actor.id : null],
  });
  if (home) return home;
  const message = subscriptionId ? 'Subscription was not found.' : 'Please choose a subscription.';
  throw validationFailed([{ target: 'subscriptionId', message }]);
}

const promote = implement(promotePending, async (ctx, { items, subscriptionId, locationId }) => {
  const home = await homeOf(ctx, subscriptionId);
  const promoted = await promotePendingDevices(ctx, items, home, locationId ? { locationId } : {});
  return { value: promoted.map(({ pendingDeviceId, deviceId }) => ({ pendingDeviceId, deviceId })) };
});

const removeAll = implement(deletePending, (ctx, { items }) =>
  inTransaction(ctx, async (ctx) => {
    const missing: string[] = [];
    // Locked in the order of keys, so that two people who delete the same rows do not deadlock.
    for (const id of items.toSorted()) {
      await remove(ctx, servedPendingDevices, id).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'NotFound') throw error;
        missing.push(id);
      });
    }
    if (missing.length > 0) throw pendingNotFound(missing);
  }),
);

export const pendingActions: readonly ImplementedAction[] = [promote, removeAll];
