/** Control sets, their controls, and the weekly status that each tenant gives them (COMP-008..011). */
import { z } from 'zod/mini';
import { controlStatusValues } from '../enums.ts';
import { defineResource, f, many, once, one, optional, timestampSchema, type Field } from '../resource.ts';

/** A set is imported as a whole and belongs to all tenants. */
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
    /** Position in its set. */
    position: f.int('Position', { write: 'never' }),
  },
  relations: {
    controlSet: one('controlSets', 'controlSetId', 'id'),
    controlStatuses: many('controlStatuses', 'id', 'controlId'),
  },
});

/** The day determines the week too. */
const checkDate: Field<string> = {
  ...f.timestamp('Check date', { required: true, write: 'create' }),
  schema: once(() => z.union([timestampSchema, z.iso.date()], { error: 'Please enter a valid date' })),
};

/** One per control, tenant and week; `checkDate` becomes the Monday, at midnight UTC, of its week. */
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
  relations: { tenant: one('tenants', 'tenantId'), control: one('controls', 'controlId', 'id') },
});
