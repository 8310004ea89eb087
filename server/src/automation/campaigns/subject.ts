/** The subject of a campaign, and its devices. */
import { sql } from '../../db/sql.ts';
import type { CheckedCampaign } from '@cloudfit/contract/actions/devices.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { campaignDevicesMax } from '@cloudfit/contract/resources/campaigns.ts';
import { requirePermission, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { listKeys } from '../../resources/list.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { whyUntrusted } from '../../features/devices/installations/trust.ts';
import { servedDeviceOperations, type DeviceOperationRow } from '../../features/devices/operations/device-operations.served.ts';
import { definitionFault } from '../../features/devices/operations/from-definition.ts';
import type { CampaignSettings } from './edit-device.ts';
import { ruleChangeOf, type AskedChange } from './rule-rollout.ts';

export interface CampaignSubject {
  title: string;
  packageId?: string;
  ruleChange?: AskedChange;
  settings?: CampaignSettings;
}

/** Returns the subject of a campaign that copies operations, which must belong to devices of the tenant. */
async function copiesOf(ctx: Ctx, tenantId: string, ids: readonly string[]): Promise<CampaignSubject> {
  requirePermission(ctx, 'Devices', 'create', tenantId);
  const sources: DeviceOperationRow[] = [];
  for (const [index, id] of ids.entries()) {
    const source = await get(ctx, servedDeviceOperations, id).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'NotFound') throw error;
    });
    if (source?.tenantId !== tenantId)
      throw validationFailed([{ target: `deviceOperationIds.${index}`, message: 'Device operation was not found in this tenant.' }]);
    sources.push(source);
  }
  const [first] = sources;
  const what = sources.length === 1 && first ? first.label : `${sources.length} operations`;
  return { title: `Add ${what}`, settings: { deviceOperationIds: [...ids] } };
}

