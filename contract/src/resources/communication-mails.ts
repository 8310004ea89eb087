import { defineResource, f, one, optional } from '../resource.ts';

const never = { write: 'never' } as const;

/** What has become of a mail. `Kept`: it waits, because no mail server is set. */
export const communicationMailStates = ['Queued', 'Sent', 'Kept', 'Failed'] as const;

/** The mail of an update to one recipient. */
export const communicationMails = defineResource({
  name: 'communicationMails',
  label: 'Mail to a Contact',
  plural: 'Mails to Contacts',
  about: 'The mail with an update of a communication to one contact, and what has become of it.',
  key: 'communicationMailId',
  title: 'email',
  area: 'WorkUnitCommunications',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'name asc',
  fields: {
    communicationMailId: f.key('Mail ID'),
    communicationUpdateId: f.guid('Update', never),
    workUnitCommunicationId: f.refNumber('Communication', 'workUnitCommunications', never),
    tenantId: f.ref('Tenant', 'tenants', never),
    communicationContactId: optional(f.guid('Contact', never)),
    /** Name and address as they were when the mail was queued. */
    name: f.text('Name', { ...never, search: true }),
    email: f.text('Email', { ...never, search: true, max: 254 }),
    state: f.choice('State', communicationMailStates, never),
    /** Why the mail failed or waits. */
    reason: optional(f.text('Reason', { ...never, max: 1_000, search: true })),
    sent: optional(f.timestamp('Sent', never)),
    created: f.timestamp('Created', never),
    modified: f.timestamp('Modified', never),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
