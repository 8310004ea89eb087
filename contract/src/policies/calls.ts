/** Calls about selections and policies: who would be in, what would change, what a device has, and how what goes out is paused. */
import { z } from 'zod';
import { defineAction, rowOf } from '../action.ts';
import { policyItemKinds, policyItemStates, policyLeaves } from './choices.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { templateIds } from './templates.ts';
import { checkedFields } from '../rules/checked-when.ts';
import { policyOperation, policyOperations, policyPackages } from './settings.ts';
import { checkShares, ringFields } from './rings.ts';

/** Of one tenant; of a group of tenants; of all: neither. */
const place = { tenantId: z.nullish(guidSchema), tenantGroupId: z.nullish(guidSchema) };

export const previewSelection = defineAction({
  name: 'previewSelection',
  method: 'POST',
  path: '/v1/deviceSelections/preview',
  reads: true,
  access: { area: 'Devices', verb: 'view' },
  about: 'The devices that a filter would select now: their number and the first ones by name, of those that the caller may see.',
  input: z.object({ ...place, filter: z.string().min(1, 'Send a filter.').max(limits.filterLength) }),
  output: z.object({
    count: z.int(),
    devices: z.array(z.object({ deviceId: z.string(), name: z.string(), tenantId: z.string(), tenantName: z.string() })),
  }),
});

const thing = z.object({ kind: z.enum(policyItemKinds), key: z.string(), label: z.string() });

/** What a change does to devices. */
const plan = z.object({
  /** The devices that the policy would hold for. */
  devices: z.int(),
  /** The devices that it holds for now. */
  before: z.int(),
  gains: z.array(thing.extend({ devices: z.int() })),
  losses: z.array(thing.extend({ devices: z.int() })),
  changes: z.array(thing.extend({ devices: z.int() })),
  /** Where another policy sets the same otherwise on the same devices. */
  conflicts: z.array(thing.extend({ devices: z.int(), policyId: z.string(), policyName: z.string(), wins: z.boolean() })),
});

export const previewPolicy = defineAction({
  name: 'previewPolicy',
  method: 'POST',
  path: '/v1/policies/preview',
  reads: true,
  access: { area: 'Devices', verb: 'edit' },
  about:
    'What saving a policy would change: what devices gain, lose and have otherwise, and where another policy sets the same otherwise. Nothing is changed.',
  input: z.object({
    policyId: z.nullish(guidSchema).describe('The policy that would change; absent for a new one.'),
    ...place,
    enabled: z.boolean().default(true),
    deviceSelectionId: guidSchema,
    rank: z.int().min(1).max(1_000).default(100),
    operations: z.optional(policyOperations),
    packages: z.optional(policyPackages),
    tags: z.nullish(z.string().max(500)),
    heartbeatInterval: z.nullish(z.int().min(0)),
    ruleValues: z.nullish(z.string().max(2_000)),
    forbidsOthers: z.optional(z.boolean()),
  }),
  output: plan,
});

const policyOrder = z
  .array(guidSchema, { error: 'Send the policies in their new order.' })
  .min(2, 'Send the policies in their new order, at least two of them.')
  .max(500, 'At most 500 policies are put in order at once.');

export const previewPolicyOrder = defineAction({
  name: 'previewPolicyOrder',
  method: 'POST',
  path: '/v1/policies/order/preview',
  reads: true,
  access: { area: 'Devices', verb: 'edit' },
  about:
    'What another order of policies would change: their precedence, and which policy then decides what on which devices. Nothing is changed.',
  input: z.object({ policyIds: policyOrder.describe('From the one that wins over all others.') }),
  output: z.object({
    ranks: z.array(z.object({ policyId: z.string(), name: z.string(), rank: z.int(), before: z.int() })),
    /** What devices have otherwise then, with some of them by name. */
    changes: z.array(thing.extend({ devices: z.int(), names: z.array(z.string()), policyName: z.string(), insteadOf: z.string() })),
  }),
});

export const orderPolicies = defineAction({
  name: 'orderPolicies',
  method: 'POST',
  path: '/v1/policies/order',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Puts policies in another order. Only precedences that have to change do; policies that the caller may not edit stay where they are.',
  input: z.object({ policyIds: policyOrder.describe('From the one that wins over all others.') }),
  output: z.object({ changed: z.int() }),
});

export const mendPolicy = defineAction({
  name: 'mendPolicy',
  method: 'POST',
  path: '/v1/policies/{id}/mend',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Compares devices with a policy now, without waiting for the next attempt: all devices of the policy, or one. Answers how many; what differs is set again within seconds.',
  input: z.object({ id: guidSchema, deviceId: z.nullish(guidSchema).describe('This device only.') }),
  output: z.object({ devices: z.int() }),
});

