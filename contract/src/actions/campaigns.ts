/** Calls on campaigns: work on many devices at once. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { campaignKinds, type CampaignKind } from '../enums.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { campaignDevicesMax } from '../resources/campaigns.ts';

const row = z.record(z.string(), z.unknown());
const byId = z.object({ id: guidSchema });
const edit = { area: 'Devices', verb: 'edit' } as const;

/** What each kind is about. */
const subjects: Partial<Record<CampaignKind, { field: 'operationId' | 'packageId' | 'packageVersionId'; message: string }>> = {
  RunOperation: { field: 'operationId', message: 'Name the operation to run.' },
  InstallVersion: { field: 'packageVersionId', message: 'Name the version to install.' },
  RemovePackage: { field: 'packageId', message: 'Name the package to remove.' },
};

/** The devices are chosen by their ids, or by a `$filter` on devices that is resolved at once. */
export const startCampaign = defineAction({
  name: 'startCampaign',
  method: 'POST',
  path: '/v1/campaigns/start',
  access: edit,
  repeatable: true,
  input: z
    .object({
      tenantId: guidSchema,
      kind: z.enum(campaignKinds, { error: `Kind is one of ${campaignKinds.join(', ')}.` }),
      deviceIds: z.optional(
        z
          .array(guidSchema, { error: 'Send a list of ids.' })
          .min(1, 'Please select at least one device.')
          .max(campaignDevicesMax, `A campaign has at most ${campaignDevicesMax.toLocaleString('en')} devices.`)
          .transform((list) => [...new Set(list)]),
      ),
      filter: z.optional(z.string().min(1).max(limits.filterLength)),
      operationId: z.optional(guidSchema),
      label: z.optional(z.string().min(1).max(255)),
      packageId: z.optional(guidSchema),
      packageVersionId: z.optional(guidSchema),
    })
    .superRefine((value, context) => {
      const { kind, deviceIds, filter } = value;
      if ((deviceIds === undefined) === (filter === undefined))
        context.addIssue({ code: 'custom', path: ['deviceIds'], message: 'Name the devices by deviceIds or by filter, one of the two.' });
      const subject = subjects[kind];
      if (subject && value[subject.field] === undefined)
        context.addIssue({ code: 'custom', path: [subject.field], message: subject.message });
    }),
  output: row,
});

/** Takes back what no device has begun; what has begun goes on to its end. */
export const stopCampaign = defineAction({
  name: 'stopCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/stop',
  access: edit,
  input: byId,
  output: row,
});

/** Begins again on the devices that failed. */
export const retryCampaign = defineAction({
  name: 'retryCampaign',
  method: 'POST',
  path: '/v1/campaigns/{id}/retryFailed',
  access: edit,
  input: byId,
  output: row,
});
