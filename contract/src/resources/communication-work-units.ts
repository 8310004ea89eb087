import { severities, workUnitStates } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

const never = { write: 'never' } as const;

/** The work units of a communication: the rows of its relation `workUnits` (COMM-017). Separate calls add and remove links. */
export const communicationWorkUnits = defineResource({
  name: 'communicationWorkUnits',
  label: 'Related Work Unit',
  plural: 'Related Work Units',
  key: 'workUnitRelationId',
  title: 'title',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'linked desc',
  fields: {
    workUnitRelationId: f.serial('Relation ID'),
    workUnitCommunicationId: f.bigint('Communication', never),
    tenantId: f.ref('Tenant', 'tenants', never),
    linked: f.timestamp('Linked', never),
    workUnitId: f.bigint('Work unit ID', never),
    publicWorkUnitId: f.bigint('ID', never),
    title: f.text('Title', { ...never, search: true, max: 500 }),
    severityId: f.choice('Severity', severities, never),
    stateId: f.choice('State', workUnitStates, never),
    assignedTo: optional(f.person('Assigned To', never)),
    created: f.timestamp('Created', never),
    modified: f.timestamp('Last Updated', never),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnit: one('workUnits', 'workUnitId'),
    workUnitCommunication: one('workUnitCommunications', 'workUnitCommunicationId'),
  },
});
