/** Undoes a campaign on a device: restores the previous version, or removes the operations that the campaign has added. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { campaignDevices, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { get } from '../../resources/get.ts';
import { remove } from '../../resources/remove.ts';
import { update } from '../../resources/update.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { wishVersions } from '../../features/devices/installations/installations.action.ts';
import { servedDeviceOperations } from '../../features/devices/operations/device-operations.served.ts';
import { wishOf } from './begin.ts';

interface TouchedDevice {
  tenant_id: string;
  device_id: string;
  package_id: string | null;
  is_removal: boolean;
  added_operations: string[] | null;
  disabled_operations: string[] | null;
  wish_number: number | null;
  version_before: string | null;
}

// Locks the campaign before the device, in the same order as a retry, so that the two do not deadlock.
const lockCampaign = `select c.campaign_id from campaign c join campaign_device d on d.campaign_id = c.campaign_id where d.campaign_device_id = $1 for no key update of c`;

const touched = `select d.tenant_id, d.device_id, c.package_id, c.kind = 'RemovePackage' as is_removal, d.added_operations, d.disabled_operations, d.wish_number, d.version_before
  from campaign_device d join campaign c on c.campaign_id = d.campaign_id
  where d.campaign_device_id = $1 and d.is_own and d.begun is not null and d.outcome in ('Running', 'Done', 'Failed')
    and (c.package_id is not null or d.added_operations is not null) for update of d`;

// The reason of a failed installation stays in `reason`, before the new text.
const write = `with noted as (
  update campaign_device set outcome = $2, reason = nullif(concat_ws(' ', case when outcome = 'Failed' then reason end, $3::text), ''), wish_number = $4, begun = $5::timestamptz, ended = case when $2 in ('Failed', 'Returned') then $5::timestamptz end, modified = $5
  where campaign_device_id = $1 returning tenant_id, campaign_id, campaign_device_id
), reopened as (
  update campaign c set ended = null, state = 'Stopping', modified = $5, version = version + 1 from noted n
  where c.campaign_id = n.campaign_id and c.ended is not null returning c.tenant_id, c.campaign_id
), opened as (${changed(campaigns, 'update', 'reopened', '$6')})
${changed(campaignDevices, 'update', 'noted', '$6')}`;

// Only operations that still exist: somebody may have removed some since the campaign added them.
const present =
  'select device_operation_id as id from device_operation where device_operation_id = any($1) and device_id = $2 and not is_deleted';

async function removeOperations(ctx: Ctx, { added_operations: added, device_id }: TouchedDevice): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>({ name: 'campaign-added-operations', text: present, values: [added ?? [], device_id] });
  for (const { id } of rows) await remove(ctx, servedDeviceOperations, id);
}

async function enableAgain(ctx: Ctx, { disabled_operations: disabled, device_id }: TouchedDevice): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>({
    name: 'campaign-added-operations',
    text: present,
    values: [disabled ?? [], device_id],
  });
  for (const { id } of rows) await update(ctx, servedDeviceOperations, id, { enabled: true });
}

/**
 * Undoes the campaign on one device. Does nothing if somebody has chosen another version since the campaign, or if the device
 * is returning already.
 */
export function revertDevice(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await ctx.db.query({ name: 'campaign-of-device', text: lockCampaign, values: [id] });
    const [device] = await ctx.db.query<TouchedDevice>({ name: 'campaign-touched', text: touched, values: [id] });
    if (!device) return;
    const note = (outcome: 'Returning' | 'Returned' | 'Failed', reason: string | null, wish: number | null) =>
      ctx.db.query({
        name: 'campaign-returning',
        text: write,
        values: [id, outcome, reason, wish, ctx.now().toISOString(), ctx.correlationId],
      });
    try {
      const { tenantId } = await get(ctx, servedDevices, device.device_id, { lock: 'edit' });
      if (tenantId !== device.tenant_id) return;
      if (device.package_id === null) {
        await removeOperations(ctx, device);
        await note('Returned', null, null);
        return;
      }
      const present = await wishOf(ctx, device);
      // A package that the device has removed leaves no installation.
      const isRemoved = device.is_removal && present === undefined;
      if (!isRemoved && (present?.wish_number ?? null) !== device.wish_number) return;
      await wishVersions(ctx, device.device_id, [{ packageId: device.package_id, packageVersionId: device.version_before }], true);
      await enableAgain(ctx, device);
      await note('Returning', null, (await wishOf(ctx, device))?.wish_number ?? null);
    } catch (error) {
      // For example, the previous version was deleted. No statement of the transaction has failed, so the outcome can still be
      // written.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      await note(
        'Failed',
        `${device.package_id === null ? 'The operations cannot be removed' : 'The previous version cannot be restored'}: ${error.details[0]?.message ?? error.message}`,
        device.wish_number,
      );
    }
  });
}
