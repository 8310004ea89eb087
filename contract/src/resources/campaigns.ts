import { z } from 'zod/mini';
import { campaignKinds, campaignOutcomes, campaignStates, type CampaignKind } from '../enums.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

/** The maximum number of devices of one campaign. */
export const campaignDevicesMax = 25_000;

/** The kinds of campaigns that can be undone on their devices. */
export const returnedKinds: readonly CampaignKind[] = ['InstallVersion', 'RemovePackage', 'AddOperations', 'ChangeRule', 'ChangePolicy'];

/**
 * A ring of a campaign: a filter, or the cumulative share of all devices in percent, which includes the earlier rings. The last
 * ring may have neither, and then contains the remaining devices.
 */
const campaignRing = z.object({
  share: z.optional(z.number()),
  filter: z.optional(z.string()),
  devices: z.int(),
  /** Who started the next ring before the gate of this ring was met, and when. */
  skippedBy: z.optional(z.string()),
  skippedAt: z.optional(z.string()),
});
export type CampaignRing = z.infer<typeof campaignRing>;

/** The number of devices in each ring, from cumulative shares of all devices in percent. */
export function ringSizes(total: number, shares: readonly number[]): number[] {
  let before = 0;
  return shares.map((share) => {
    const upTo = Math.min(total, Math.max(before + 1, Math.ceil((total * share) / 100)));
    const size = upTo - before;
    before = upTo;
    return size;
  });
}

/** What a ring must show before the next one begins. */
const campaignGate = z.object({
  /** Percent of the ring's devices that must succeed. */
  minShare: z.int(),
  /** Rules that must not match on the devices. */
  ruleIds: z.array(z.string()),
  /** Whether each device must have reported after its work was done, unless the campaign changed nothing on it. */
  heartbeat: z.boolean(),
});
export type CampaignGate = z.infer<typeof campaignGate>;

export const campaigns = defineResource({
  name: 'campaigns',
  label: 'Campaign',
  plural: 'Campaigns',
  about:
    'One piece of work on many devices of a tenant, or of all tenants for a policy of several. The numbers of its devices by outcome follow within seconds.',
  key: 'campaignId',
  title: 'title',
  area: 'Devices',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    campaignId: f.key('Campaign ID'),
    /** Null for a policy of several tenants; each device of the campaign has its tenant. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    title: f.text('Title', { write: 'never', search: true }),
    kind: f.choice('Kind', campaignKinds, { write: 'never' }),
    state: f.choice('State', campaignStates, { write: 'never' }),
    operationId: optional(f.ref('Operation', 'operations', { write: 'never' })),
    /** The label of the device operation, for devices that have the operation several times. */
    label: optional(f.text('Label', { write: 'never' })),
    packageId: optional(f.ref('Package', 'packages', { write: 'never' })),
    packageVersionId: optional(f.ref('Version', 'packageVersions', { write: 'never' })),
    /** The rule whose new version comes into force ring by ring. */
    ruleId: optional(f.ref('Rule', 'rules', { write: 'never' })),
    /** The policy whose new version comes into force ring by ring. */
    policyId: optional(f.ref('Policy', 'policies', { write: 'never' })),
    /** Why the campaign was stopped. */
    stopReason: optional(f.text('Stop reason', { write: 'never', max: 4_000 })),
    total: f.int('Devices', { write: 'never' }),
    waiting: f.int('Waiting', { write: 'never' }),
    running: f.int('Running', { write: 'never' }),
    done: f.int('Done', { write: 'never' }),
    failed: f.int('Failed', { write: 'never' }),
    stopped: f.int('Stopped', { write: 'never' }),
    returned: f.int('Returned', { write: 'never' }),
    rings: optional(f.json('Rings', () => z.array(campaignRing), { write: 'never' })),
    gate: optional(f.json('Gate', () => campaignGate, { write: 'never' })),
    pauseMinutes: f.int('Pause in minutes', { write: 'never' }),
    /** The number of the current ring, from 0. */
    ring: f.int('Ring', { write: 'never' }),
    ringBegun: optional(f.timestamp('Ring begun', { write: 'never' })),
    /** When the gate of the ring was met, which is the start of the pause before the next ring. */
    ringPassed: optional(f.timestamp('Ring passed', { write: 'never' })),
    /** For a campaign that changes a rule: when the ring has watched all its devices for long enough. */
    ringUntil: optional(f.timestamp('Ring watches until', { write: 'never' })),
    /** What the ring is waiting for. */
    ringNote: optional(f.text('Ring waits', { write: 'never', max: 4_000 })),
    /** While it is paused, no further device and no further ring begins. */
    pausedOn: optional(f.timestamp('Paused', { write: 'never' })),
    pausedBy: optional(f.person('Paused by', { write: 'never' })),
    createdBy: f.person('Started by', { write: 'never' }),
    created: f.timestamp('Started', { write: 'never' }),
    ended: optional(f.timestamp('Ended', { write: 'never' })),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    operation: one('operations', 'operationId'),
    package: one('packages', 'packageId'),
    packageVersion: one('packageVersions', 'packageVersionId'),
    rule: one('rules', 'ruleId'),
    policy: one('policies', 'policyId'),
    devices: many('campaignDevices', 'campaignId'),
  },
});

export const campaignDevices = defineResource({
  name: 'campaignDevices',
  label: 'Device of a campaign',
  plural: 'Campaign Devices',
  about: 'A device of a campaign with its outcome.',
  key: 'campaignDeviceId',
  title: 'deviceId',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  // Devices are inserted in the order of their names, so the order of ids is the order of names.
  orderBy: 'campaignDeviceId asc',
  fields: {
    campaignDeviceId: f.key('Campaign device ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    campaignId: f.ref('Campaign', 'campaigns', { write: 'never' }),
    deviceId: f.ref('Device', 'devices', { write: 'never' }),
    ring: f.int('Ring', { write: 'never' }),
    outcome: f.choice('Outcome', campaignOutcomes, { write: 'never' }),
    reason: optional(f.text('Reason', { write: 'never', max: 4_000 })),
    /** When the campaign requested the work from the device. */
    begun: optional(f.timestamp('Requested', { write: 'never' })),
    /** The device operation whose run was requested; its runs have the output. */
    deviceOperationId: optional(f.ref('Device operation', 'deviceOperations', { write: 'never' })),
    ended: optional(f.timestamp('Ended', { write: 'never' })),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    campaign: one('campaigns', 'campaignId'),
    device: one('devices', 'deviceId'),
    deviceOperation: one('deviceOperations', 'deviceOperationId'),
  },
});
