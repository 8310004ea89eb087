import { defineResource, f, one } from '../resource.ts';

/** The maximum number of subscribers of one status page. */
export const statusSubscribersMax = 2_000;

export const statusSubscribers = defineResource({
  name: 'statusSubscribers',
  label: 'Subscriber',
  plural: 'Status Page Subscribers',
  about: 'An address that gets the updates of a status page by mail. Its owner has confirmed it; deleting it ends the mails.',
  key: 'statusSubscriberId',
  title: 'email',
  area: 'Settings',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'delete'],
  orderBy: 'email asc',
  fields: {
    statusSubscriberId: f.key('Subscriber ID'),
    statusPageId: f.ref('Status Page', 'statusPages', { write: 'never' }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    email: f.text('Email', { write: 'never', search: true, max: 254 }),
    created: f.timestamp('Since', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), statusPage: one('statusPages', 'statusPageId') },
});
