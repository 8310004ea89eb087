/** Requests that devices are compared with their policies. */
import { policyExceptions } from '@cloudfit/contract/resources/policies.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
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

/** $3: one device; $4: the tenants in which the caller may have devices compared. */
const mending = `with asked as (
  insert into policy_check (device_id, tenant_id)
  select d.device_id, d.tenant_id from device d where not d.is_deleted and ($3::uuid is null or d.device_id = $3) and ($4::uuid[] is null or d.tenant_id = any($4::uuid[]))
    and d.device_id in (
      select device_id from policy_item where policy_id = $1
      union select device_id from selection_member where device_selection_id = $2)
  order by d.device_id ${again} returning device_id
)
select count(*)::int as devices from asked`;

/** For the devices of a policy, or one of them, now; returns how many. */
export async function requestMending(
  { db }: Ctx,
  policyId: string,
  selectionId: string | null,
  { deviceId, tenants }: { deviceId: string | null; tenants: readonly string[] | null },
): Promise<number> {
  const [row] = await db.query<{ devices: number }>({
    name: 'policy-checks-mending',
    text: mending,
    values: [policyId, selectionId, deviceId, tenants],
  });
  return row?.devices ?? 0;
}

const over = `with over as (
  update policy_exception set is_over = true where not is_over and until <= now() returning tenant_id, policy_exception_id, device_id
), noted as (
  ${changed(policyExceptions, 'update', 'over', '$1')}
)
insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id in (select device_id from over) order by d.device_id ${again}`;

/** For the devices whose exceptions have ended. */
export async function requestChecksOfEnded(db: Db): Promise<void> {
  await db.query({ name: 'policy-exceptions-over', text: over, values: [crypto.randomUUID()] });
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

const ofGroups = `insert into policy_check (device_id, tenant_id)
select d.device_id, d.tenant_id from device d where d.device_id in (
  select i.device_id from policy_item i join device_policy p on p.policy_id = i.policy_id where p.tenant_group_id = any($1::uuid[])
  union select m.device_id from selection_member m join device_policy p on p.device_selection_id = m.device_selection_id and not p.is_deleted
    where p.tenant_group_id = any($1::uuid[]))
order by d.device_id ${again}`;

/** For the devices of policies of these groups of tenants, which may be for other tenants now. */
export async function requestGroupChecks(db: Db, groupIds: readonly string[]): Promise<void> {
  await db.query({ name: 'policy-checks-of-groups', text: ofGroups, values: [groupIds] });
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
