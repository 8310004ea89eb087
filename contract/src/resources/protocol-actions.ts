import { afterSteps, workUnitEventTypes } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** An action that a protocol runs on one event of its work units, automatically or on request (PACT-004..011). */
export const protocolActions = defineResource({
  name: 'protocolActions',
  label: 'Protocol Action',
  plural: 'Protocol Actions',
  key: 'protocolActionId',
  title: 'summary',
  area: 'WorkUnits.Protocols',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'sequence asc',
  portable: { by: ['protocolId', 'workUnitEventTypeId', 'actionDefinitionId', 'sequence'] },
  fields: {
    protocolActionId: f.key('Protocol action ID'),
    protocolId: f.ref('Protocol', 'protocols', { required: true, write: 'create' }),
    /** The tenant of its protocol. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    actionDefinitionId: f.ref('Action', 'actionDefinitions', { required: true }),
    workUnitEventTypeId: f.code('Event', workUnitEventTypes, { required: true }),
    parameters: f.text('Parameters', { max: 100_000, initial: '{}', sort: false, help: 'A JSON object of the action’s input parameters' }),
    sequence: f.int('Sequence', { min: 0, max: 10_000, initial: 0 }),
    summary: optional(f.text('Summary', { max: 500, input: 'text', search: true })),
    runAutomatically: f.boolean('Run automatically'),
    repeatable: f.boolean('Repeatable'),
    onFailure: f.choice('After a failure', afterSteps, {
      initial: 'Continue',
      help: 'Whether the next step starts when this one failed for good',
    }),
    onLate: f.choice('When late', afterSteps, { initial: 'Continue', help: 'Whether the next step starts when this one is still tried' }),
    lateAfter: f.duration('Late after', { initial: '00:05:00', help: 'hh:mm:ss from its start' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    protocol: one('protocols', 'protocolId'),
    tenant: one('tenants', 'tenantId'),
    actionDefinition: one('actionDefinitions', 'actionDefinitionId'),
  },
});