export const policyFromTemplate = defineAction({
  name: 'policyFromTemplate',
  method: 'POST',
  path: '/v1/policies/fromTemplate',
  access: { area: 'Devices', verb: 'create' },
  about:
    'Makes a selection and a policy from a template that comes with the product, and the rules that open work units by its checks; needs the permission to create rules too. The policy is disabled, so that somebody looks at what it would change first.',
  repeatable: true,
  input: z.object({
    ...place,
    template: z.enum(templateIds, { error: `Template is one of ${templateIds.join(', ')}.` }),
    values: z
      .record(z.string(), z.string({ error: 'A value is text.' }).max(1_000), { error: 'Values are texts by name.' })
      .default({})
      .describe('What the template asks for: an address, a host, a path. What has a usual value may be left out.'),
    deviceSelectionId: z.nullish(guidSchema).describe('For which devices; without it, a selection is made by the tag of the template.'),
  }),
  output: rowOf('policies'),
});

export const addPolicyCheck = defineAction({
  name: 'addPolicyCheck',
  method: 'POST',
  path: '/v1/policies/{id}/addCheck',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Adds an operation to a policy, together with a rule that opens a work unit when its result is as said on a device of the selection: both or neither. Where a rule opens units for every check that is Down, that rule is answered instead of another one. Needs the permission to create rules too.',
  repeatable: true,
  input: z.object({ id: guidSchema, operation: policyOperation, ...checkedFields }),
  output: z.object({ policy: rowOf('policies'), rule: rowOf('rules') }),
});

export const policyStateOfDevice = defineAction({
  name: 'policyStateOfDevice',
  method: 'GET',
  path: '/v1/devices/{id}/policyState',
  access: { area: 'Devices', verb: 'view' },
  about: 'The selections that a device is in and why, its policies in their order, and what it has from which policy.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    /** Whether a change is still being carried out. */
    isPending: z.boolean(),
    /** Why the last try failed as a whole. */
    problem: z.string().nullable(),
    selections: z.array(
      z.object({
        deviceSelectionId: z.string(),
        name: z.string(),
        since: z.string(),
        /** The conditions of the filter that hold for the device, as filters. */
        because: z.array(z.string()),
      }),
    ),
    policies: z.array(
      z.object({
        policyId: z.string(),
        name: z.string(),
        rank: z.int(),
        deviceSelectionId: z.string(),
        onLeave: z.enum(policyLeaves),
        /** A new version that is going out in rings: the ring of the device, and whether the device has that version. */
        rollout: z.nullable(z.object({ campaignId: z.string(), ring: z.int(), hasNew: z.boolean() })),
      }),
    ),
    /** What the device does not have from its policies now. */
    exceptions: z.array(
      z.object({
        policyExceptionId: z.string(),
        policyName: z.string(),
        /** Null: all of the policy. */
        label: z.string().nullable(),
        until: z.string().nullable(),
        reason: z.string(),
      }),
    ),
    items: z.array(
      thing.extend({
        /** The value in words of the API: an interval, a version, seconds, a value for rules. */
        value: z.string(),
        state: z.enum(policyItemStates),
        detail: z.string().nullable(),
        since: z.string(),
        mended: z.int(),
        mendedOn: z.string().nullable(),
        policyId: z.string(),
        policyName: z.string(),
        /** The policies that yield. */
        over: z.array(z.string()),
      }),
    ),
  }),
});

export const rollOutPolicy = defineAction({
  name: 'rollOutPolicy',
  method: 'POST',
  path: '/v1/policies/rollOut',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Brings a new version of a policy into force ring by ring, as a campaign. The policy is saved after the last ring; where a ring fails, its devices get the version before. Answers the campaign.',
  repeatable: true,
  input: z
    .object({
      policyId: z.nullish(guidSchema).describe('The policy that changes; without it, `policy` is a new one.'),
      policy: z.record(z.string(), z.unknown(), { error: 'Send the fields of the policy.' }).describe('As they are sent to save it.'),
      ...ringFields,
    })
    .superRefine(({ rings }, context) => {
      if (!rings)
        context.addIssue({ code: 'custom', path: ['rings'], message: 'Send rings. To change the policy at once, save it instead.' });
      checkShares(rings, context);
    }),
  output: rowOf('campaigns'),
});

export const campaignPolicy = defineAction({
  name: 'campaignPolicy',
  method: 'GET',
  path: '/v1/campaigns/{id}/policy',
  access: { area: 'Devices', verb: 'view' },
  about: 'The fields of a policy that a campaign changes, and until it is over what devices gain and lose by that.',
  input: z.object({ id: guidSchema }),
  output: z.object({ policyId: guidSchema, changes: rowOf('policies'), plan: z.nullable(plan) }),
});

export const pauseCampaign = defineAction({
  name: 'pauseCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/pause',
  access: { area: 'Devices', verb: 'edit' },
  about: 'No further device and no further ring begins until it is resumed. What has begun goes on, and a ring that fails still stops it.',
  input: z.object({ id: guidSchema }),
  output: rowOf('campaigns'),
});

export const resumeCampaign = defineAction({
  name: 'resumeCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/resume',
  access: { area: 'Devices', verb: 'edit' },
  about: 'Goes on with a campaign that was paused.',
  input: z.object({ id: guidSchema }),
  output: rowOf('campaigns'),
});
