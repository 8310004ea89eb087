/** Begins a campaign on each of its devices, with the functions behind the actions that people take on one device. */
import { frequencyType, type CampaignKind, type CampaignOutcome } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { campaignDevices } from '@cloudfit/contract/resources/campaigns.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { get } from '../../resources/get.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { wishVersions } from '../../features/devices/installations/installations.action.ts';
import { addFromDefinition } from '../../features/devices/operations/from-definition.ts';
import { setQueued } from '../../features/devices/operations/device-operations.action.ts';
import { editDevice, type CampaignSettings } from './edit-device.ts';
import { requestRestart } from '../../features/devices/restart-flag.ts';

export interface CampaignDevice {
  id: string;
  tenant_id: string;
  device_id: string;
  begun: string | null;
  is_own: boolean;
  device_operation_id: string | null;
  run_id: string | null;
  wish_number: number | null;
  version_before: string | null;
  kind: CampaignKind;
  operation_id: string | null;
  label: string | null;
  package_id: string | null;
  package_version_id: string | null;
  settings: CampaignSettings | null;
}

export interface StartedWork {
  isOwn: boolean;
  deviceOperationId?: string;
  runId?: string | null;
  wishNumber?: number | null;
  versionBefore?: string | null;
  addedOperations?: string[];
  disabledOperations?: string[];
  /** Present if the device is done at once: a text says why, or what was done. */
  done?: string | null;
}

const fault = (message: string) => new ApiError('ValidationFailed', message);

interface Candidate {
  id: string;
  enabled: boolean;
  frequency: number;
  token: string | null;
}

async function giveRun(ctx: Ctx, device: CampaignDevice): Promise<StartedWork> {
  const { device_id, operation_id, label, settings } = device;
  // Locks the device first, so that two campaigns do not both add the operation.
  if (settings?.addMissing) await get(ctx, servedDevices, device_id, { lock: 'edit' });
  const all = await ctx.db.query<Candidate>({
    name: 'campaign-operations',
    text: `select device_operation_id as id, enabled, frequency_type_id as frequency, case when not operation_complete then completion_token end as token
      from device_operation where device_id = $1 and operation_id = $2 and ($3::text is null or label = $3) and not is_deleted for no key update`,
    values: [device_id, operation_id, label],
  });
  if (all.length === 0 && settings?.addMissing) {
    const id = await addFromDefinition(ctx, device_id, operation_id ?? '', label);
    return { isOwn: true, deviceOperationId: id, runId: (await setQueued(ctx, id, true)).completionToken, addedOperations: [id] };
  }
  if (all.length === 0) throw fault('The device does not have this operation.');
  const onDemand = all.filter((item) => item.frequency === frequencyType.onDemand);
  if (onDemand.length === 0) throw fault('The operation does not run on demand on this device.');
  const [only, second] = onDemand.filter((item) => item.enabled);
  if (!only) throw fault('The operation is disabled on this device.');
  if (second) throw fault('The device has this operation several times; name one by its label.');
  const row = await setQueued(ctx, only.id, true);
  return { isOwn: only.token === null, deviceOperationId: only.id, runId: row.completionToken };
}

interface PresentWish {
  wish_number: number;
  version: string | null;
}

export async function wishOf(
  ctx: Ctx,
  { device_id, package_id }: Pick<CampaignDevice, 'device_id' | 'package_id'>,
): Promise<PresentWish | undefined> {
  const [row] = await ctx.db.query<PresentWish>({
    name: 'campaign-wish',
    text: 'select wish_number, package_version_id as version from device_installation where device_id = $1 and package_id = $2',
    values: [device_id, package_id],
  });
  return row;
}

const needing = `select o.device_operation_id as id from device_operation o join operation c on c.operation_id = o.operation_id
  where o.device_id = $1 and c.package_id = $2 and o.enabled and not o.is_deleted order by o.device_operation_id`;

async function giveWish(ctx: Ctx, device: CampaignDevice): Promise<StartedWork> {
  const packageVersionId = device.kind === 'InstallVersion' ? device.package_version_id : null;
  // Locks the device before the wish is read, so that no other wish is saved in between.
  await get(ctx, servedDevices, device.device_id, { lock: 'edit' });
  const before = await wishOf(ctx, device);
  if (!before && packageVersionId === null) return { isOwn: false, done: 'The package was not installed.' };
  const disableOperations = packageVersionId === null && device.settings?.disableOperations === true;
  const disabled = disableOperations
    ? await ctx.db.query<{ id: string }>({ name: 'campaign-needing', text: needing, values: [device.device_id, device.package_id] })
    : [];
  await wishVersions(ctx, device.device_id, [{ packageId: device.package_id ?? '', packageVersionId, disableOperations }]);
  const wishNumber = (await wishOf(ctx, device))?.wish_number ?? null;
  return {
    isOwn: wishNumber !== (before?.wish_number ?? null),
    wishNumber,
    versionBefore: before?.version ?? null,
    disabledOperations: disabled.map(({ id }) => id),
  };
}

async function giveRestart(ctx: Ctx, { device_id }: CampaignDevice): Promise<StartedWork> {
  let isOwn = false;
  await requestRestart(ctx, device_id, (before) => {
    isOwn = !before.restartAgentFlag;
  });
  return { isOwn };
}

