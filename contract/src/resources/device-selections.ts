import { limits } from '../limits.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

/** The maximum number of devices of one selection. */
export const selectionDevicesMax = 50_000;

/** A saved filter over devices whose members follow the facts (of a tenant, of a group of tenants, or of all: without a tenant). */
export const deviceSelections = defineResource({
  name: 'deviceSelections',
  label: 'Device Selection',
  plural: 'Device Selections',
  about: 'A saved filter over devices. Its members follow a change of a fact within seconds.',
  key: 'deviceSelectionId',
  title: 'name',
  area: 'Devices',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'tenantGroupId', 'name'], after: ['tenants', 'subscriptions', 'locations'] },
  fields: {
    deviceSelectionId: f.key('Device selection ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    tenantId: optional(f.ref('Tenant', 'tenants')),
    /** Without a tenant: the group whose tenants' devices may be members; null for all tenants. */
    tenantGroupId: optional(f.ref('Tenant group', 'tenantGroups')),
    filter: f.text('Filter of devices', {
      required: true,
      max: limits.filterLength,
      input: 'multiline',
      message: 'Please say which devices it has, such as enabled eq true.',
    }),
    /** Why the members no longer follow; null while they do. */
    problem: optional(f.text('Problem', { write: 'never', max: 1_000 })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    tenantGroup: one('tenantGroups', 'tenantGroupId'),
    members: many('selectionMembers', 'deviceSelectionId'),
  },
});

/** A device that is in a selection. */
export const selectionMembers = defineResource({
  name: 'selectionMembers',
  label: 'Member of a selection',
  plural: 'Selection Members',
  about: 'A device that is in a selection, with the time since which it is.',
  key: 'selectionMemberId',
  title: 'deviceId',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'since desc',
  fields: {
    selectionMemberId: f.key('Selection member ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    deviceSelectionId: f.ref('Selection', 'deviceSelections', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { write: 'never' }),
    since: f.timestamp('In since', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    deviceSelection: one('deviceSelections', 'deviceSelectionId'),
    device: one('devices', 'deviceId'),
  },
});
