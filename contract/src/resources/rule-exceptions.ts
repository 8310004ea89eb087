import { z } from 'zod/mini';
import { exceptionPlaces, severities } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';
import type { OwnValues } from '../rules/own-values.ts';

/** What a tenant, a group, a subscription, a location, a tag, a name or a device has otherwise than a rule. */
export const ruleExceptions = defineResource({
  name: 'ruleExceptions',
  label: 'Rule Exception',
  plural: 'Rule Exceptions',
  about:
    'What some of the entities of a rule have otherwise: own constants, lifetime or severity, or that the rule does not hold. Of several that fit an entity the most specific holds: device, name, location, tag, subscription, tenant, group.',
  key: 'ruleExceptionId',
  title: 'reason',
  area: 'Rules',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'created desc',
  // What the index has in which no two exceptions of a rule are the same.
  portable: {
    by: ['tenantId', 'ruleId', 'appliesTo', 'tenantGroupId', 'subscriptionId', 'locationId', 'tag', 'entityName', 'deviceId'],
  },
  fields: {
    ruleExceptionId: f.key('Rule exception ID'),
    ruleId: f.ref('Rule', 'rules', { required: true, write: 'create' }),
    appliesTo: f.choice('For', exceptionPlaces, { initial: 'Tenant', write: 'create', help: 'The most specific of several holds' }),
    /** Null for an exception of a group, and for a tag or name of the group's or of all tenants. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    tenantGroupId: optional(f.ref('Tenant group', 'tenantGroups', { write: 'create' })),
    subscriptionId: optional(f.ref('Subscription', 'subscriptions', { write: 'create' })),
    locationId: optional(f.ref('Location', 'locations', { write: 'create' })),
    tag: optional(f.text('Tag', { max: 100, search: true, write: 'create' })),
    entityName: optional(
      f.text('Name of the entity', { max: 200, search: true, write: 'create', help: 'Of a device, an operation or a block' }),
    ),
    deviceId: optional(f.ref('Device', 'devices', { write: 'create' })),
    isOff: f.boolean('Does not hold here'),
    /** Constants by the keys of `constantsOf`. */
    ownValues: optional(
      f.json('Own values', () => z.record(z.string(), z.string().check(z.maxLength(1_000))) as z.ZodMiniType<OwnValues>, {
        input: 'multiline',
      }),
    ),
    matchLifetime: optional(f.duration('Lifetime', { help: 'hh:mm:ss; empty: that of the rule' })),
    severityId: optional(f.choice('Severity', severities, { help: 'Of its work units; empty: that of the rule' })),
    rank: f.int('Precedence', { min: 1, max: 1_000, initial: 100, help: 'Of two tags that a device has, the lower number holds.' }),
    until: optional(f.timestamp('Until', { help: 'Then the rule holds here as for all; empty: until somebody removes it' })),
    reason: f.text('Reason', { required: true, max: 1_000, search: true, message: 'Please say why the rule is otherwise here.' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    tenantGroup: one('tenantGroups', 'tenantGroupId'),
    subscription: one('subscriptions', 'subscriptionId'),
    location: one('locations', 'locationId'),
    device: one('devices', 'deviceId'),
    rule: one('rules', 'ruleId'),
  },
});
