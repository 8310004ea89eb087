import { operationRunStatuses } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** The runs of device operations. A requested run has a row from the request on, any other run from its start. */
export const operationRuns = defineResource({
  name: 'operationRuns',
  label: 'Operation run',
  plural: 'Operation Runs',
  key: 'operationRunId',
  title: 'status',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'started desc',
  fields: {
    /** The id of the run; for a requested run its completion token. */
    operationRunId: f.key('Run ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { write: 'never' }),
    deviceOperationId: f.ref('Device operation', 'deviceOperations', { write: 'never' }),
    status: f.choice('Status', operationRunStatuses, { write: 'never' }),
    /** Who requested the run; null when the operation ran by its interval. */
    requestedBy: optional(f.text('Requested by', { write: 'never' })),
    /** When the run started; while it waits, when it was requested. */
    started: f.timestamp('Started', { write: 'never' }),
    ended: optional(f.timestamp('Ended', { write: 'never' })),
    durationMs: optional(f.int('Duration in ms', { write: 'never' })),
    exitCode: optional(f.int('Exit code', { write: 'never' })),
    value: optional(f.text('Value', { write: 'never', max: 1_000 })),
    message: optional(f.text('Message', { write: 'never', max: 2_000 })),
    /** Progress in percent, as the program reports it. */
    progress: optional(f.int('Progress', { write: 'never' })),
    output: optional(f.text('Output', { write: 'never', max: 20_000, sort: false })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    device: one('devices', 'deviceId'),
    deviceOperation: one('deviceOperations', 'deviceOperationId'),
  },
});