async function give(ctx: Ctx, device: CampaignDevice): Promise<StartedWork> {
  const [state] = await ctx.db.query<{ enabled: boolean; is_deleted: boolean; tenant_id: string }>({
    name: 'campaign-device-state',
    text: 'select enabled, is_deleted, tenant_id from device where device_id = $1',
    values: [device.device_id],
  });
  if (!state || state.is_deleted) throw fault('The device was deleted.');
  if (state.tenant_id !== device.tenant_id) throw fault('The device has moved to another tenant.');
  if (!state.enabled) throw fault('The device is disabled.');
  switch (device.kind) {
    case 'RunOperation':
      return giveRun(ctx, device);
    case 'InstallVersion':
    case 'RemovePackage':
      return giveWish(ctx, device);
    case 'RestartAgent':
      return giveRestart(ctx, device);
    default: {
      const { done, added } = await editDevice(ctx, device.kind, device.device_id, device.settings ?? {});
      return { isOwn: added === undefined || added.length > 0, done, ...(added ? { addedOperations: added } : {}) };
    }
  }
}

const columns = `d.campaign_device_id as id, d.tenant_id, d.device_id, d.begun, d.is_own, d.device_operation_id, d.run_id, d.wish_number, d.version_before,
  c.kind, c.operation_id, c.label, c.package_id, c.package_version_id, c.settings
  from campaign_device d join campaign c on c.campaign_id = d.campaign_id`;

const next = `select ${columns} where d.campaign_id = $1 and d.begun is null and d.ended is null and c.state = 'Running' and c.paused_on is null and d.ring <= c.ring
  order by d.ring, d.campaign_device_id limit 1 for update of d skip locked`;

const locked = `select ${columns} where d.campaign_device_id = $1 and d.ended is null for update of d`;

/** Returns the device of a campaign with this id, locked, if it has not ended. */
export async function lockDevice(ctx: Ctx, id: string): Promise<CampaignDevice | undefined> {
  const [device] = await ctx.db.query<CampaignDevice>({ name: 'campaign-device-locked', text: locked, values: [id] });
  return device;
}

export interface DeviceOutcome {
  id: string;
  outcome: CampaignOutcome;
  reason: string | null;
  /** Whether the device failed without having been tried. */
  untried?: boolean | undefined;
}

const note = `with noted as (
  update campaign_device d set outcome = g.outcome, reason = g.reason, untried = coalesce(g.untried, false), modified = $2,
    begun = coalesce(d.begun, $2::timestamptz), ended = case when g.outcome in ('Done', 'Failed', 'Stopped', 'Returned') then $2::timestamptz end
  from json_to_recordset($1::json) as g (id uuid, outcome text, reason text, untried boolean) where d.campaign_device_id = g.id and d.ended is null
  returning d.tenant_id, d.campaign_device_id
)
${changed(campaignDevices, 'update', 'noted', '$3')}`;

/** Writes outcomes, except for devices that have already ended. */
export async function noteOutcomes(ctx: Ctx, outcomes: readonly DeviceOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await ctx.db.query({
    name: 'campaign-outcomes',
    text: note,
    values: [JSON.stringify(outcomes), ctx.now().toISOString(), ctx.correlationId],
  });
}

const mark = `with marked as (
  update campaign_device set begun = $2, is_own = $3, device_operation_id = $4, run_id = $5, wish_number = $6, version_before = $7, added_operations = $8, disabled_operations = $10, modified = $2 where campaign_device_id = $1
  returning tenant_id, campaign_device_id
)
${changed(campaignDevices, 'update', 'marked', '$9')}`;

/**
 * Begins the work on one device that has not begun, and records that in the same transaction: after a kill, either both or
 * neither happened. Returns false if no device may begin now, apart from those that other workers have locked. `owner` is the
 * actor and the permissions of the person or token that started the campaign.
 */
export async function beginNext(ctx: Ctx, owner: Pick<Ctx, 'actor' | 'permissions'>, campaignId: string): Promise<boolean> {
  let device: CampaignDevice | undefined;
  try {
    await inTransaction(ctx, async (ctx) => {
      [device] = await ctx.db.query<CampaignDevice>({ name: 'campaign-next', text: next, values: [campaignId] });
      if (!device) return;
      const started = await give({ ...ctx, ...owner }, device);
      const {
        isOwn,
        deviceOperationId = null,
        runId = null,
        wishNumber = null,
        versionBefore = null,
        addedOperations = null,
        disabledOperations = null,
        done,
      } = started;
      await ctx.db.query({
        name: 'campaign-begun',
        text: mark,
        values: [
          device.id,
          ctx.now().toISOString(),
          isOwn,
          deviceOperationId,
          runId,
          wishNumber,
          versionBefore,
          addedOperations,
          ctx.correlationId,
          disabledOperations,
        ],
      });
      if (done !== undefined) await noteOutcomes(ctx, [{ id: device.id, outcome: 'Done', reason: done }]);
    });
  } catch (error) {
    // An error that a person would see for this one device ends the device; after any other error the job retries.
    if (!device || !(error instanceof ApiError) || error.status >= 500) throw error;
    await noteOutcomes(ctx, [{ id: device.id, outcome: 'Failed', reason: error.details[0]?.message ?? error.message, untried: true }]);
  }
  return device !== undefined;
}
