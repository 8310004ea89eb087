/** Templates of customers: their content is checked as a whole, and has no row of an existing tenant in it. */
import { customerTemplates } from '@cloudfit/contract/resources/customer-templates.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may } from '../../../context/ctx.ts';
import { sql } from '../../../db/sql.ts';
import { serve, type Served } from '../../../resources/served.ts';
import { contentFaults } from './content.ts';

export const servedCustomerTemplates: Served<typeof customerTemplates> = serve(customerTemplates, 'customer_template', {
  // They tell how a customer is set up, so they are for those who see all.
  rowsFor: (ctx) => (may(ctx, permission('Tenants', 'view'), null) ? undefined : sql<boolean>`false`),
  check: (ctx, { verb, after, changed }) => (verb !== 'delete' && changed.includes('content') ? contentFaults(ctx, after.content) : []),
});