async function placeOf(ctx: Ctx, { tenantId, locationId, subscriptionId }: CheckedCampaign): Promise<CampaignSubject> {
  const [place] = await ctx.db.query<{ location: string | null; subscription: string | null }>({
    text: `select (select name from location where location_id = $2 and (tenant_id is null or tenant_id = $1)) as location,
      (select name from subscription where subscription_id = $3 and tenant_id = $1) as subscription`,
    values: [tenantId, locationId ?? null, subscriptionId ?? null],
  });
  const errors = [
    ...(locationId && !place?.location ? [{ target: 'locationId', message: 'Location was not found in this tenant.' }] : []),
    ...(subscriptionId && !place?.subscription
      ? [{ target: 'subscriptionId', message: 'Subscription was not found in this tenant.' }]
      : []),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  const to = [locationId === null ? 'no location' : place?.location, place?.subscription].filter(Boolean).join(', ');
  return {
    title: `Move to ${to}`,
    settings: { ...(locationId === undefined ? {} : { locationId }), ...(subscriptionId === undefined ? {} : { subscriptionId }) },
  };
}

function tagsOf({ addTags = [], removeTags = [] }: CheckedCampaign): CampaignSubject {
  const parts = [
    ...(addTags.length > 0 ? [`add ${addTags.join(', ')}`] : []),
    ...(removeTags.length > 0 ? [`remove ${removeTags.join(', ')}`] : []),
  ];
  return { title: `Tags: ${parts.join('; ')}`, settings: { addTags, removeTags } };
}

/** Returns the subject of the campaign; throws 400 if a campaign of the tenant cannot have it. */
export async function subjectOf(ctx: Ctx, input: CheckedCampaign): Promise<CampaignSubject> {
  const {
    kind,
    tenantId,
    operationId,
    label,
    packageId,
    packageVersionId,
    traceMinutes = 0,
    addMissing = false,
    disableOperations = false,
  } = input;
  const missing = (target: string, what: string) => validationFailed([{ target, message: `${what} was not found.` }]);
  switch (kind) {
    case 'RunOperation': {
      const [operation] = await ctx.db.query<{ name: string }>({
        text: 'select name from operation where operation_id = $1 and not is_deleted and (tenant_id is null or tenant_id = $2)',
        values: [operationId, tenantId],
      });
      if (!operation) throw missing('operationId', 'Operation');
      if (!addMissing) return { title: `Run ${label ?? operation.name}` };
      requirePermission(ctx, 'Devices', 'create', tenantId);
      const problem = await definitionFault(ctx, operationId ?? '');
      if (problem !== undefined) throw validationFailed([{ target: 'addMissing', message: problem }]);
      return { title: `Run ${label ?? operation.name}`, settings: { addMissing } };
    }
    case 'InstallVersion': {
      const [match] = await ctx.db.query<{ name: string; version: string; package_id: string }>({
        text: `select p.name, v.version, p.package_id from package_version v join package p on p.package_id = v.package_id
          where v.package_version_id = $1 and (p.tenant_id is null or p.tenant_id = $2)`,
        values: [packageVersionId, tenantId],
      });
      if (!match || (packageId !== undefined && packageId !== match.package_id)) throw missing('packageVersionId', 'Version');
      const reason = (await whyUntrusted(ctx, tenantId, [packageVersionId ?? ''])).get(packageVersionId ?? '');
      if (reason !== undefined) throw validationFailed([{ target: 'packageVersionId', message: reason }]);
      return { title: `Install ${match.name} ${match.version}`, packageId: match.package_id };
    }
    case 'RemovePackage': {
      const [match] = await ctx.db.query<{ name: string; package_id: string }>({
        text: 'select name, package_id from package where package_id = $1 and (tenant_id is null or tenant_id = $2)',
        values: [packageId, tenantId],
      });
      if (!match) throw missing('packageId', 'Package');
      return { title: `Remove ${match.name}`, packageId: match.package_id, settings: { disableOperations } };
    }
    case 'RestartAgent':
      return { title: 'Restart agent' };
    case 'AddOperations':
      return copiesOf(ctx, tenantId, input.deviceOperationIds ?? []);
    case 'SetTracing':
      return { title: traceMinutes === 0 ? 'End tracing' : `Trace for ${traceMinutes} minutes`, settings: { traceMinutes } };
    case 'EditTags':
      return tagsOf(input);
    case 'Move':
      return placeOf(ctx, input);
    case 'ChangePolicy':
      throw validationFailed([{ target: 'kind', message: 'Roll a policy out by POST /v1/policies/rollOut.' }]);
    case 'ChangeRule': {
      const ruleChange = await ruleChangeOf(ctx, input);
      return { title: `${ruleChange.ruleId === null ? 'New rule' : 'Change rule'} ${ruleChange.name}`, ruleChange };
    }
  }
}

/** Returns the ids of the devices, in no particular order. */
export async function devicesOf(
  ctx: Ctx,
  {
    tenantId,
    deviceIds,
    filter,
    within,
  }: Pick<CheckedCampaign, 'deviceIds' | 'filter'> & { tenantId: string | null; within?: readonly string[] },
): Promise<string[]> {
  const inTenant = tenantId === null ? sql<boolean>`true` : sql<boolean>`t.tenant_id = ${tenantId}::uuid`;
  const ofThese = deviceIds ?? within;
  const narrow = ofThese ? sql<boolean>`${inTenant} and t.device_id = any(${ofThese}::uuid[])` : inTenant;
  const query = filter === undefined ? '' : `$filter=${encodeURIComponent(filter)}`;
  const { count, keys } = await listKeys(ctx, servedDevices, query, { narrow, max: campaignDevicesMax });
  if (deviceIds) {
    const reachable = new Set(keys);
    const errors = deviceIds.flatMap((id, index) =>
      reachable.has(id) ? [] : [{ target: `deviceIds.${index}`, message: 'Device was not found in this tenant.' }],
    );
    if (errors.length > 0) throw validationFailed(errors.slice(0, 100));
  } else if (count === 0 && !within) throw validationFailed([{ target: 'filter', message: 'The filter matches no device.' }]);
  else if (count > campaignDevicesMax) {
    const max = campaignDevicesMax.toLocaleString('en');
    throw validationFailed([
      { target: 'filter', message: `The filter matches ${count.toLocaleString('en')} devices; a campaign has at most ${max}.` },
    ]);
  }
  return keys;
}
