/** Before a campaign is started: what it can run or install, and what it would do on its devices. */
import type { CampaignChoices, CampaignPreview, CheckedCampaign } from '@cloudfit/contract/actions/devices.ts';
import { parameterSource } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { CampaignSubject } from './subject.ts';

const operationsOf = `with present as (
    select o.operation_id, count(distinct o.device_id)::int as devices, coalesce(array_agg(distinct o.label) filter (where o.times > 1), '{}') as labels
    from (
      select operation_id, device_id, label, count(*) over (partition by device_id, operation_id) as times
      from device_operation where device_id = any($1) and enabled and frequency_type_id = 1 and not is_deleted
    ) o group by o.operation_id
  )
  select c.operation_id as "operationId", c.name, p.name as "packageName", coalesce(n.devices, 0) as devices, coalesce(n.labels, '{}') as labels, s.addable
  from operation c join package p on p.package_id = c.package_id left join present n on n.operation_id = c.operation_id
  cross join lateral (select not c.is_deleted and c.frequency_definitions @> '[1]' and not exists (
    select from jsonb_array_elements(c.parameter_definitions) x
    where (x ->> 'Required')::boolean and (coalesce(x ->> 'DefaultValue', '') = '' or (x ->> 'Source')::int = $3)) as addable) s
  where n.devices > 0 or s.addable and (c.tenant_id is null or c.tenant_id = $2) order by devices desc, c.name collate natural_order, c.operation_id`;

const packagesOf = `with installed as (
    select package_id, installed_version_id, count(*)::int as n from device_installation where device_id = any($1) and installed_version_id is not null
    group by package_id, installed_version_id
  )
  select p.package_id as "packageId", p.name, coalesce((select sum(n)::int from installed i where i.package_id = p.package_id), 0) as devices,
    json_agg(json_build_object('packageVersionId', v.package_version_id, 'version', v.version,
      'devices', coalesce((select sum(n)::int from installed i where i.installed_version_id = v.package_version_id), 0)) order by v.precedence desc) as versions
  from package p join package_version v on v.package_id = p.package_id
  where p.tenant_id is null or p.tenant_id = $2 group by p.package_id, p.name order by p.name collate natural_order, p.package_id`;

export async function choicesOf(ctx: Ctx, tenantId: string, deviceIds: readonly string[]): Promise<CampaignChoices> {
  const operations = await ctx.db.query<CampaignChoices['operations'][number]>({
    name: 'campaign-choice-operations',
    text: operationsOf,
    values: [deviceIds, tenantId, parameterSource.securedValue],
  });
  const packages = await ctx.db.query<CampaignChoices['packages'][number]>({
    name: 'campaign-choice-packages',
    text: packagesOf,
    values: [deviceIds, tenantId],
  });
  return { operations, packages };
}

/** Whether a device has sent nothing for five minutes and so counts as offline, as in the list of devices. */
const offline = `(k.timestamp is null or k.timestamp < now() - interval '5 minutes')`;

const numbers = `select count(*)::int as total, count(*) filter (where not d.enabled)::int as disabled,
    count(*) filter (where d.enabled and $2 in ('RunOperation', 'InstallVersion', 'RemovePackage', 'RestartAgent') and ${offline} and not s.already and s.able)::int as offline,
    count(*) filter (where d.enabled and s.already)::int as already, count(*) filter (where d.enabled and not s.already and not s.able)::int as unable,
    count(*) filter (where d.enabled and not s.already and n.is_needed)::int as needed
  from device d left join latest_packet k on k.entity_id = d.device_id
  left join device_installation i on i.device_id = d.device_id and i.package_id = $3
  left join package_version v on v.package_version_id = $4
  cross join lateral (select $2 = 'RemovePackage' and exists (select from device_operation o join operation c on c.operation_id = o.operation_id
      where o.device_id = d.device_id and c.package_id = $3 and o.enabled and not o.is_deleted) as is_needed) n
  cross join lateral (
    select case $2 when 'RestartAgent' then d.restart_agent_flag
        when 'RemovePackage' then i.device_id is null
        when 'InstallVersion' then coalesce(i.installed_version_id = $4 and i.package_version_id = $4, false)
        when 'AddOperations' then not exists (select from device_operation o where o.device_operation_id = any($7)
          and not exists (select from device_operation h where h.device_id = d.device_id and h.operation_id = o.operation_id and lower(h.label) = lower(o.label) and not h.is_deleted))
        when 'Move' then ($8::jsonb -> 'locationId' is null or to_jsonb(d.location_id) is not distinct from nullif($8::jsonb -> 'locationId', 'null'))
          and ($8::jsonb ->> 'subscriptionId' is null or d.subscription_id = ($8::jsonb ->> 'subscriptionId')::uuid)
        when 'RunOperation' then exists (select from device_operation o where o.device_id = d.device_id and o.operation_id = $5 and ($6::text is null or o.label = $6)
          and not o.is_deleted and not o.operation_complete and o.completion_token is not null) else false end as already,
      case $2 when 'RunOperation' then (select count(*) from device_operation o where o.device_id = d.device_id and o.operation_id = $5
          and ($6::text is null or o.label = $6) and o.enabled and o.frequency_type_id = 1 and not o.is_deleted) = 1
          or coalesce(($8::jsonb ->> 'addMissing')::boolean, false) and not exists (select from device_operation o where o.device_id = d.device_id and o.operation_id = $5
            and ($6::text is null or o.label = $6) and not o.is_deleted)
          and exists (select from operation o join package p on p.package_id = o.package_id
            where o.operation_id = $5 and (p.operating_system_rids_id in (0, 7) or p.operating_system_rids_id & d.operating_system_id <> 0))
        when 'InstallVersion' then v.operating_system_rids_id in (0, 7) or v.operating_system_rids_id & d.operating_system_id <> 0
        when 'RemovePackage' then not n.is_needed or coalesce(($8::jsonb ->> 'disableOperations')::boolean, false)
        else true end as able
  ) s
  where d.device_id = any($1)`;

export async function previewOf(
  ctx: Ctx,
  input: CheckedCampaign,
  { packageId, settings = {} }: Pick<CampaignSubject, 'packageId' | 'settings'>,
  deviceIds: readonly string[],
): Promise<CampaignPreview> {
  const { kind, packageVersionId = null, operationId = null, label = null } = input;
  const [row] = await ctx.db.query<CampaignPreview>({
    name: 'campaign-preview',
    text: numbers,
    values: [
      deviceIds,
      kind,
      packageId ?? null,
      packageVersionId,
      operationId,
      label,
      settings.deviceOperationIds ?? [],
      JSON.stringify(settings),
    ],
  });
  if (!row) throw new Error('A count answers a row.');
  return row;
}
