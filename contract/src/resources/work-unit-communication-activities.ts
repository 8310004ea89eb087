import { activityTypes } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** A step of a communication: a past step if it is complete, otherwise a next step (COMM-021..029). */
export const workUnitCommunicationActivities = defineResource({
  name: 'workUnitCommunicationActivities',
  label: 'Activity',
  plural: 'Communication Activities',
  key: 'workUnitCommunicationActivityId',
  title: 'details',
  area: 'WorkUnitCommunications',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'created desc',
  fields: {
    workUnitCommunicationActivityId: f.serial('Activity ID'),
    workUnitCommunicationId: f.refNumber('Communication', 'workUnitCommunications', { required: true, write: 'create' }),
    /** Follows from `isComplete`; the server ignores a sent value. */
    activityType: f.choice('Type', activityTypes, { initial: 'TaskActivity' }),
    details: f.text('Details', { required: true, max: 4_000, search: true }),
    isCustomerFacing: f.boolean('Customer facing'),
    isComplete: f.boolean('Completed'),
    completed: optional(f.timestamp('Completed on')),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnitCommunication: one('workUnitCommunications', 'workUnitCommunicationId') },
});
