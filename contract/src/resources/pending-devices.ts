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
    /** The device that the machine has become by its promotion; lists omit promoted machines. */
    deviceId: optional(f.ref('Device', 'devices', { write: 'never' })),
    machineName: f.text('Machine Name', { write: 'never', search: true }),
    operatingSystem: f.text('Operating System', { write: 'never', search: true }),
    architecture: f.text('Architecture', { write: 'never', search: true }),
    ipAddress: optional(f.text('IP Address', { write: 'never', search: true })),
    created: f.timestamp('Create Date', { write: 'never' }),
    lastPing: f.timestamp('Last Ping', { write: 'never' }),
    /** The Ed25519 key by which the agent signs in; absent for an agent that registered only with a token. */
    publicKey: optional(f.text('Public key', { write: 'never' })),
    keyCreated: optional(f.timestamp('Key since', { write: 'never' })),
    tokenGrantId: optional(f.ref('Enrolled by', 'tokens', { write: 'never' })),
    /** When another machine last tried to register with the same machine key. */
    otherMachineOn: optional(f.timestamp('Another machine tried', { write: 'never' })),
    /** The name of the device of which the machine is a copy. */
    copiedFrom: optional(f.text('Copy of', { write: 'never' })),
  },
  relations: { tenant: one('tenants', 'tenantId'), token: one('tokens', 'tokenGrantId') },
});
