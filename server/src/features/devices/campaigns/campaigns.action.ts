/** Starts, stops and retries campaigns. What they do on each device, jobs do. */
import { sql } from 'kysely';
import { campaignChoices, previewCampaign, retryCampaign, startCampaign, stopCampaign } from '@cloudfit/contract/actions/devices.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import { actorName, inTransaction, requirePermission } from '../../../context/ctx.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { setFields } from '../../../resources/update.ts';
import { choicesOf, previewOf } from './preview.ts';
import { devicesOf, subjectOf } from './subject.ts';
import { beginCampaign, requestStop } from './campaign.job.ts';
import { servedCampaigns } from './campaigns.served.ts';

const insertDevices = `with added as (
  insert into campaign_device (tenant_id, campaign_id, device_id) select $1, $2, id from unnest($3::uuid[]) with ordinality as d (id, n) order by n
  returning campaign_device_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id) select $1, 'create', 'campaignDevices', campaign_device_id::text, $4 from added`;

const start = implement(startCampaign, (ctx, input) =>
  inTransaction(ctx, async (ctx): Promise<Row<typeof campaigns>> => {
    const { tenantId, kind } = input;
    requirePermission(ctx, 'Devices', 'edit', tenantId);
    const { title, packageId = null, settings = null } = await subjectOf(ctx, input);
    const ids = await devicesOf(ctx, input);
    const operationId = kind === 'RunOperation' ? (input.operationId ?? null) : null;
    const label = kind === 'RunOperation' ? (input.label ?? null) : null;
    const versionId = kind === 'InstallVersion' ? (input.packageVersionId ?? null) : null;
    const write = sql`insert into campaign (tenant_id, title, kind, operation_id, label, package_id, package_version_id, settings, total, waiting, created_by, owner_kind, owner_id, correlation_id)
      values (${tenantId}, ${title}, ${kind}, ${operationId}, ${label}, ${packageId}, ${versionId}, ${settings === null ? null : JSON.stringify(settings)}::jsonb, ${ids.length}, ${ids.length}, ${actorName(ctx)}, ${ctx.actor.kind}, ${ctx.actor.id}, ${ctx.correlationId}) returning *`;
    const campaign = await writeRecorded(ctx, servedCampaigns, 'create', write, null);
    if (!campaign) throw new Error('An insert answers its row.');
    await ctx.db.query({ text: insertDevices, values: [tenantId, campaign.campaignId, ids, ctx.correlationId] });
    await beginCampaign(ctx, campaign.campaignId, tenantId);
    return campaign;
  }),
);

const stop = implement(stopCampaign, (ctx, { id }) => requestStop(ctx, id, `${actorName(ctx)} stopped the campaign.`));

const reset = `with again as (
  update campaign_device set outcome = 'Waiting', reason = null, begun = null, ended = null, is_own = false, device_operation_id = null, run_id = null, wish_number = null, modified = now()
  where campaign_id = $1 and outcome = 'Failed' returning tenant_id, campaign_device_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'campaignDevices', campaign_device_id::text, $2 from again returning entity_id`;

const retry = implement(retryCampaign, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedCampaigns, id, { lock: 'edit' });
    requirePermission(ctx, 'Devices', 'edit', before.tenantId);
    if (before.state === 'Stopping') throw new ApiError('Conflict', 'The campaign is being stopped; retry when it has stopped.');
    const again = await ctx.db.query({ text: reset, values: [id, ctx.correlationId] });
    if (again.length === 0) throw new ApiError('Conflict', 'No device of this campaign has failed.');
    const campaign = await setFields(ctx, servedCampaigns, id, ({ waiting, failed }): RowInput<typeof campaigns> => ({
      state: 'Running',
      stopReason: null,
      ended: null,
      waiting: waiting + again.length,
      failed: Math.max(0, failed - again.length),
    }));
    await beginCampaign(ctx, id, campaign.tenantId);
    return campaign;
  }),
);

const choices = implement(campaignChoices, async (ctx, input) => {
  requirePermission(ctx, 'Devices', 'edit', input.tenantId);
  return choicesOf(ctx, input.tenantId, await devicesOf(ctx, input));
});

const preview = implement(previewCampaign, async (ctx, input) => {
  requirePermission(ctx, 'Devices', 'edit', input.tenantId);
  return previewOf(ctx, input, await subjectOf(ctx, input), await devicesOf(ctx, input));
});

export const campaignActions: readonly Implemented[] = [choices, preview, start, stop, retry];
