/** `tenant add`: a tenant with a first subscription. */
import { inTransaction } from '../context/ctx.ts';
import { servedSubscriptions } from '../features/tenancy/tenancy.served.ts';
import { servedTenants } from '../features/tenancy/tenants.served.ts';
import { create } from '../resources/create.ts';
import { UsageError, type AdminCommand } from './command.ts';

export const tenantAdd: AdminCommand = {
  name: 'tenant add',
  about: 'Adds a tenant with a subscription called Default.',
  options: { name: { type: 'string', value: 'NAME', required: true, about: 'Name of the tenant.' } },
  run: async ({ db, ctx, text }) => {
    const name = text('name').trim();
    if (name === '' || name.length > 200) throw new UsageError('The name must have 1 to 200 characters.');
    const [sameName] = await db.query({ text: 'select 1 from tenant where lower(name) = lower($1)', values: [name] });
    if (sameName) throw new UsageError(`A tenant called ${name} exists already.`);
    return inTransaction(await ctx(), async (ctx) => {
      const { tenantId } = await create(ctx, servedTenants, { name });
      const { subscriptionId } = await create(ctx, servedSubscriptions, { tenantId, name: 'Default' });
      return {
        lines: [`Tenant ${name} was added (${String(tenantId)}), with the subscription Default.`],
        json: { tenantId, name, subscriptionId },
      };
    });
  },
};
