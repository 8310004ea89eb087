import { inTransaction, type Ctx } from '../../../ctx.ts';
import type { Home } from './promote.ts';
import { record } from './record.ts';

/** On an empty database makes the tenant and the subscription to start with. Answers the oldest tenant's oldest subscription, if any. */
export function ensureFirstTenant(ctx: Ctx): Promise<Home | null> {
  return inTransaction(ctx, async (ctx) => {
    // Two servers that start at once on one empty database take turns.
    await ctx.db.query({ text: 'select pg_advisory_xact_lock(7402)' });
    const [oldest] = await ctx.db.query<{ tenant_id: string; subscription_id: string | null }>({
      text: `select t.tenant_id, (select s.subscription_id from subscription s where s.tenant_id = t.tenant_id order by s.created, s.subscription_id limit 1)
        from tenant t order by t.created, t.tenant_id limit 1`,
    });
    if (!oldest) return create(ctx);
    return oldest.subscription_id === null ? null : { tenantId: oldest.tenant_id, subscriptionId: oldest.subscription_id };
  });
}

async function create(ctx: Ctx): Promise<Home> {
  const tenant = await ctx.db.q.insertInto('tenant').values({ name: 'My organisation' })
    .returning(['tenant_id', 'name', 'enabled']).executeTakeFirstOrThrow();
  const tenantId = tenant.tenant_id;
  await record(ctx, { verb: 'create', entity: 'tenants', entityId: tenantId, tenantId, before: null, after: tenant });
  const subscription = await ctx.db.q.insertInto('subscription').values({ tenant_id: tenantId, name: 'Default' })
    .returning(['subscription_id', 'tenant_id', 'name']).executeTakeFirstOrThrow();
  const subscriptionId = subscription.subscription_id;
  await record(ctx, { verb: 'create', entity: 'subscriptions', entityId: subscriptionId, tenantId, before: null, after: subscription });
  return { tenantId, subscriptionId };
}
