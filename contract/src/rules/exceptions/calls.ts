/** Calls that say how the rules of several are at one device, and at one tenant. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { exceptionPlaces, severities } from '../../enums.ts';
import { guidSchema } from '../../resource.ts';

const exception = z.object({
  ruleExceptionId: z.string(),
  appliesTo: z.enum(exceptionPlaces),
  /** The tag or the name that it is for. */
  target: z.string().nullable(),
  isOff: z.boolean(),
  ownValues: z.record(z.string(), z.string()).nullable(),
  matchLifetime: z.string().nullable(),
  severityId: z.enum(severities).nullable(),
  until: z.string().nullable(),
  reason: z.string(),
  modifiedBy: z.string(),
});

const ruleThere = z.object({
  ruleId: z.string(),
  name: z.string(),
  /** Whether the rule is of several tenants, so that this one inherits it. */
  isInherited: z.boolean(),
  /** The conditions in words, as they hold here. */
  conditions: z.string(),
  /** The exception that holds; null where the rule holds as for all. */
  exception: exception.nullable(),
  /** The constants of the rule as they are for all, by their keys. */
  constants: z.array(z.object({ key: z.string(), condition: z.string(), value: z.string() })),
  /** Exceptions of the tenant that have ended by themselves, the latest first. */
  ended: z.array(exception),
  /** Exceptions that fit too and yield; for a tenant, those of parts of it. */
  others: z.array(exception),
});

export type RuleThere = z.infer<typeof ruleThere>;

export const exceptionsOfDevice = defineAction({
  name: 'exceptionsOfDevice',
  method: 'GET',
  path: '/v1/devices/{id}/ruleExceptions',
  access: { area: 'Rules', verb: 'view' },
  about: 'The rules of which an exception fits a device: the one that holds, and those that yield to it.',
  input: z.object({ id: guidSchema }),
  output: z.object({ rules: z.array(ruleThere) }),
});

export const rulesOfTenant = defineAction({
  name: 'rulesOfTenant',
  method: 'GET',
  path: '/v1/tenants/{id}/inheritedRules',
  access: { area: 'Rules', verb: 'view' },
  about:
    'The enabled rules that a tenant inherits: as for all, with own values, or switched off, by whom and until when, and what has ended.',
  input: z.object({ id: guidSchema }),
  output: z.object({ rules: z.array(ruleThere), leftOut: z.int() }),
});

export const previewRuleException = defineAction({
  name: 'previewRuleException',
  method: 'POST',
  path: '/v1/ruleExceptions/preview',
  reads: true,
  access: { area: 'Rules', verb: 'view' },
  about: 'For which devices of its rule an exception would hold now, and to which other exceptions it would yield.',
  input: z.object({
    /** The saved exception, which the draft replaces. */
    ruleExceptionId: z.nullish(guidSchema),
    ruleId: guidSchema,
    appliesTo: z.enum(exceptionPlaces),
    tenantId: z.nullish(guidSchema),
    tenantGroupId: z.nullish(guidSchema),
    subscriptionId: z.nullish(guidSchema),
    locationId: z.nullish(guidSchema),
    tag: z.nullish(z.string().max(100)),
    entityName: z.nullish(z.string().max(200)),
    deviceId: z.nullish(guidSchema),
    rank: z.int().min(1).max(1_000).default(100),
  }),
  output: z.object({
    /** The devices that the rule selects and for which the exception would hold. */
    devices: z.int(),
    first: z.array(z.object({ id: z.string(), name: z.string(), tenantId: z.string() })),
    /** The exceptions that would go on to hold for devices that this one fits too. */
    yieldsTo: z.array(
      z.object({ ruleExceptionId: z.string(), appliesTo: z.enum(exceptionPlaces), target: z.string().nullable(), devices: z.int() }),
    ),
  }),
});

const joining = {
  /** Copies of one rule, of one tenant each. */
  ruleIds: z.array(guidSchema).min(2, 'Choose at least two rules.').max(500, 'Join at most 500 rules at once.'),
  /** The group for whose tenants the rule will be; null for all. */
  tenantGroupId: z.nullish(guidSchema),
};

export const previewJoinedRules = defineAction({
  name: 'previewJoinedRules',
  method: 'POST',
  path: '/v1/rules/join/preview',
  reads: true,
  access: { area: 'Rules', verb: 'view' },
  about: 'What joining copies of a rule into one rule of many would make: its conditions, and what single tenants keep as exceptions.',
  input: z.object(joining),
  output: z.object({
    name: z.string(),
    /** The conditions of the rule of many, in words. */
    conditions: z.string(),
    /** The tenants that keep something of their own. */
    differences: z.array(z.object({ tenantId: z.string(), tenantName: z.string(), isOff: z.boolean(), differs: z.array(z.string()) })),
    /** The tenants without a copy, for which the rule will not hold. */
    leftOut: z.int(),
  }),
});

export const joinRules = defineAction({
  name: 'joinRules',
  method: 'POST',
  path: '/v1/rules/join',
  access: { area: 'Rules', verb: 'create' },
  about:
    'Joins copies of a rule into one rule of many. What differs becomes exceptions, tenants without a copy are left out, and the copies are disabled; their open matches and work units go on under the rule. For people with the right in all tenants.',
  repeatable: true,
  input: z.object({ ...joining, name: z.string().min(1, 'Please enter a rule name').max(200) }),
  /** `changeSet`: the request, which a restore takes back. */
  output: z.object({ ruleId: z.string(), exceptions: z.int(), changeSet: z.string() }),
});
