import { defineResource, f, one, optional } from '../resource.ts';

/** The name that tenants see for the operator's mail server, whose address they should not learn. */
export const mailDestination = 'the mail server';

/** An origin to which calls of a tenant fail. A successful call deletes the row; a person deletes it to allow calls at once. */
export const destinations = defineResource({
  name: 'destinations',
  label: 'Destination',
  plural: 'Destinations',
  key: 'destinationId',
  title: 'origin',
  area: 'Settings',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'delete'],
  orderBy: 'modified desc',
  fields: {
    destinationId: f.key('Destination ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    origin: f.text('Address', { write: 'never', search: true, max: 2_000 }),
    failures: f.int('Failures in a row', { write: 'never' }),
    pausedUntil: optional(f.timestamp('Spared until', { write: 'never' })),
    disabled: optional(f.timestamp('Disabled', { write: 'never' })),
    lastError: optional(f.text('Last failure', { write: 'never', max: 2_000 })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
