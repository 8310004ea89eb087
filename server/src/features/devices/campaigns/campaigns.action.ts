/** Starts, stops and retries campaigns. What they do on each device, jobs do. */
import { sql } from 'kysely';
import { retryCampaign, startCampaign, stopCampaign } from '@cloudfit/contract/actions/devices.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import type { z } from 'zod';
import { campaignDevicesMax, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { list } from '../../../resources/list.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { setFields } from '../../../resources/update.ts';
import { servedDevices } from '../devices.served.ts';
import { beginCampaign, stopCampaignName } from './campaign.job.ts';
import { servedCampaigns } from './campaigns.served.ts';

type Start = z.infer<typeof startCampaign.input>;

interface Subject {
  title: string;
  packageId?: string;
}

/** What the campaign is about, of the tenant or of the installation. */
async function subjectOf(ctx: Ctx, { kind, tenantId, operationId, label, packageId, packageVersionId }: Start): Promise<Subject> {
  const missing = (target: string, what: string) => validationFailed([{ target, message: `${what} was not found.` }]);
  switch (kind) {
    case 'RunOperation': {
      const [operation] = await ctx.db.query<{ name: string }>({
        text: 'select name from operation where operation_id = $1 and not is_deleted and (tenant_id is null or tenant_id = $2)',
        values: [operationId, tenantId],
      });
      if (!operation) throw missing('operationId', 'Operation');
      return { title: `Run ${label ?? operation.name}` };
    }
    case 'InstallVersion': {
      const [match] = await ctx.db.query<{ name: string; version: string; package_id: string }>({
        text: `select p.name, v.version, p.package_id from package_version v join package p on p.package_id = v.package_id
          where v.package_version_id = $1 and (p.tenant_id is null or p.tenant_id = $2)`,
        values: [packageVersionId, tenantId],
      });
      if (!match || (packageId !== undefined && packageId !== match.package_id)) throw missing('packageVersionId', 'Version');
      return { title: `Install ${match.name} ${match.version}`, packageId: match.package_id };
    }
    case 'RemovePackage': {
      const [match] = await ctx.db.query<{ name: string; package_id: string }>({
        text: 'select name, package_id from package where package_id = $1 and (tenant_id is null or tenant_id = $2)',
        values: [packageId, tenantId],
      });
      if (!match) throw missing('packageId', 'Package');
      return { title: `Remove ${match.name}`, packageId: match.package_id };
    }
    case 'RestartAgent':
      return { title: 'Restart agent' };
  }
}

/** Ids in the order of the devices' names. */
async function devicesOf(ctx: Ctx, { tenantId, deviceIds, filter }: Start): Promise<string[]> {
  const inTenant = sql<boolean>`t.tenant_id = ${tenantId}::uuid`;
  const narrow = deviceIds ? sql<boolean>`${inTenant} and t.device_id = any(${deviceIds}::uuid[])` : inTenant;
  const query = `$orderby=name&$top=${campaignDevicesMax}&$count=true${filter === undefined ? '' : `&$filter=${encodeURIComponent(filter)}`}`;
  const { value, count = 0 } = await list(ctx, servedDevices, query, { narrow, select: ['deviceId'] });
  const ids = value.map((device) => device.deviceId);
  if (deviceIds) {
    const reachable = new Set(ids);
    const wrong = deviceIds.flatMap((id, index) =>
      reachable.has(id) ? [] : [{ target: `deviceIds.${index}`, message: 'Device was not found in this tenant.' }],
    );
    if (wrong.length > 0) throw validationFailed(wrong.slice(0, 100));
  } else if (count === 0) throw validationFailed([{ target: 'filter', message: 'The filter matches no device.' }]);
  else if (count > campaignDevicesMax) {
    const max = campaignDevicesMax.toLocaleString('en');
    throw validationFailed([
      { target: 'filter', message: `The filter matches ${count.toLocaleString('en')} devices; a campaign has at most ${max}.` },
    ]);
  }
  return ids;
}

const insertDevices = `with added as (
  insert into campaign_device (tenant_id, campaign_id, device_id) select $1, $2, id from unnest($3::uuid[]) with ordinality as d (id, n) order by n
  returning campaign_device_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id) select $1, 'create', 'campaignDevices', campaign_device_id::text, $4 from added`;

const start = implement(startCampaign, (ctx, input) =>
  inTransaction(ctx, async (ctx): Promise<Row<typeof campaigns>> => {
    const { tenantId, kind } = input;
    requirePermission(ctx, 'Devices', 'edit', tenantId);
    const { title, packageId = null } = await subjectOf(ctx, input);
    const ids = await devicesOf(ctx, input);
    const operationId = kind === 'RunOperation' ? (input.operationId ?? null) : null;
    const label = kind === 'RunOperation' ? (input.label ?? null) : null;
    const versionId = kind === 'InstallVersion' ? (input.packageVersionId ?? null) : null;
    const write = sql`insert into campaign (tenant_id, title, kind, operation_id, label, package_id, package_version_id, total, waiting, created_by, owner_kind, owner_id, correlation_id)
      values (${tenantId}, ${title}, ${kind}, ${operationId}, ${label}, ${packageId}, ${versionId}, ${ids.length}, ${ids.length}, ${actorName(ctx)}, ${ctx.actor.kind}, ${ctx.actor.id}, ${ctx.correlationId}) returning *`;
    const campaign = await writeRecorded(ctx, servedCampaigns, 'create', write, null);
    if (!campaign) throw new Error('An insert answers its row.');
    await ctx.db.query({ text: insertDevices, values: [tenantId, campaign.campaignId, ids, ctx.correlationId] });
    await beginCampaign(ctx, campaign.campaignId, tenantId);
    return campaign;
  }),
);

const stop = implement(stopCampaign, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    let stops = false;
    const campaign = await setFields(ctx, servedCampaigns, id, ({ state }): RowInput<typeof campaigns> => {
      stops = state === 'Running';
      return stops ? { state: 'Stopping' } : {};
    });
    if (stops)
      await enqueue(ctx.db, {
        name: stopCampaignName,
        payload: { id, by: actorName(ctx) },
        tenantId: campaign.tenantId,
        correlationId: ctx.correlationId,
      });
    return campaign;
  }),
);

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
      ended: null,
      waiting: waiting + again.length,
      failed: Math.max(0, failed - again.length),
    }));
    await beginCampaign(ctx, id, campaign.tenantId);
    return campaign;
  }),
);

export const campaignActions: readonly Implemented[] = [start, stop, retry];
