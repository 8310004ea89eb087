/** Calls on devices, on their installed packages, on machines that wait for promotion, and on campaigns. */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { campaignKinds, installStatuses, traceMinutes, type CampaignKind } from '../enums.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { asOneLine } from '../text-checks.ts';
import { checkShares, ringFields } from '../policies/rings.ts';
const byId = z.object({ id: guidSchema });

export const deviceLogList = defineList({
  name: 'deviceLogs',
  path: '/v1/devices/{id}/logs',
  access: { area: 'Devices', verb: 'view' },
  about: 'The log entries of a device, newest first.',
  of: 'deviceLogs',
  input: byId,
});

export const toggleTrace = defineAction({
  name: 'toggleTrace',
  method: 'POST',
  path: '/v1/devices/{id}/toggleTrace/{traceMinutes}',
  access: { area: 'Devices', verb: 'edit' },
  about: 'Traces a device for this number of minutes: its agent reports every call and measurement. 0 ends it, -1 changes nothing.',
  input: byId.extend({
    traceMinutes: z.coerce
      .number({ error: 'Trace minutes is a number.' })
      .refine((v) => (traceMinutes as readonly number[]).includes(v), `Trace minutes is one of ${traceMinutes.join(', ')}.`),
  }),
  output: rowOf('devices'),
});

export const restartAgent = defineAction({
  name: 'restartAgent',
  method: 'POST',
  path: '/v1/devices/{id}/restartagent',
  access: { area: 'Devices', verb: 'edit' },
  about: "Requests a restart, which the agent sees within seconds. `tenantId` (or `tenant`), if present, must be the device's tenant.",
  input: byId.extend({ tenantId: z.optional(guidSchema), tenant: z.optional(guidSchema) }),
  output: rowOf('devices'),
});

export const cutOffDevice = defineAction({
  name: 'cutOffDevice',
  method: 'POST',
  path: '/v1/devices/{id}/cutOff',
  access: { area: 'Devices', verb: 'edit' },
  about: "Refuses the device's key and access tokens at once, on all servers.",
  input: byId,
  output: rowOf('devices'),
});

export const uninstallDevice = defineAction({
  name: 'uninstallDevice',
  method: 'POST',
  path: '/v1/devices/{id}/uninstall',
  access: { area: 'Devices', verb: 'delete' },
  about:
    'Disables the device and has its agent uninstall itself: operations, packages, stored packets, key and service. A machine that is off does when it comes back, for 90 days. `name` repeats the name of the device. `admit` withdraws it until the agent has begun.',
  input: byId.extend({ name: z.string().max(500) }),
  output: rowOf('devices'),
});

export const admitDevice = defineAction({
  name: 'admitDevice',
  method: 'POST',
  path: '/v1/devices/{id}/admit',
  access: { area: 'Devices', verb: 'edit' },
  about: 'Lets the machine of the device enrol a new key by a token of the tenant; its old key is not accepted any more.',
  input: byId,
  output: rowOf('devices'),
});

export const requestDeviceKey = defineAction({
  name: 'requestDeviceKey',
  method: 'POST',
  path: '/v1/devices/{id}/replaceKey',
  access: { area: 'Devices', verb: 'edit' },
  about: 'Asks the agent to replace its key with a new one, which it does within seconds.',
  input: byId,
  output: rowOf('devices'),
});

/** A package that runs on the device's operating system, with its installed and its intended version (INST-001..004). */
export const packageInstall = z.object({
  installPackage: z.object({
    packageId: z.string(),
    packageName: z.string(),
    /** The intended version; null for none. */
    packageVersionId: z.string().nullable(),
    installedVersionId: z.string().nullable(),
    installStatus: z.enum(installStatuses),
    statusDetail: z.string().nullable(),
    /** Percent of the download that is done; null unless a download runs. */
    progress: z.int().nullable(),
    statusChanged: z.string().nullable(),
    /** The last failed installation: version and reason, and in `failed` the time; null after another version was installed. */
    failure: z.string().nullable(),
    failed: z.string().nullable(),
    /** The number of enabled operations of the device that need the package. */
    operations: z.int(),
    /** Their labels. */
    operationLabels: z.array(z.string()),
  }),
  /** Newest first. */
  packageVersions: z.array(z.object({ version: z.string(), packageVersionId: z.string() })),
});

export type PackageInstall = z.infer<typeof packageInstall>;

export const packageInstalls = defineAction({
  name: 'GetPackageInstallsWithVersions',
  method: 'GET',
  path: '/v1/devices/GetPackageInstallsWithVersions(deviceId={deviceId})',
  access: { area: 'Devices', verb: 'view' },
  about: 'The packages of a device: the wanted and the installed version, and the versions that can be chosen.',
  input: z.object({ deviceId: guidSchema }),
  output: z.object({ value: z.array(packageInstall) }),
});

/** Reads an empty version as null, which means no version (INST-007). */
const noVersion = z.literal('').transform(() => null);

