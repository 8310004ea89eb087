/** Brings a new version of a policy into force ring by ring: it goes out as a campaign over the devices of its selection. */
import { campaignPolicy, rollOutPolicy } from '@cloudfit/contract/policies/calls.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { campaignDevicesMax } from '@cloudfit/contract/resources/campaigns.ts';
import type { policies } from '@cloudfit/contract/resources/policies.ts';
import type { FieldName, Row } from '@cloudfit/contract/resource.ts';
import { inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { createFromBody } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { prepareUpdate } from '../../resources/update.ts';
import { servedCampaigns } from '../campaigns/campaigns.served.ts';
import { changeOfPolicy, storePolicyRollout, type PolicyInput } from '../campaigns/policy-rollout.ts';
import { ringsOf } from '../campaigns/rings.ts';
import { storeCampaign } from '../campaigns/store.ts';
import { planPolicy } from './plan.ts';
import { policyPlaces, servedPolicies } from './policies.served.ts';

type PolicyRow = Row<typeof policies>;
type PolicyField = FieldName<typeof policies>;

const fieldError = (target: string, message: string) => validationFailed([{ target, message }]);

const devicesText = `select d.device_id as id from selection_member m join device d on d.device_id = m.device_id
where m.device_selection_id = $1 and not d.is_deleted and rule_is_for($2, $3, m.tenant_id) order by d.device_id limit $4`;

/** The devices that the policy is for. */
async function devicesOfPolicy(ctx: Ctx, { deviceSelectionId, tenantId, tenantGroupId }: PolicyRow): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }>({
    name: 'policy-rollout-devices',
    text: devicesText,
    values: [deviceSelectionId, tenantId ?? null, tenantGroupId ?? null, campaignDevicesMax + 1],
  });
  if (rows.length === 0)
    throw fieldError('policyId', 'The selection has no devices yet. Save the policy: devices that join the selection get it.');
  if (rows.length > campaignDevicesMax)
    throw fieldError(
      'policyId',
      `A rollout has at most ${campaignDevicesMax.toLocaleString('en')} devices. Make a policy for each tenant.`,
    );
  return rows.map(({ id }) => id);
}

const stamps: readonly PolicyField[] = ['modified', 'modifiedBy', 'created', 'createdBy'];

export const rollOut = implement(rollOutPolicy, (outside, { policyId, policy: sent, ...input }) =>
  inTransaction(outside, async (ctx) => {
    // A new policy is stored disabled; devices of rings that have begun have it as enabled.
    const created = policyId ? undefined : await createFromBody(ctx, servedPolicies, { ...sent, enabled: false });
    const before = created ?? (await get(ctx, servedPolicies, policyId ?? '', { lock: 'edit' }));
    const tenantId = before.tenantId ?? null;
    requirePermission(ctx, 'Devices', 'edit', tenantId);
    const { changed, after } = await prepareUpdate(ctx, servedPolicies, before, created ? { enabled: true } : sent);
    if (policyPlaces.some((name) => changed.includes(name)))
      throw fieldError(
        policyPlaces.find((name) => changed.includes(name)) ?? 'policyId',
        'Tenant, group and selection of a policy cannot change in rings. Save that change first.',
      );
    if (!after.enabled) throw fieldError('enabled', 'A version that is disabled does not go out. Enable it, or save the policy.');
    const fields = changed.filter((name) => !stamps.includes(name));
    if (fields.length === 0) throw fieldError('policyId', 'Nothing in the policy has changed.');
    const of = (row: PolicyRow) => Object.fromEntries(fields.map((name) => [name, row[name] ?? null])) as PolicyInput;
    const ids = await devicesOfPolicy(ctx, before);
    const assigned = await ringsOf(ctx, { tenantId, rings: input.rings }, ids);
    const title = `${created ? 'New policy' : 'Change policy'} ${after.name}`;
    const { gate, pauseMinutes } = input;
    const campaign = await storeCampaign(
      ctx,
      { tenantId, title, kind: 'ChangePolicy', policyId: before.policyId, gate, pauseMinutes },
      ids,
      assigned,
    );
    await storePolicyRollout(ctx, campaign.campaignId, tenantId, {
      policyId: before.policyId,
      definition: of(after),
      before: of(before),
    });
    return campaign;
  }),
);

export const policyOfCampaign = implement(campaignPolicy, async (ctx, { id }) => {
  await get(ctx, servedCampaigns, id);
  const change = await changeOfPolicy(ctx, id);
  if (!change) throw notFound('Policy of this campaign');
  const { policyId, definition, isOpen } = change;
  const plan = isOpen ? await planOf(ctx, policyId, definition) : null;
  return { policyId, changes: definition, plan };
});

async function planOf(ctx: Ctx, policyId: string, definition: PolicyInput) {
  const policy = await get(ctx, servedPolicies, policyId);
  const { deviceSelectionId } = policy;
  return planPolicy(ctx, { ...policy, ...definition, deviceSelectionId } as Parameters<typeof planPolicy>[1]);
}
