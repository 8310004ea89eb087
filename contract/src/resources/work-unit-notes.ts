import { historyTypes } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** Notes and history of a work unit, one feed; `historyType` is empty for a note (NOTE-001..004). */
export const workUnitNotes = defineResource({
  name: 'workUnitNotes',
  label: 'Note',
  plural: 'Notes and history',
  key: 'workUnitNoteId',
  title: 'detail',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create'],
  orderBy: 'created desc',
  fields: {
    workUnitNoteId: f.serial('Note ID'),
    workUnitId: f.refNumber('Work unit', 'workUnits', { required: true, write: 'create' }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    detail: f.text('Note', { required: true, write: 'create', max: 4_000, search: true, message: 'Please enter the text of the note.' }),
    isExternalNote: f.boolean('External', { write: 'create' }),
    /** Whether the customer has written it, in the resolution center. */
    isFromCustomer: f.boolean('From the customer', { write: 'never' }),
    historyType: optional(f.choice('Kind', historyTypes, { write: 'never' })),
    /** Whether people have to notice the entry, such as a mail that was not sent. */
    isWarning: f.boolean('Warning', { write: 'never' }),
    historyUrl: optional(f.text('Link', { write: 'never', max: 2_000 })),
    /** For the history type FieldChange: the field, and in `oldValue` and `newValue` its values as text. */
    field: optional(f.text('Field', { write: 'never' })),
    oldValue: optional(f.text('Before', { write: 'never', max: 100_000 })),
    newValue: optional(f.text('After', { write: 'never', max: 100_000 })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
    /** Of a note that came by mail: its sender, what the checking mail server found, and the file of the unit with the whole mail. */
    mailFrom: optional(f.text('Mail from', { write: 'never', max: 600 })),
    mailChecks: optional(f.text('Checks of the sender', { write: 'never' })),
    mailFileId: optional(f.guid('Whole mail', { write: 'never' })),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
