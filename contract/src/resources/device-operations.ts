import { z } from 'zod/mini';
import { executableTypes, frequencyTypes, operationTypes, packageTypes } from '../enums.ts';
import { parameterValues } from '../packages/parameters.ts';
import { defineResource, durationSchema, f, many, one, optional } from '../resource.ts';

const labels = <T extends string>(choices: readonly { label: T }[]): T[] => choices.map((choice) => choice.label);

/** Hours that a requested run waits for its device before it expires. */
export const queuedRunHours = 24;

/** The minimum interval of an operation in seconds (OPR-045). */
export const operationIntervalMinSeconds = 30;

const interval = z.pipe(z.string({ error: 'Interval is required' }).check(z.minLength(1, 'Interval is required')), durationSchema).check(
  z.refine((v) => {
    const [h = 0, m = 0, s = 0] = v.split(':').map(Number);
    return h * 3_600 + m * 60 + s >= operationIntervalMinSeconds;
  }, `Must be at least ${operationIntervalMinSeconds} seconds.`),
);

/** An operation that a device runs (OPR-019). Its results are packets whose entity is the operation's id. */
export const deviceOperations = defineResource({
  name: 'deviceOperations',
  label: 'Device operation',
  plural: 'Device Operations',
  key: 'deviceOperationId',
  title: 'label',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'label asc',
  portable: { by: ['deviceId', 'operationId', 'label'] },
  softDelete: 'isDeleted',
  fields: {
    deviceOperationId: f.key('Device operation ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { required: true, write: 'create' }),
    operationId: f.ref('Operation', 'operations', { required: true, write: 'create' }),
    label: f.text('Label', { required: true, search: true }),
    referenceId: optional(f.text('Reference Id')),
    globalSettingId: optional(f.text('Global setting')),
    enabled: f.boolean('Enabled'),
    operationComplete: f.boolean('Complete', { write: 'never' }),
    /** Id of the requested run in `operationRuns`, until the agent has reported the end of the run (OPR-032). */
    completionToken: optional(f.guid('Completion token', { write: 'never' })),
    /** When the requested run expires if it has not started. */
    queuedUntil: optional(f.timestamp('Queued until', { write: 'never' })),
    frequencyTypeId: f.code('Frequency', frequencyTypes, { required: true }),
    interval: { ...f.duration('Interval', { required: true, initial: '00:05:00' }), schema: () => interval },
    parameters: f.json('Parameters', () => parameterValues, { initial: [] }),
    isInteractive: f.boolean('Interactive'),
    isDeleted: f.boolean('Deleted', { write: 'never' }),
    packageName: f.text('Package', { write: 'never' }),
    packageType: f.choice('Package type', labels(packageTypes), { write: 'never' }),
    packageExecutableType: f.choice('Executable type', labels(executableTypes), { write: 'never' }),
    operationType: f.choice('Operation type', labels(operationTypes), { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    device: one('devices', 'deviceId'),
    operation: one('operations', 'operationId'),
    tenant: one('tenants', 'tenantId'),
    runs: many('operationRuns', 'deviceOperationId'),
    packet: one('packets', 'deviceOperationId', 'entityId'),
    packetInfo: one('packetInfos', 'deviceOperationId', 'entityId'),
    ruleMatches: many('ruleMatches', 'deviceOperationId', 'subjectId'),
  },
});
