/**
 * Brings a new version of a policy into force ring by ring. The policy keeps its row until the end. Until then, `policy_rollout` has the
 * changed fields, and the rows of the campaign's devices say which devices have them; each device is compared with its version.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { queuedRunHours } from '@cloudfit/contract/resources/device-operations.ts';
import { campaignDevices, campaigns, type CampaignRing } from '@cloudfit/contract/resources/campaigns.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { actorName, inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { setFields, update } from '../../resources/update.ts';
import { requestCampaignChecks } from '../policies/checks.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { devicesOf } from './subject.ts';

/** The fields of a policy that are to be set. */
export type PolicyInput = RowInput<typeof policies>;

interface PolicyChange {
  policyId: string;
  definition: PolicyInput;
  /** The same fields as they were. */
  before: PolicyInput;
}

const store = 'insert into policy_rollout (campaign_id, tenant_id, policy_id, definition, before) values ($1, $2, $3, $4, $5)';

export async function storePolicyRollout(ctx: Ctx, campaignId: string, tenantId: string | null, change: PolicyChange): Promise<void> {
  const values = [campaignId, tenantId, change.policyId, JSON.stringify(change.definition), JSON.stringify(change.before)];
  await ctx.db.query({ name: 'policy-rollout-store', text: store, values });
}

const changeText = `select policy_id as "policyId", definition, before, ended is null as "isOpen" from policy_rollout where campaign_id = $1`;

/** The change of a campaign, also when it is over; undefined for a campaign of another kind. */
export async function changeOfPolicy(ctx: Ctx, campaignId: string): Promise<(PolicyChange & { isOpen: boolean }) | undefined> {
  const [change] = await ctx.db.query<PolicyChange & { isOpen: boolean }>({
    name: 'policy-rollout-change',
    text: changeText,
    values: [campaignId],
  });
  return change;
}

const lock = 'select state = $2 and ($3::int is null or ring = $3) as fits from campaign where campaign_id = $1 for no key update';

async function lockRollout(ctx: Ctx, id: string, state: 'Running' | 'Stopping', ring: number | null): Promise<PolicyChange | undefined> {
  const [campaign] = await ctx.db.query<{ fits: boolean }>({ name: 'policy-rollout-lock', text: lock, values: [id, state, ring] });
  if (!campaign?.fits) return undefined;
  // A separate statement after the lock, so that it sees what was committed before the lock was acquired.
  const change = await changeOfPolicy(ctx, id);
  return change?.isOpen ? change : undefined;
}

const announced = changed(campaignDevices, 'update', '(select distinct on (tenant_id) * from moved) m', '$3');

const unbegun = `select d.campaign_device_id from campaign_device d join campaign c on c.campaign_id = d.campaign_id
  where d.campaign_id = $1 and d.ring <= c.ring and d.begun is null and d.ended is null limit 1`;

const begin = `with moved as (
  update campaign_device d set begun = $2, is_own = f.fault is null, untried = f.fault is not null, reason = f.fault, modified = $2,
    outcome = case when f.fault is null then 'Running' else 'Failed' end, ended = case when f.fault is not null then $2::timestamptz end
  from (select x.campaign_device_id, case when v.is_deleted then 'The device was deleted.'
      when v.tenant_id <> x.tenant_id then 'The device has moved to another tenant.' when not v.enabled then 'The device is disabled.' end as fault
    from campaign c join campaign_device x on x.campaign_id = c.campaign_id join device v on v.device_id = x.device_id
    where c.campaign_id = $1 and x.ring <= c.ring and x.begun is null and x.ended is null) f
  where d.campaign_device_id = f.campaign_device_id and d.begun is null and d.ended is null
  returning d.tenant_id, d.campaign_device_id
)
${announced}`;

/** Gives the new version to the devices of the rings up to the present one, and asks that they are compared. */
export function beginPolicyRing(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if (!(await lockRollout(ctx, id, 'Running', null))) return;
    const at = ctx.now().toISOString();
    await ctx.db.query({ name: 'policy-rollout-begin', text: begin, values: [id, at, ctx.correlationId] });
    await requestCampaignChecks(ctx, id, at);
  });
}

const close = 'update policy_rollout set ended = $2 where campaign_id = $1 and ended is null';

const giveBack = `with moved as (
  update campaign_device set outcome = 'Returned', ended = $2::timestamptz, modified = $2
  where campaign_id = $1 and is_own and begun is not null and outcome in ('Running', 'Done', 'Failed') returning tenant_id, campaign_device_id
)
${announced}`;

