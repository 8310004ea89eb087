/** The calls about campaigns: before the start, and while they run. Jobs do the work on each device. */
import {
  campaignChoices,
  campaignRule,
  continueCampaign,
  previewCampaign,
  retryCampaign,
  startCampaign,
  stopCampaign,
} from '@cloudfit/contract/actions/devices.ts';
import { pauseCampaign, resumeCampaign } from '@cloudfit/contract/policies/calls.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { campaignDevices, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import { isVersionKind } from '@cloudfit/contract/enums.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { setFields } from '../../resources/update.ts';
import { choicesOf, previewOf } from './preview.ts';
import { devicesOf, subjectOf } from './subject.ts';
import { skipRing, ringsOf } from './rings.ts';
import { beginCampaign, mayReturn, requestStop } from './campaign.job.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { policyIsAdopted, returnAdopted } from './policy-rollout.ts';
import { changesOfRule, createDisabled, storeRollout } from './rule-rollout.ts';
import { storeCampaign } from './store.ts';

const start = implement(startCampaign, (ctx, input) =>
  inTransaction(ctx, async (ctx): Promise<Row<typeof campaigns>> => {
    const { tenantId, kind } = input;
    requirePermission(ctx, 'Devices', 'edit', tenantId);
    const { title, packageId = null, settings = null, ruleChange } = await subjectOf(ctx, input);
    const ids = await devicesOf(ctx, input);
    const assigned = await ringsOf(ctx, input, ids);
    const ruleId = ruleChange ? (ruleChange.ruleId ?? (await createDisabled(ctx, input)).ruleId) : null;
    const { gate, pauseMinutes } = input;
    const campaign = await storeCampaign(
      ctx,
      {
        tenantId,
        title,
        kind,
        packageId,
        ruleId,
        settings,
        gate,
        pauseMinutes,
        ...(kind === 'RunOperation' ? { operationId: input.operationId ?? null, label: input.label ?? null } : {}),
        ...(kind === 'InstallVersion' ? { packageVersionId: input.packageVersionId ?? null } : {}),
      },
      ids,
      assigned,
    );
    if (ruleChange && ruleId !== null) await storeRollout(ctx, campaign.campaignId, tenantId, ruleId, ruleChange.definition);
    return campaign;
  }),
);

const stop = implement(stopCampaign, async (ctx, { id, andReturn }) => {
  const campaign = await get(ctx, servedCampaigns, id);
  if (campaign.kind === 'ChangePolicy' && (await policyIsAdopted(ctx, id))) {
    if (!andReturn) throw new ApiError('Conflict', 'The new version is in force for all devices. Return to the version before instead.');
    await returnAdopted(ctx, id);
    return get(ctx, servedCampaigns, id);
  }
  if (andReturn) {
    if (campaign.kind === 'ChangeRule' && campaign.ended !== null)
      throw new ApiError('Conflict', 'The campaign is over. Edit the rule to change it.');
    if (!mayReturn(campaign))
      throw new ApiError(
        'Conflict',
        'Only campaigns that install or remove a package, add operations or change a rule or a policy can be returned.',
      );
  }
  const did = andReturn ? 'stopped the campaign and had it undone' : 'stopped the campaign';
  return requestStop(ctx, id, `${actorName(ctx)} ${did}.`, { returns: andReturn });
});

const goOn = implement(continueCampaign, async (ctx, { id, ring }) => {
  const { kind, tenantId, rings, pausedOn } = await get(ctx, servedCampaigns, id);
  if (isVersionKind(kind) && ring + 1 === rings?.length) requirePermission(ctx, 'Devices', 'edit', tenantId);
  if (pausedOn !== null) throw new ApiError('Conflict', 'The campaign is paused. Resume it first.');
  await inTransaction(ctx, async (ctx) => {
    if (!(await skipRing(ctx, id, ring)))
      throw new ApiError('Conflict', 'This ring is no longer the current one, or no ring follows it. Please load the campaign again.');
  });
  return get(ctx, servedCampaigns, id);
});

const ruleOf = implement(campaignRule, async (ctx, { id }) => {
  const { tenantId } = await get(ctx, servedCampaigns, id);
  requirePermission(ctx, 'Rules', 'view', tenantId ?? null);
  const change = await changesOfRule(ctx, id);
  if (!change) throw notFound('Rule of this campaign');
  return change;
});

const reset = `with again as (
  update campaign_device set outcome = 'Waiting', reason = null, begun = null, ended = null, is_own = false, untried = false, device_operation_id = null, run_id = null, wish_number = null, version_before = null, added_operations = null, disabled_operations = null, modified = now()
  where campaign_id = $1 and outcome = 'Failed' returning tenant_id, campaign_device_id
)
${changed(campaignDevices, 'update', 'again', '$2')} returning entity_id`;

const retry = implement(retryCampaign, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const before = await get(ctx, servedCampaigns, id, { lock: 'edit' });
    requirePermission(ctx, 'Devices', 'edit', before.tenantId ?? null);
    if (isVersionKind(before.kind))
      throw new ApiError('Conflict', 'A campaign that changes a rule or a policy cannot be retried. Start another campaign.');
    if (before.state === 'Stopping') throw new ApiError('Conflict', 'The campaign is being stopped; retry when it has stopped.');
    const again = await ctx.db.query({ text: reset, values: [id, ctx.correlationId] });
    if (again.length === 0) throw new ApiError('Conflict', 'No device of this campaign has failed.');
    const campaign = await setFields(ctx, servedCampaigns, id, ({ waiting, failed }): RowInput<typeof campaigns> => ({
      state: 'Running',
      stopReason: null,
      ringBegun: before.rings ? ctx.now().toISOString() : null,
      ringPassed: null,
      pausedOn: null,
      pausedBy: null,
      ended: null,
      waiting: waiting + again.length,
      failed: Math.max(0, failed - again.length),
    }));
    await beginCampaign(ctx, id, campaign.tenantId);
    return campaign;
  }),
);

/** Pauses or resumes a campaign that runs. */
const setPaused = (ctx: Ctx, id: string, pauses: boolean) =>
  inTransaction(ctx, async (ctx) => {
    const campaign = await setFields(ctx, servedCampaigns, id, ({ state, pausedOn }): RowInput<typeof campaigns> => {
      if (state !== 'Running') throw new ApiError('Conflict', 'The campaign does not run any more.');
      if (pauses === (pausedOn !== null))
        throw new ApiError('Conflict', pauses ? 'The campaign is paused already.' : 'The campaign is not paused.');
      return pauses ? { pausedOn: ctx.now().toISOString(), pausedBy: actorName(ctx) } : { pausedOn: null, pausedBy: null };
    });
    // The job that begins devices ends at a pause.
    if (!pauses) await beginCampaign(ctx, id, campaign.tenantId ?? null);
    return campaign;
  });

const pause = implement(pauseCampaign, (ctx, { id }) => setPaused(ctx, id, true));
const resume = implement(resumeCampaign, (ctx, { id }) => setPaused(ctx, id, false));

const choices = implement(campaignChoices, async (ctx, input) => {
  requirePermission(ctx, 'Devices', 'edit', input.tenantId);
  return choicesOf(ctx, input.tenantId, await devicesOf(ctx, input));
});

const preview = implement(previewCampaign, async (ctx, input) => {
  requirePermission(ctx, 'Devices', 'edit', input.tenantId);
  return previewOf(ctx, input, await subjectOf(ctx, input), await devicesOf(ctx, input));
});

export const campaignActions: readonly ImplementedAction[] = [choices, preview, start, stop, goOn, ruleOf, retry, pause, resume];