export const saveInstallations = defineAction({
  name: 'saveInstallations',
  method: 'POST',
  path: '/v1/deviceInstallations/{deviceId}/packages',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Sets the intended version of each listed package on the device; other packages do not change. Takes rows as they were read. A package that enabled operations of the device need is removed only with disableOperations, which disables them; otherwise the answer names them.',
  input: z.object({
    deviceId: guidSchema,
    items: z
      .array(
        z
          .object({
            packageId: guidSchema,
            deviceId: z.optional(guidSchema),
            packageVersionId: z.union([noVersion, z.null(), guidSchema], { error: 'Please enter a valid GUID.' }).default(null),
            disableOperations: z.optional(z.boolean()),
          })
          .meta({ additionalProperties: true }),
        { error: 'Send a list of packages.' },
      )
      .max(limits.pageMax),
  }),
  output: z.object({ value: z.array(packageInstall) }),
});

const ids = z
  .array(guidSchema, { error: 'Send a list of ids.' })
  .min(1, 'Please select at least one Device.')
  .max(limits.pendingBatchBelow - 1, 'Please select fewer than 25 Devices.')
  .transform((list) => [...new Set(list)]);

export const promotePending = defineAction({
  name: 'batchPromote',
  method: 'POST',
  path: '/v1/pendingdevices/batchpromote',
  access: { area: 'PendingDevices', verb: 'edit' },
  about: 'Makes waiting machines devices of the subscription that the query names, or of the chosen one. The body is the list of ids.',
  input: z.object({ items: ids, subscriptionId: z.optional(guidSchema), locationId: z.optional(guidSchema) }),
  output: z.object({ value: z.array(z.object({ pendingDeviceId: z.string(), deviceId: z.string() })) }),
});

export const deletePending = defineAction({
  name: 'batchDelete',
  method: 'DELETE',
  path: '/v1/pendingdevices/batchdelete',
  access: { area: 'PendingDevices', verb: 'delete' },
  about: 'Deletes machines permanently. The body is the list of ids.',
  input: z.object({ items: ids }),
});

/** The devices are chosen by their ids, or by a `$filter` on devices, which is resolved when the call arrives. */
const chosenDevices = {
  tenantId: guidSchema,
  deviceIds: z.optional(
    z
      .array(guidSchema, { error: 'Send a list of ids.' })
      .min(1, 'Please select at least one device.')
      .max(limits.pageMax, `Name at most ${limits.pageMax.toLocaleString('en')} devices, or choose more by a filter.`)
      .transform((list) => [...new Set(list)]),
  ),
  filter: z.optional(z.string().min(1).max(limits.filterLength)),
};

interface ChosenDevices {
  deviceIds?: string[] | undefined;
  filter?: string | undefined;
}

function checkDevices({ deviceIds, filter }: ChosenDevices, context: z.RefinementCtx): void {
  if ((deviceIds === undefined) === (filter === undefined))
    context.addIssue({ code: 'custom', path: ['deviceIds'], message: 'Send either deviceIds or filter.' });
}

const tags = z.optional(
  z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .max(100)
        .regex(/^[^,;]+$/, 'A tag has neither comma nor semicolon.'),
    )
    .max(20),
);

const campaignFields = z.object({
  ...chosenDevices,
  kind: z.enum(campaignKinds, { error: `Kind is one of ${campaignKinds.join(', ')}.` }),
  operationId: z.optional(guidSchema),
  label: z.optional(
    z
      .string()
      .check(...asOneLine('The label'))
      .min(1)
      .max(255),
  ),
  addMissing: z
    .optional(z.boolean())
    .describe('Devices that do not have the operation get it first: on demand, with the default values of its parameters.'),
  packageId: z.optional(guidSchema),
  packageVersionId: z.optional(guidSchema),
  disableOperations: z
    .optional(z.boolean())
    .describe('For RemovePackage: enabled operations that need the package are disabled with it; otherwise their devices fail.'),
  deviceOperationIds: z.optional(z.array(guidSchema).min(1).max(100)).describe('Operations of a device, to be copied.'),
  traceMinutes: z.optional(
    z.int().refine((v) => v >= 0 && (traceMinutes as readonly number[]).includes(v), 'Trace minutes is 0 or a time that tracing offers.'),
  ),
  addTags: tags,
  removeTags: tags,
  /** Null removes the devices from their location. */
  locationId: z.optional(z.nullable(guidSchema)),
  subscriptionId: z.optional(guidSchema),
  ruleId: z.optional(guidSchema).describe('The rule that changes; without it, `rule` is a new one.'),
  rule: z.optional(z.record(z.string(), z.unknown())).describe('The fields of the rule, as they are sent to save it.'),
  ...ringFields,
});
type CampaignFields = z.infer<typeof campaignFields>;

/** By kind: the fields of which a campaign needs at least one, and the message if all of these are missing. */
const needs: Partial<Record<CampaignKind, { fields: readonly (keyof CampaignFields)[]; message: string }>> = {
  RunOperation: { fields: ['operationId'], message: 'Send the operation to run.' },
  InstallVersion: { fields: ['packageVersionId'], message: 'Send the version to install.' },
  RemovePackage: { fields: ['packageId'], message: 'Send the package to remove.' },
  AddOperations: { fields: ['deviceOperationIds'], message: 'Send the operations to copy.' },
  SetTracing: { fields: ['traceMinutes'], message: 'Send for how many minutes the devices are traced.' },
  EditTags: { fields: ['addTags', 'removeTags'], message: 'Send tags to add or to remove.' },
  Move: { fields: ['locationId', 'subscriptionId'], message: 'Send a location or a subscription.' },
  ChangeRule: { fields: ['rule'], message: 'Send the new version of the rule.' },
};

