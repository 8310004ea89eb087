import { policyItemKinds, policyItemStates, policyLeaves } from '../policies/choices.ts';
import { policyOperations, policyPackages } from '../policies/settings.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** What devices of a selection should have, now and when they join it. */
export const policies = defineResource({
  name: 'policies',
  label: 'Policy',
  plural: 'Policies',
  about:
    'What the devices of a selection should have: operations, packages, tags, values for rules and a heartbeat. Devices that join the selection get it, devices that leave it lose it, and what somebody changes on a device is set again.',
  key: 'policyId',
  title: 'name',
  area: 'Devices',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: ['rank asc', 'name asc'],
  softDelete: 'isDeleted',
  portable: { by: ['tenantId', 'tenantGroupId', 'name'], after: ['packages', 'tenantGroups'] },
  fields: {
    policyId: f.key('Policy ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    enabled: f.boolean('Enabled', { initial: true }),
    tenantId: optional(f.ref('Tenant', 'tenants')),
    /** Without a tenant: the group for whose tenants the policy holds; null for all tenants. */
    tenantGroupId: optional(f.ref('Tenant group', 'tenantGroups')),
    deviceSelectionId: f.ref('Selection', 'deviceSelections', { required: true }),
    rank: f.int('Precedence', { min: 1, max: 1_000, initial: 100, help: 'Where two policies differ, the lower number wins.' }),
    operations: f.json('Operations', () => policyOperations, { initial: [], input: 'multiline' }),
    packages: f.json('Packages', () => policyPackages, { initial: [], input: 'multiline' }),
    tags: optional(f.text('Tags', { max: 500, input: 'text' })),
    heartbeatInterval: optional(f.int('Heartbeat', { min: 0, max: 999_999_999, help: 'Seconds between two heartbeats' })),
    ruleValues: optional(
      f.text('Values for rules', {
        max: 2_000,
        input: 'multiline',
        help: 'One per line, as maxTemp = 80. Rules compare readings with them.',
      }),
    ),
    forbidsOthers: f.boolean('Switch off other operations', {
      help: 'Operations that no policy sets are disabled on its devices.',
    }),
    onLeave: f.choice('When a device leaves', policyLeaves, { initial: 'Remove' }),
    isDeleted: f.boolean('Deleted', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    tenantGroup: one('tenantGroups', 'tenantGroupId'),
    deviceSelection: one('deviceSelections', 'deviceSelectionId'),
  },
});

/** One thing that a device has from a policy. */
export const policyItems = defineResource({
  name: 'policyItems',
  label: 'Item of a policy',
  plural: 'Policy Items',
  about: 'What a device has from which policy, and how often it was set again because somebody had changed it.',
  key: 'policyItemId',
  title: 'label',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'since desc',
  fields: {
    policyItemId: f.key('Policy item ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    policyId: f.ref('Policy', 'policies', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { write: 'never' }),
    kind: f.choice('Kind', policyItemKinds, { write: 'never' }),
    label: f.text('Label', { write: 'never', search: true, max: 500 }),
    state: f.choice('State', policyItemStates, { write: 'never' }),
    detail: optional(f.text('Detail', { write: 'never', max: 4_000 })),
    since: f.timestamp('Set since', { write: 'never' }),
    mended: f.int('Set again', { write: 'never' }),
    mendedOn: optional(f.timestamp('Last set again', { write: 'never' })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    policy: one('policies', 'policyId'),
    device: one('devices', 'deviceId'),
  },
});

/** What a device does not have from a policy, until when and why. */
export const policyExceptions = defineResource({
  name: 'policyExceptions',
  label: 'Policy Exception',
  plural: 'Policy Exceptions',
  about:
    'That a device does not have a policy, or one thing of it, until a time or until somebody removes the exception. Meanwhile other policies of the device decide, or it gets back what it had.',
  key: 'policyExceptionId',
  title: 'reason',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'created desc',
  fields: {
    policyExceptionId: f.key('Policy exception ID'),
    /** That of the device. */
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    policyId: f.ref('Policy', 'policies', { required: true, write: 'create' }),
    deviceId: f.ref('Device', 'devices', { required: true, write: 'create' }),
    /** The key of one thing that the policy sets; null for the whole policy. */
    thing: optional(f.text('Thing', { max: 1_000, write: 'create' })),
    label: optional(f.text('Label', { write: 'never', max: 500, search: true })),
    /** Null: until somebody removes the exception. */
    until: optional(f.timestamp('Until')),
    reason: f.text('Reason', { required: true, max: 1_000, search: true }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    policy: one('policies', 'policyId'),
    device: one('devices', 'deviceId'),
  },
});
