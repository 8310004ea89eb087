import { defineResource, f, one } from '../resource.ts';

/**
 * A link from a work unit to its subject (WU-091). For the types RuleMatch, Device, WorkUnit and WorkUnitCommunication the
 * server looks up the row; it stores other links unchecked.
 */
export const workUnitRelations = defineResource({
  name: 'workUnitRelations',
  label: 'Relation',
  plural: 'Relations',
  key: 'workUnitRelationId',
  title: 'referenceId',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'delete'],
  orderBy: 'created desc',
  fields: {
    workUnitRelationId: f.serial('Relation ID'),
    workUnitId: f.refNumber('Work unit', 'workUnits', { required: true, write: 'create' }),
    referenceId: f.text('Reference ID', { required: true, write: 'create' }),
    referenceType: f.text('Reference type', {
      required: true,
      write: 'create',
      max: 60,
      pattern: /^[A-Za-z]+$/,
      message: 'A reference type is one word, as RuleMatch or Device.',
    }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
