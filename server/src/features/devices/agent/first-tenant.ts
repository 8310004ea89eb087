import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { advisoryLocks } from '../../../db/advisory-locks.ts';
import { create } from '../../../resources/create.ts';
import { servedOf } from '../../../resources/served.ts';
import type { SubscriptionIds } from './promote.ts';

/**
 * Creates the first tenant and subscription in an empty database. Returns the oldest subscription of the oldest tenant, if any.
 */
export function ensureFirstTenant(ctx: Ctx): Promise<SubscriptionIds | null> {
  return inTransaction(ctx, async (ctx) => {
    // The lock serialises servers that start at the same time on an empty database.
    await ctx.db.query({ text: `select pg_advisory_xact_lock(${advisoryLocks.firstTenant})` });
    const [oldest] = await ctx.db.query<{ tenant_id: string; subscription_id: string | null }>({
      text: `select t.tenant_id, (select s.subscription_id from subscription s where s.tenant_id = t.tenant_id order by s.created, s.subscription_id limit 1)
        from tenant t order by t.created, t.tenant_id limit 1`,
    });
    if (!oldest) return createHome(ctx);
    return oldest.subscription_id === null ? null : { tenantId: oldest.tenant_id, subscriptionId: oldest.subscription_id };
  });
}

async function createHome(ctx: Ctx): Promise<SubscriptionIds> {
  const tenant = await create(ctx, servedOf(tenants), { name: 'My organisation' });
  const tenantId = String(tenant.tenantId);
  const subscription = await create(ctx, servedOf(subscriptions), { tenantId, name: 'Default' });
  return { tenantId, subscriptionId: String(subscription.subscriptionId) };
}
