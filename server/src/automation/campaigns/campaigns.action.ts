/** The calls about campaigns: before the start, and while they run. Jobs do the work on each device. */
import { sql } from '../../db/sql.ts';
import {
  campaignChoices,
  campaignRule,
  continueCampaign,
  previewCampaign,
  retryCampaign,
  startCampaign,
  stopCampaign,
} from '@cloudfit/contract/actions/devices.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { campaignDevices, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import { actorName, inTransaction, requirePermission } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { setFields } from '../../resources/update.ts';
import { choicesOf, previewOf } from './preview.ts';
import { devicesOf, subjectOf } from './subject.ts';
import { usualGate } from './ring.rules.ts';
import { skipRing, ringsOf } from './rings.ts';
import { beginCampaign, mayReturn, requestStop } from './campaign.job.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { changesOfRule, createDisabled, storeRollout } from './rule-rollout.ts';

// Inserted in the order in which the devices are listed. One change event covers all rows: nobody has read one of them yet.
const insertDevices = `with added as (
  insert into campaign_device (tenant_id, campaign_id, device_id, ring) select $1, $2, d.id, d.ring
  from unnest($3::uuid[], $4::int[]) as d (id, ring) join device v on v.device_id = d.id order by v.name collate natural_order, v.device_id
  returning tenant_id, campaign_device_id
)
${changed(campaignDevices, 'create', '(select * from added limit 1) a', '$5')}`;

const asJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

const start = implement(startCampaign, (ctx, input) =>
  inTransaction(ctx, async (ctx): Promise<Row<typeof campaigns>> => {
    const { tenantId, kind } = input;
    requirePermission(ctx, 'Devices', 'edit', tenantId);
    const { title, packageId = null, settings = null, ruleChange } = await subjectOf(ctx, input);
    const ids = await devicesOf(ctx, input);
    const { rings, ringOf } = await ringsOf(ctx, input, ids);
    const gate = rings ? (input.gate ?? usualGate) : null;
    const operationId = kind === 'RunOperation' ? (input.operationId ?? null) : null;
    const label = kind === 'RunOperation' ? (input.label ?? null) : null;
    const ruleId = ruleChange ? (ruleChange.ruleId ?? (await createDisabled(ctx, input)).ruleId) : null;
    const versionId = kind === 'InstallVersion' ? (input.packageVersionId ?? null) : null;
    const write = sql`insert into campaign (tenant_id, title, kind, operation_id, label, package_id, package_version_id, rule_id, settings, rings, gate, pause_minutes, ring_begun, total, waiting, created_by, owner_kind, owner_id, correlation_id)
      values (${tenantId}, ${title}, ${kind}, ${operationId}, ${label}, ${packageId}, ${versionId}, ${ruleId}, ${asJson(settings)}::jsonb, ${asJson(rings)}::jsonb, ${asJson(gate)}::jsonb, ${input.pauseMinutes ?? 0}, ${rings ? ctx.now().toISOString() : null}::timestamptz, ${ids.length}, ${ids.length}, ${actorName(ctx)}, ${ctx.actor.kind}, ${ctx.actor.id}, ${ctx.correlationId}) returning *`;
    const campaign = await writeRecorded(ctx, servedCampaigns, 'create', write, null);
    if (!campaign) throw new Error('An insert answers its row.');
    await ctx.db.query({ text: insertDevices, values: [tenantId, campaign.campaignId, ids, ids.map(ringOf), ctx.correlationId] });
    if (ruleChange && ruleId !== null) await storeRollout(ctx, campaign.campaignId, tenantId, ruleId, ruleChange.definition);
    await beginCampaign(ctx, campaign.campaignId, tenantId);
    return campaign;
  }),
);

const stop = implement(stopCampaign, async (ctx, { id, andReturn }) => {
  if (andReturn) {
    const campaign = await get(ctx, servedCampaigns, id);
    if (campaign.kind === 'ChangeRule' && campaign.ended !== null)
      throw new ApiError('Conflict', 'The campaign is over. Edit the rule to change it.');
    if (!mayReturn(campaign))
      throw new ApiError('Conflict', 'Only campaigns that install or remove a package, add operations or change a rule can be returned.');
  }
  const did = andReturn ? 'stopped the campaign and had it undone' : 'stopped the campaign';
  return requestStop(ctx, id, `${actorName(ctx)} ${did}.`, { returns: andReturn });
});

const goOn = implement(continueCampaign, async (ctx, { id, ring }) => {
  const { kind, tenantId, rings } = await get(ctx, servedCampaigns, id);
  if (kind === 'ChangeRule' && ring + 1 === rings?.length) requirePermission(ctx, 'Devices', 'edit', tenantId);
  await inTransaction(ctx, async (ctx) => {
    if (!(await skipRing(ctx, id, ring)))
      throw new ApiError('Conflict', 'This ring is no longer the current one, or no ring follows it. Please load the campaign again.');
  });
  return get(ctx, servedCampaigns, id);
});

const ruleOf = implement(campaignRule, async (ctx, { id }) => {
  const { tenantId } = await get(ctx, servedCampaigns, id);
  requirePermission(ctx, 'Rules', 'view', tenantId);
  const change = await changesOfRule(ctx, id);
  if (!change) throw notFound('Rule of this campaign');
  return change;
});

const reset = `with again as (
  update campaign_device set outcome = 'Waiting', reason = null, begun = null, ended = null, is_own = false, untried = false, device_operation_id = null, run_id = null, wish_number = null, version_before = null, added_operations = null, modified = now()
  where campaign_id = $1 and outcome = 'Failed' returning tenant_id, campaign_device_id
)
${changed(campaignDevices, 'update', 'again', '$2')} returning entity_id`;

const retry = implement(retryCampaign, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedCampaigns, id, { lock: 'edit' });
    requirePermission(ctx, 'Devices', 'edit', before.tenantId);
    if (before.kind === 'ChangeRule')
      throw new ApiError('Conflict', 'A campaign that changes a rule cannot be retried. Start another campaign.');
    if (before.state === 'Stopping') throw new ApiError('Conflict', 'The campaign is being stopped; retry when it has stopped.');
    const again = await ctx.db.query({ text: reset, values: [id, ctx.correlationId] });
    if (again.length === 0) throw new ApiError('Conflict', 'No device of this campaign has failed.');
    const campaign = await setFields(ctx, servedCampaigns, id, ({ waiting, failed }): RowInput<typeof campaigns> => ({
      state: 'Running',
      stopReason: null,
      ringBegun: before.rings ? ctx.now().toISOString() : null,
      ringPassed: null,
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

export const campaignActions: readonly ImplementedAction[] = [choices, preview, start, stop, goOn, ruleOf, retry];
