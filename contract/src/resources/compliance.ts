/** Control sets, their controls, the weekly statuses that tenants give them, evidence and sign-offs (COMP-008..011). */
import { z } from 'zod/mini';
import { controlStatusValues, evidenceKinds } from '../enums.ts';
import { defineResource, f, many, once, one, optional, timestampSchema, type Field } from '../resource.ts';

/** A set of controls, which is imported as a whole and belongs to all tenants. */
export const controlSets = defineResource({
  name: 'controlSets',
  label: 'Control Set',
  plural: 'Control Sets',
  key: 'id',
  title: 'name',
  area: 'Compliance',
  scope: { kind: 'installation' },
  verbs: ['list'],
  orderBy: 'name asc',
  fields: {
    id: f.key('Control set ID'),
    name: f.text('Name', { write: 'never', search: true, max: 500, input: 'text' }),
    description: optional(f.text('Description', { write: 'never', max: 20_000 })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { controls: many('controls', 'id', 'controlSetId') },
});

export const controls = defineResource({
  name: 'controls',
  label: 'Control',
  plural: 'Controls',
  key: 'id',
  title: 'name',
  area: 'Compliance',
  scope: { kind: 'installation' },
  verbs: ['list'],
  orderBy: 'position asc',
  fields: {
    id: f.key('Control ID'),
    controlSetId: f.ref('Control set', 'controlSets', { write: 'never' }),
    name: f.text('Name', { write: 'never', search: true }),
    title: f.text('Title', { write: 'never', search: true, max: 500, input: 'text' }),
    description: optional(f.text('Description', { write: 'never', max: 20_000 })),
    /** Position of the control in its set. */
    position: f.int('Position', { write: 'never' }),
  },
  relations: {
    controlSet: one('controlSets', 'controlSetId', 'id'),
    controlStatuses: many('controlStatuses', 'id', 'controlId'),
  },
});

/** Any time or day in the week of the status. */
const checkDate: Field<string> = {
  ...f.timestamp('Check date', { required: true, write: 'create' }),
  schema: once(() => z.union([timestampSchema, z.iso.date()], { error: 'Please enter a valid date' })),
};

/** The status of a control for a tenant and a week. The server sets `checkDate` to the Monday of the week, at midnight UTC. */
export const controlStatuses = defineResource({
  name: 'controlStatuses',
  label: 'Control Status',
  plural: 'Control Statuses',
  key: 'id',
  title: 'notes',
  area: 'Compliance',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'checkDate desc',
  fields: {
    id: f.key('Control status ID'),
    checkDate,
    status: f.choice('Status', controlStatusValues, { initial: 'Notset' }),
    notes: optional(f.text('Notes', { max: 4_000 })),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    controlId: f.ref('Control', 'controls', { required: true, write: 'create' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    control: one('controls', 'controlId', 'id'),
    evidence: many('controlEvidence', 'id', 'controlStatusId'),
  },
});

/** What supports a status: a link, a file, or a fact that the system recorded (`addControlEvidence`). */
export const controlEvidence = defineResource({
  name: 'controlEvidence',
  label: 'Evidence',
  plural: 'Evidence',
  key: 'evidenceId',
  title: 'title',
  area: 'Compliance',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'delete'],
  orderBy: 'created desc',
  fields: {
    evidenceId: f.key('Evidence ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    controlStatusId: f.ref('Control status', 'controlStatuses', { write: 'never' }),
    kind: f.choice('Kind', evidenceKinds, { write: 'never' }),
    title: f.text('Title', { write: 'never', search: true }),
    url: optional(f.text('Address', { write: 'never', max: 2_000 })),
    /** The text that the system recorded at `created`. */
    fact: optional(f.text('Fact', { write: 'never', max: 2_000 })),
    fileName: optional(f.text('File', { write: 'never' })),
    size: optional(f.int('Size', { write: 'never' })),
    sha256: optional(f.text('SHA-256', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), controlStatus: one('controlStatuses', 'controlStatusId', 'id') },
});

/** A signed week of a control set (`signOffWeek`): its statuses and evidence cannot be changed until it is reopened. */
export const complianceSignOffs = defineResource({
  name: 'complianceSignOffs',
  label: 'Sign-off',
  plural: 'Sign-offs',
  key: 'signOffId',
  title: 'checkDate',
  area: 'Compliance',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    signOffId: f.key('Sign-off ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    controlSetId: f.ref('Control set', 'controlSets', { write: 'never' }),
    checkDate: f.timestamp('Week', { write: 'never' }),
    note: optional(f.text('Note', { write: 'never', max: 4_000 })),
    /** SHA-256 of the signed report (`weekReport`), in hexadecimal digits. */
    digest: f.text('Digest', { write: 'never' }),
    signedBy: f.person('Signed by', { write: 'never' }),
    created: f.timestamp('Signed', { write: 'never' }),
    reopenedBy: optional(f.person('Reopened by', { write: 'never' })),
    reopenedOn: optional(f.timestamp('Reopened', { write: 'never' })),
    reopenReason: optional(f.text('Reason', { write: 'never', max: 4_000 })),
  },
  relations: { tenant: one('tenants', 'tenantId'), controlSet: one('controlSets', 'controlSetId', 'id') },
});
