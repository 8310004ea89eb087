/** Gives a device the version back that it was to have before the campaign. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { get } from '../../../resources/get.ts';
import { servedDevices } from '../devices.served.ts';
import { wishVersions } from '../installations/installations.action.ts';
import { wishOf } from './begin.ts';

interface TouchedDevice {
  tenant_id: string;
  device_id: string;
  package_id: string;
  wish_number: number | null;
  version_before: string | null;
}

// Before the device, as a retry locks them.
const lockCampaign = `select c.campaign_id from campaign c join campaign_device d on d.campaign_id = c.campaign_id where d.campaign_device_id = $1 for no key update of c`;

const touched = `select d.tenant_id, d.device_id, c.package_id, d.wish_number, d.version_before
  from campaign_device d join campaign c on c.campaign_id = d.campaign_id
  where d.campaign_device_id = $1 and d.is_own and d.begun is not null and d.outcome in ('Running', 'Done', 'Failed') and c.package_id is not null for update of d`;

const write = `with noted as (
  update campaign_device set outcome = $2, reason = $3, wish_number = $4, begun = $5::timestamptz, ended = case when $2 = 'Failed' then $5::timestamptz end, modified = $5
  where campaign_device_id = $1 returning tenant_id, campaign_id, campaign_device_id
), reopened as (
  update campaign c set ended = null, state = 'Stopping', modified = $5, version = version + 1 from noted n
  where c.campaign_id = n.campaign_id and c.ended is not null
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'campaignDevices', campaign_device_id::text, $6 from noted`;

/** Nothing happens where somebody has chosen another version since. A second call finds that the device is returning. */
export function giveBack(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await ctx.db.query({ name: 'campaign-of-device', text: lockCampaign, values: [id] });
    const [device] = await ctx.db.query<TouchedDevice>({ name: 'campaign-touched', text: touched, values: [id] });
    if (!device) return;
    const note = (outcome: 'Returning' | 'Failed', reason: string | null, wish: number | null) =>
      ctx.db.query({
        name: 'campaign-returning',
        text: write,
        values: [id, outcome, reason, wish, ctx.now().toISOString(), ctx.correlationId],
      });
    try {
      const { tenantId } = await get(ctx, servedDevices, device.device_id, { lock: 'edit' });
      const present = await wishOf(ctx, device);
      if (tenantId !== device.tenant_id || (present?.wish_number ?? null) !== device.wish_number) return;
      await wishVersions(ctx, device.device_id, [{ packageId: device.package_id, packageVersionId: device.version_before }]);
      await note('Returning', null, (await wishOf(ctx, device))?.wish_number ?? null);
    } catch (error) {
      // The version before or the device was deleted; the statements that found that have not failed themselves.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      await note('Failed', `The version before cannot come back: ${error.details[0]?.message ?? error.message}`, device.wish_number);
    }
  });
}
