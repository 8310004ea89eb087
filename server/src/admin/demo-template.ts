/** A template of customers in the demo: what its largest customer is set up with. */
import { customerTemplates } from '@cloudfit/contract/resources/customer-templates.ts';
import type { Ctx } from '../context/ctx.ts';
import { contentOfTenant } from '../features/configuration/customers/from-tenant.ts';
import { create } from '../resources/create.ts';
import { servedOf } from '../resources/served.ts';

/** Makes it, unless there is one of this name. */
export async function ensureDemoTemplate(ctx: Ctx): Promise<void> {
  const [tenant] = await ctx.db.query<{ id: string; name: string }>({
    text: 'select t.tenant_id as id, t.name from tenant t order by (select count(*) from device d where d.tenant_id = t.tenant_id) desc, t.name limit 1',
  });
  if (!tenant) return;
  const { content } = await contentOfTenant(ctx, tenant.id);
  const row = { name: 'Standard customer', description: `What ${tenant.name} is set up with.`, content: { ...content } };
  await create(ctx, servedOf(customerTemplates), row, { unlessExists: true });
}
