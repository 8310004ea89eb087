import { services } from '../events/services.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** The ticket or message of a work unit in a tracker or chat that an event subscription connects. */
export const unitLinks = defineResource({
  name: 'unitLinks',
  label: 'Link of a work unit',
  plural: 'Links of work units',
  about: 'The ticket or message that a work unit has in a tracker or chat: its state there, and whether both are in step.',
  key: 'unitLinkId',
  title: 'name',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created asc',
  fields: {
    unitLinkId: f.key('Link ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    workUnitId: f.refNumber('Work unit', 'workUnits', { write: 'never' }),
    eventSubscriptionId: f.guid('Event subscription ID', { write: 'never' }),
    service: f.choice('Receiver', services, { write: 'never' }),
    name: f.text('Name', { write: 'never', search: true, max: 300 }),
    url: optional(f.text('Link', { write: 'never', max: 2_000 })),
    remoteState: optional(f.text('State there', { write: 'never', max: 100 })),
    lastSync: optional(f.timestamp('In step since', { write: 'never' })),
    problem: optional(f.text('Problem', { write: 'never', max: 1_000 })),
    created: f.timestamp('Created', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