/** Ends a rollout that is being stopped: every device gets the version before. */
export function returnPolicy(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if (!(await lockRollout(ctx, id, 'Stopping', null))) return;
    const at = ctx.now().toISOString();
    await ctx.db.query({ name: 'policy-rollout-close', text: close, values: [id, at] });
    await ctx.db.query({ name: 'policy-rollout-return', text: giveBack, values: [id, at, ctx.correlationId] });
    await requestCampaignChecks(ctx, id, null);
  });
}

/** Saves the new version of the policy for all devices, in the name of `owner`; false if the ring is no longer the present one. */
export function adoptPolicy(ctx: Ctx, owner: Pick<Ctx, 'actor' | 'permissions'>, id: string, ring: number): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const open = await lockRollout(ctx, id, 'Running', ring);
    if (!open) return false;
    await ctx.db.query({ name: 'policy-rollout-close', text: close, values: [id, ctx.now().toISOString()] });
    await update({ ...ctx, actor: owner.actor, permissions: owner.permissions }, servedOf(policies), open.policyId, open.definition);
    return true;
  });
}

/** Whether the new version is in force for all devices: nothing of the campaign is left but devices that still carry it out. */
export async function policyIsAdopted(ctx: Ctx, id: string): Promise<boolean> {
  const change = await changeOfPolicy(ctx, id);
  const { state } = await get(ctx, servedCampaigns, id);
  return change !== undefined && !change.isOpen && (state === 'Running' || state === 'Done');
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Gives all devices the version before a campaign that is over, unless somebody has changed the policy since. */
export function returnAdopted(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const change = await changeOfPolicy(ctx, id);
    if (!change) return;
    const policy = await get(ctx, servedOf(policies), change.policyId, { lock: 'edit' });
    const names = Object.keys(change.definition) as (keyof PolicyInput)[];
    if (!names.every((name) => same(policy[name], change.definition[name])))
      throw new ApiError('Conflict', 'The policy has been changed since. Edit it, or roll another version out.');
    await update(ctx, servedOf(policies), change.policyId, change.before);
    const at = ctx.now().toISOString();
    await ctx.db.query({ name: 'policy-rollout-return', text: giveBack, values: [id, at, ctx.correlationId] });
    const reason = `${actorName(ctx)} returned to the version before.`;
    await setFields(ctx, servedCampaigns, id, ({ done, failed, running, returned }): RowInput<typeof campaigns> => ({
      state: 'Stopped',
      stopReason: reason,
      ended: at,
      ringNote: null,
      done: 0,
      failed: 0,
      running: 0,
      returned: returned + done + failed + running,
    }));
  });
}

/**
 * The outcome of each device that has the new version: Failed when it is refused or a package of it cannot be installed, Done when the
 * device has all of it. A comparison that was requested together with the version is a row of policy_check until it is done.
 */
const judge = `with facts as (
  select d.campaign_device_id, d.begun, v.is_deleted or v.tenant_id <> d.tenant_id as gone, k.device_id is not null as pending,
    case when k.attempts >= 3 then k.problem end as problem, g.holds, x.refused, x.failed, x.open
  from campaign c join policy_rollout r on r.campaign_id = c.campaign_id join device_policy p on p.policy_id = r.policy_id
  join campaign_device d on d.campaign_id = c.campaign_id and d.ended is null and d.begun is not null
  join device v on v.device_id = d.device_id left join policy_check k on k.device_id = d.device_id
  cross join lateral (select exists (select from selection_member m where m.device_id = d.device_id and m.device_selection_id = p.device_selection_id) as holds) g
  cross join lateral (
    select min(i.label || ': ' || i.detail) filter (where i.state = 'Failed') as refused,
      min(i.label || ': ' || coalesce(s.status_detail, s.install_status)) filter (where s.install_status like '%Failed' or s.install_status = 'RolledBack') as failed,
      count(*) filter (where i.kind = 'Package' and s.install_status is distinct from 'Installed') as open
    from policy_item i left join device_installation s on i.kind = 'Package' and s.device_id = i.device_id and s.package_id = (i.value ->> 'packageId')::uuid
    where i.device_id = d.device_id and i.policy_id = p.policy_id and i.state <> 'Kept'
  ) x
  where c.campaign_id = any($1) and c.state = 'Running' and c.policy_id is not null
), found as (
  select f.*, case when f.gone or not f.holds then 'Stopped' when f.problem is not null then 'Failed' when f.pending then null
    when f.refused is not null or f.failed is not null then 'Failed' when f.open = 0 then 'Done'
    when f.begun < $2::timestamptz - make_interval(hours => $4) then 'Failed' end as outcome
  from facts f
), moved as (
  update campaign_device d set outcome = f.outcome, ended = $2, modified = $2,
    untried = f.outcome = 'Failed' and f.problem is null and f.refused is null and f.failed is null,
    reason = case f.outcome when 'Stopped' then 'The policy does not hold for the device any more.'
      when 'Failed' then coalesce(f.problem, f.refused, f.failed, 'The device did not answer.') end
  from found f where d.campaign_device_id = f.campaign_device_id and f.outcome is not null and d.ended is null
  returning d.tenant_id, d.campaign_device_id
)
${announced}`;