const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);

const campaignOf = campaignFields.superRefine((value, context) => {
  checkDevices(value, context);
  const need = needs[value.kind];
  if (need && !need.fields.some((field) => isGiven(value[field])))
    context.addIssue({ code: 'custom', path: [need.fields[0] ?? 'kind'], message: need.message });
  if (!value.rings && value.kind === 'ChangeRule')
    context.addIssue({
      code: 'custom',
      path: ['rings'],
      message: 'Send rings. To change the rule for all devices at once, save the rule instead.',
    });
  if (!value.rings && (value.gate || value.pauseMinutes !== undefined))
    context.addIssue({ code: 'custom', path: ['rings'], message: 'A gate or a pause needs rings. Send rings, or leave both out.' });
  checkShares(value.rings, context);
});

const foundChoices = z.object({
  /** Operations that run on demand, or that could be added to run on demand, with the number of devices that have them. */
  operations: z.array(
    z.object({
      operationId: z.string(),
      name: z.string(),
      packageName: z.string(),
      devices: z.int(),
      /** Whether the operation can be added to devices that do not have it: none of its parameters needs a value. */
      addable: z.boolean(),
      /** The labels of the operation on devices that have it several times; a campaign names one of these labels. */
      labels: z.array(z.string()),
    }),
  ),
  packages: z.array(
    z.object({
      packageId: z.string(),
      name: z.string(),
      /** The number of chosen devices that have the package, in any version. */
      devices: z.int(),
      /** Newest first. */
      versions: z.array(z.object({ packageVersionId: z.string(), version: z.string(), devices: z.int() })),
    }),
  ),
});
export type CampaignChoices = z.infer<typeof foundChoices>;

export const campaignChoices = defineAction({
  name: 'campaignChoices',
  method: 'POST',
  path: '/v1/campaigns/choices',
  reads: true,
  access: { area: 'Devices', verb: 'edit' },
  about: 'What these devices have that a campaign can be about.',
  input: z.object(chosenDevices).superRefine(checkDevices),
  output: foundChoices,
});

const foundDevices = z.object({ total: z.int(), offline: z.int(), disabled: z.int(), already: z.int(), unable: z.int(), needed: z.int() });
export type CampaignPreview = z.infer<typeof foundDevices>;

export const previewCampaign = defineAction({
  name: 'previewCampaign',
  method: 'POST',
  path: '/v1/campaigns/preview',
  reads: true,
  access: { area: 'Devices', verb: 'edit' },
  about:
    'What a campaign would find: numbers of devices. Those of `offline` wait, those of `unable` and `disabled` fail at once. `needed`: have enabled operations that need the package to be removed.',
  input: campaignOf,
  output: foundDevices,
});

export const startCampaign = defineAction({
  name: 'startCampaign',
  method: 'POST',
  path: '/v1/campaigns/start',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Starts a campaign on devices: at once on all, or ring by ring. ChangeRule rolls the new version of a rule out. Answers the campaign.',
  repeatable: true,
  input: campaignOf,
  output: rowOf('campaigns'),
});
export type StartCampaign = z.input<typeof campaignOf>;
/** A campaign to start, with its defaults filled in. */
export type CheckedCampaign = z.output<typeof campaignOf>;

export const stopCampaign = defineAction({
  name: 'stopCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/stop',
  access: { area: 'Devices', verb: 'edit' },
  about:
    'Withdraws what no device has begun; what has begun runs to its end. With `andReturn`, also of a campaign that is over, devices that it has given another version get the previous one, and operations that it has added are removed.',
  input: byId.extend({ andReturn: z.boolean().default(false) }),
  output: rowOf('campaigns'),
});

export const campaignRule = defineAction({
  name: 'campaignRule',
  method: 'GET',
  path: '/v1/campaigns/{id}/rule',
  access: { area: 'Rules', verb: 'view' },
  about: 'The fields of a rule that a campaign changes, as they become.',
  input: byId,
  output: z.object({ ruleId: guidSchema, changes: rowOf('rules') }),
});

export const continueCampaign = defineAction({
  name: 'continueCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/continue',
  access: { area: 'Devices', verb: 'edit' },
  about: 'Begins the next ring now, without waiting for the gate or the pause. `ring` is the current one.',
  input: byId.extend({ ring: z.int({ error: 'Send the number of the current ring.' }).min(0) }),
  output: rowOf('campaigns'),
});

export const retryCampaign = defineAction({
  name: 'retryCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/retryFailed',
  access: { area: 'Devices', verb: 'edit' },
  about: 'Begins again on the devices that failed.',
  input: byId,
  output: rowOf('campaigns'),
});
