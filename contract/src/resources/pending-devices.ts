import { defineResource, f, one, optional } from '../resource.ts';

/** A registered machine that waits for promotion (PEND-012). */
export const pendingDevices = defineResource({
  name: 'pendingDevices',
  label: 'Pending device',
  plural: 'Pending Devices',
  key: 'pendingDeviceId',
  title: 'machineName',
  area: 'PendingDevices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    pendingDeviceId: f.key('Device Id'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    /** The device after the promotion; lists omit such machines. */
    deviceId: optional(f.ref('Device', 'devices', { write: 'never' })),
    machineName: f.text('Machine Name', { write: 'never', search: true }),
    operatingSystem: f.text('Operating System', { write: 'never', search: true }),
    architecture: f.text('Architecture', { write: 'never', search: true }),
    ipAddress: optional(f.text('IP Address', { write: 'never', search: true })),
    created: f.timestamp('Create Date', { write: 'never' }),
    lastPing: f.timestamp('Last Ping', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