/** Sizes of rings with the devices that have joined since. */
const sizes = `with counted as (
  select c.campaign_id, jsonb_agg(e.ring || jsonb_build_object('devices', (select count(*) from campaign_device d where d.campaign_id = c.campaign_id and d.ring = e.at - 1)) order by e.at) as rings
  from campaign c cross join lateral jsonb_array_elements(c.rings) with ordinality e (ring, at)
  where c.campaign_id = any($1) and c.policy_id is not null group by c.campaign_id
), sized as (
  update campaign c set rings = n.rings, modified = $2, version = c.version + 1 from counted n where n.campaign_id = c.campaign_id and n.rings <> c.rings
  returning c.tenant_id, c.campaign_id
)
${changed(campaigns, 'update', 'sized', '$3')}`;

/** Follows the devices of campaigns that change policies. */
export async function followPolicyDevices(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  // A device that joined while its ring began, and a job that was lost.
  await eachApart(ids, async (id) => {
    const [left] = await ctx.db.query({ name: 'policy-rollout-unbegun', text: unbegun, values: [id] });
    if (left) await beginPolicyRing(ctx, id);
  });
  const at = ctx.now().toISOString();
  await ctx.db.query({ name: 'policy-rollout-judge', text: judge, values: [ids, at, ctx.correlationId, queuedRunHours] });
  await ctx.db.query({ name: 'policy-rollout-sizes', text: sizes, values: [ids, at, ctx.correlationId] });
}

const joining = `select r.campaign_id as "campaignId", c.rings, c.ring
from selection_member m join device_policy p on p.device_selection_id = m.device_selection_id and not p.is_deleted
join policy_rollout r on r.policy_id = p.policy_id and r.ended is null join campaign c on c.campaign_id = r.campaign_id and c.state = 'Running'
where m.device_id = $1 and rule_is_for(p.tenant_id, p.tenant_group_id, m.tenant_id)
  and not exists (select from campaign_device d where d.campaign_id = r.campaign_id and d.device_id = m.device_id)`;

interface JoinedRollout {
  campaignId: string;
  rings: CampaignRing[] | null;
  ring: number;
}

/** The part of 100 % at which the device stands in the order by which shares choose. */
const placeOf = (deviceId: string): number => (createHash('sha256').update(deviceId).digest().readUInt32BE() / 2 ** 32) * 100;

/** The ring of a device that was not there when the rings were made, by what they say. */
async function ringOfDevice(ctx: Ctx, rings: readonly CampaignRing[], tenantId: string, deviceId: string): Promise<number> {
  for (const [at, { share, filter }] of rings.entries()) {
    if (share === undefined && filter === undefined) return at;
    if (share !== undefined && placeOf(deviceId) < share) return at;
    if (filter !== undefined && (await devicesOf(ctx, { tenantId, filter, within: [deviceId] })).length > 0) return at;
  }
  return Math.max(0, rings.length - 1);
}

const join = `with moved as (
  insert into campaign_device (tenant_id, campaign_id, device_id, ring, outcome, is_own, begun)
  select $1, $2, $4, $5, case when $6 then 'Running' else 'Waiting' end, $6, case when $6 then $7::timestamptz end on conflict do nothing
  returning tenant_id, campaign_device_id
)
${changed(campaignDevices, 'create', 'moved', '$3')}`;

/**
 * Takes a device that a policy holds for since its new version began to go out into the ring where it belongs, before it is compared: in
 * the transaction of the comparison, so that it gets the version of its ring at once.
 */
export async function joinRollouts(ctx: Ctx, device: { deviceId: string; tenantId: string }): Promise<void> {
  const { deviceId, tenantId } = device;
  const rows = await ctx.db.query<JoinedRollout>({ name: 'policy-rollouts-joined', text: joining, values: [deviceId] });
  for (const { campaignId, rings, ring } of rows) {
    const at = await ringOfDevice(ctx, rings ?? [], tenantId, deviceId);
    const values = [tenantId, campaignId, ctx.correlationId, deviceId, at, at <= ring, ctx.now().toISOString()];
    await ctx.db.query({ name: 'policy-rollout-join', text: join, values });
  }
}
