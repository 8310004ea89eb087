import { deviceTypes, loggingLevels, operatingSystems } from '../enums.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

/** A machine that runs the agent (DEV-025..039). Its live values are in `packets`. */
export const devices = defineResource({
  name: 'devices',
  label: 'Device',
  plural: 'Devices',
  key: 'deviceId',
  title: 'name',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  softDelete: 'isDeleted',
  portable: { by: ['tenantId', 'name'], imported: 'only' },
  fields: {
    deviceId: f.key('Device ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: f.ref('Tenant', 'tenants', { required: true }),
    subscriptionId: f.ref('Subscription', 'subscriptions', { required: true }),
    locationId: optional(f.ref('Location', 'locations')),
    /** While the parent device is silent, this device cannot be reached. */
    parentDeviceId: optional(f.ref('Depends on', 'devices', { help: 'While that device is silent, this one cannot be reached.' })),
    description: optional(f.text('Description', { max: 500, input: 'multiline', search: true })),
    tags: optional(f.text('Tags', { max: 500, input: 'text', search: true })),
    ruleValues: optional(
      f.text('Values for rules', {
        max: 2_000,
        input: 'multiline',
        help: 'One per line, as maxTemp = 80. Rules compare readings with them.',
      }),
    ),
    /** The host name and the address with which the machine registered. */
    registeredAs: optional(f.text('Registered as', { write: 'never', input: 'multiline', search: true })),
    /** Host name, serial number, addresses and MAC addresses (in each notation) of the last inventory. */
    hostFacts: optional(f.text('Host name, serial number and addresses', { write: 'never', max: 4_000, search: true })),
    /** As the agent said when it last started. */
    agentVersion: optional(f.text('Agent version', { write: 'never', max: 50, sharedValues: true })),
    deviceTypeId: f.code('Device type', deviceTypes, { initial: 0 }),
    operatingSystemId: f.code('Operating system', operatingSystems, { initial: 0 }),
    deviceLoggingLevelId: f.code('Logging level', loggingLevels, { initial: 0 }),
    heartbeatInterval: f.int('Heartbeat', { min: 0, max: 999_999_999, initial: 60, help: 'Seconds between two heartbeats' }),
    enabled: f.boolean('Enabled', { initial: true }),
    restartAgentFlag: f.boolean('Restart flagged', { write: 'never' }),
    traceMinutes: f.int('Trace minutes', { write: 'never', initial: 0 }),
    traceExpiration: optional(f.timestamp('Trace expiration', { write: 'never' })),
    clockSkewSeconds: optional(f.int('Clock ahead by seconds', { write: 'never' })),
    /** Since when the agent's access tokens and its key are refused. */
    cutOffOn: optional(f.timestamp('Cut off', { write: 'never' })),
    /** When its agent was told to uninstall itself, and when the agent reported that it has. */
    uninstallOn: optional(f.timestamp('Uninstallation requested', { write: 'never' })),
    uninstalledOn: optional(f.timestamp('Agent uninstalled', { write: 'never' })),
    /** When another machine last tried to register as this device. */
    otherMachineOn: optional(f.timestamp('Another machine tried', { write: 'never' })),
    /** When a new key was requested. The agent replaces a key that is older than this time. */
    keyWantedOn: optional(f.timestamp('New key requested', { write: 'never' })),
    enrolledBy: optional(f.ref('Enrolled by', 'tokens', { write: 'never' })),
    isDeleted: f.boolean('Deleted', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    subscription: one('subscriptions', 'subscriptionId'),
    location: one('locations', 'locationId'),
    parentDevice: one('devices', 'parentDeviceId', 'deviceId'),
    packet: one('packets', 'deviceId', 'entityId'),
    enrolmentToken: one('tokens', 'enrolledBy', 'tokenGrantId'),
    ruleMatches: many('ruleMatches', 'deviceId', 'subjectId'),
    operations: many('deviceOperations', 'deviceId'),
    installations: many('deviceInstallations', 'deviceId'),
    selections: many('selectionMembers', 'deviceId'),
  },
});
