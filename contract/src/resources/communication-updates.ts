import { communicationStatuses } from '../enums.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

const never = { write: 'never' } as const;

/** The longest text of an update: that of a step, as which customers read it too. */
export const updateTextMax = 4_000;

/** What customers were told at one time; it stays as it was sent. */
export const communicationUpdates = defineResource({
  name: 'communicationUpdates',
  label: 'Update',
  plural: 'Communication Updates',
  about: 'An update of a communication for customers, as it was published and mailed. A call of its own writes it.',
  key: 'communicationUpdateId',
  title: 'detail',
  area: 'WorkUnitCommunications',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    communicationUpdateId: f.key('Update ID'),
    workUnitCommunicationId: f.refNumber('Communication', 'workUnitCommunications', never),
    tenantId: f.ref('Tenant', 'tenants', never),
    status: f.choice(
      'Status',
      communicationStatuses.map((s) => s.value),
      { ...never, choices: communicationStatuses },
    ),
    detail: f.text('Text', { ...never, max: updateTextMax, search: true }),
    nextUpdate: optional(f.timestamp('Next Customer Update', never)),
    created: f.timestamp('Created', never),
    createdBy: f.person('Created by', never),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitCommunication: one('workUnitCommunications', 'workUnitCommunicationId'),
    mails: many('communicationMails', 'communicationUpdateId'),
  },
});
