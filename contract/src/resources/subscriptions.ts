import { defineResource, f, many, one } from '../resource.ts';

/** A scope inside a tenant; owns devices, blocks and rules. */
export const subscriptions = defineResource({
  name: 'subscriptions',
  label: 'Subscription',
  plural: 'Subscriptions',
  key: 'subscriptionId',
  title: 'name',
  area: 'Subscriptions',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    subscriptionId: f.key('Subscription ID'),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    name: f.text('Name', { required: true, search: true }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), devices: many('devices', 'subscriptionId') },
});
