import { z } from 'zod/mini';
import { resultStatuses } from '../enums.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

/** One execution of one action, from queued to its outcome (ACT-050..053). */
export const actionHistories = defineResource({
  name: 'actionHistories',
  label: 'Action History',
  plural: 'Action Histories',
  key: 'actionHistoryId',
  title: 'actionHistoryId',
  area: 'ActionDefinitions',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'actionProcessed desc',
  fields: {
    actionHistoryId: f.serial('Action history ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    actionDefinitionId: f.ref('Action', 'actionDefinitions', { write: 'never' }),
    actionProcessed: f.timestamp('Processed', { write: 'never' }),
    resultStatusId: f.code('Result', resultStatuses, { write: 'never' }),
    inputParameters: f.text('Input parameters', { write: 'never', max: 1_000_000 }),
    resultDetail: optional(f.json('Result detail', () => z.json(), { write: 'never' })),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
    referenceId: optional(f.text('Reference ID', { write: 'never' })),
    messageId: f.guid('Message ID', { write: 'never' }),
    /** For a step of a protocol: the work unit. */
    workUnitId: optional(f.refNumber('Work unit', 'workUnits', { write: 'never' })),
    protocolActionId: optional(f.guid('Protocol action', { write: 'never' })),
    /** Since when the mail of the action has waited, because no mail server is set. */
    keptSince: optional(f.timestamp('Kept since', { write: 'never' })),
    /** Time of the next try after a failed one. */
    nextTry: optional(f.timestamp('Next try', { write: 'never' })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    actionDefinition: one('actionDefinitions', 'actionDefinitionId'),
    workUnit: one('workUnits', 'workUnitId'),
    actionTries: many('actionTries', 'actionHistoryId'),
  },
});
