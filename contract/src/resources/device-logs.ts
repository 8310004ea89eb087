import { logEntryTypes } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** Log entries of a device or of one of its operations (API-104, API-115). */
export const deviceLogs = defineResource({
  name: 'deviceLogs',
  label: 'Log entry',
  plural: 'Logs',
  key: 'logEntryId',
  title: 'detail',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    logEntryId: f.serial('Log entry ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { write: 'never' }),
    deviceOperationId: optional(f.ref('Device operation', 'deviceOperations', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    entryType: f.choice('Type', logEntryTypes, { write: 'never' }),
    detail: f.text('Detail', { write: 'never', max: 4_000, search: true }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    device: one('devices', 'deviceId'),
    deviceOperation: one('deviceOperations', 'deviceOperationId'),
  },
});
