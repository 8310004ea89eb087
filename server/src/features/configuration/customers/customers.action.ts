/** Makes templates of customers from existing ones, and customers from templates. */
import { makeCustomer as makeCustomerCall, templateFromTenant } from '@cloudfit/contract/customers/calls.ts';
import { requirePermission } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { requireTenant } from '../../../resources/disabled-tenants.ts';
import { servedCustomerTemplates } from './customer-templates.served.ts';
import { contentOfTenant } from './from-tenant.ts';
import { makeCustomer, type CustomerParts } from './make-customer.ts';

export const customerActions = (parts: CustomerParts): readonly ImplementedAction[] => [
  implement(templateFromTenant, async (ctx, { tenantId, name, description = null }) => {
    requirePermission(ctx, 'Tenants', 'create', null);
    requireTenant(ctx, tenantId);
    const { content, left } = await contentOfTenant(ctx, tenantId);
    return { template: await create(ctx, servedCustomerTemplates, { name, description, content: { ...content } }), left };
  }),
  implement(makeCustomerCall, (ctx, request) => makeCustomer(ctx, parts, request)),
];
