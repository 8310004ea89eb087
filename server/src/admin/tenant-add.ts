/** `tenant add`: a tenant with a first subscription. */
import { UsageError, type Command } from './command.ts';
import { recordChange } from './record.ts';

export const tenantAdd: Command = {
  name: 'tenant add',
  about: 'Adds a tenant with a subscription called Default.',
  options: { name: { type: 'string', value: 'NAME', required: true, about: 'Name of the tenant.' } },
  run: async ({ db, text }) => {
    const name = text('name').trim();
    if (name === '' || name.length > 200) throw new UsageError('The name must have 1 to 200 characters.');
    return db.transaction(async (tx) => {
      const [taken] = await tx.query({ text: 'select 1 from tenant where lower(name) = lower($1)', values: [name] });
      if (taken) throw new UsageError(`A tenant called ${name} exists already.`);
      const [row] = await tx.query<{ tenant_id: string }>({
        text: 'insert into tenant (name) values ($1) returning tenant_id',
        values: [name],
      });
      const tenantId = String(row?.tenant_id);
      const [made] = await tx.query<{ subscription_id: string }>({
        text: "insert into subscription (tenant_id, name) values ($1, 'Default') returning subscription_id",
        values: [tenantId],
      });
      const subscriptionId = String(made?.subscription_id);
      await recordChange(tx, { verb: 'create', entity: 'tenants', entityId: tenantId, tenantId, after: { tenantId, name, enabled: true } });
      await recordChange(tx, {
        verb: 'create',
        entity: 'subscriptions',
        entityId: subscriptionId,
        tenantId,
        after: { subscriptionId, tenantId, name: 'Default' },
      });
      return {
        lines: [`Tenant ${name} was added (${tenantId}), with the subscription Default.`],
        json: { tenantId, name, subscriptionId },
      };
    });
  },
};
