import { defineResource, f, one, optional } from '../resource.ts';

export const notificationOutcomes = ['Sent', 'Failed', 'Stopped', 'Kept', 'Retrying', 'Waiting', 'Held', 'Unknown'] as const;

/** A message about a work unit to one person: to whom, when, by which channel, and its outcome. */
export const notifications = defineResource({
  name: 'notifications',
  label: 'Notification',
  plural: 'Notifications',
  key: 'notificationId',
  title: 'name',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    notificationId: f.key('Notification ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    workUnitId: f.refNumber('Work unit', 'workUnits', { write: 'never' }),
    personId: optional(f.guid('Person ID', { write: 'never' })),
    name: f.text('Person', { write: 'never', search: true, max: 320 }),
    /** Why the person was notified, such as on call in a schedule or member of a group. */
    whom: f.text('As', { write: 'never', max: 300 }),
    channel: f.text('By', { write: 'never' }),
    address: f.text('Address', { write: 'never', max: 2_000 }),
    outcome: f.choice('Outcome', notificationOutcomes, { write: 'never' }),
    error: optional(f.text('Error', { write: 'never', max: 2_000 })),
    created: f.timestamp('Created', { write: 'never' }),
    ended: optional(f.timestamp('Ended', { write: 'never' })),
    nextTry: optional(f.timestamp('Next try', { write: 'never' })),
    /** Why the message waits, while it is held: QuietHours, or Pause between two messages. */
    heldBecause: optional(f.text('Held because', { write: 'never' })),
    /** The message id of the execution that sends the message. */
    messageId: f.guid('Message ID', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
