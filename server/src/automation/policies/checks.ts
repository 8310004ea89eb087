/** Requests that devices are compared with their policies. */
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';

const again = `on conflict (device_id) do update set number = policy_check.number + 1, due = excluded.due, attempts = 0, tenant_id = excluded.tenant_id`;

const ofDevices = `insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id = any($1::uuid[]) and (
  exists (select from policy_item i where i.device_id = d.device_id)
  or exists (select from selection_member m join device_policy p on p.device_selection_id = m.device_selection_id
    where m.device_id = d.device_id and not p.is_deleted
      and (p.enabled or exists (select from policy_rollout r where r.policy_id = p.policy_id and r.ended is null))))
order by d.device_id ${again}`;

/** For those of the devices that have something from a policy, or should. */
export async function requestChecks({ db }: { db: Db }, deviceIds: readonly string[]): Promise<void> {
  if (deviceIds.length > 0) await db.query({ name: 'policy-checks', text: ofDevices, values: [deviceIds] });
}

const ofPolicy = `insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id in (
  select device_id from policy_item where policy_id = $1
  union select device_id from selection_member where device_selection_id = any($2::uuid[]))
order by d.device_id ${again}`;

/** For all devices that a policy was or is for. */
export async function requestPolicyChecks(ctx: Ctx, policyId: string, selectionIds: readonly (string | null)[]): Promise<void> {
  await ctx.db.query({ name: 'policy-checks-of-policy', text: ofPolicy, values: [policyId, selectionIds.filter((id) => id !== null)] });
}

const ofCampaign = `insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id in (
  select device_id from campaign_device where campaign_id = $1 and is_own and ($2::timestamptz is null or begun = $2))
order by d.device_id ${again}`;

/** For the devices that a rollout has given its version; with `begun`, those of that moment. */
export async function requestCampaignChecks({ db }: { db: Db }, campaignId: string, begun: string | null): Promise<void> {
  await db.query({ name: 'policy-checks-of-campaign', text: ofCampaign, values: [campaignId, begun] });
}

const ofPackages = `insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id in (
  select i.device_id from policy_item i where i.kind = 'Package' and i.value ->> 'packageVersionId' is null)
order by d.device_id ${again}`;

/** For all devices that have the newest version of a package, which may be another one now. */
export async function requestPackageChecks(db: Db): Promise<void> {
  await db.query({ name: 'policy-checks-of-packages', text: ofPackages });
}

const ofAll = `insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id in (
  select device_id from policy_item
  union select m.device_id from selection_member m join device_policy p on p.device_selection_id = m.device_selection_id and not p.is_deleted
    and (p.enabled or exists (select from policy_rollout r where r.policy_id = p.policy_id and r.ended is null)))
order by d.device_id ${again}`;

/** For all devices that have something from a policy, or should. */
export async function requestAllChecks(db: Db): Promise<void> {
  await db.query({ name: 'policy-checks-of-all', text: ofAll });
}
