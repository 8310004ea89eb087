/** Jobs that begin and stop the work of a campaign on its devices, so that no request waits for that work. */
import { z } from 'zod';
import { isVersionKind } from '@cloudfit/contract/enums.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import { campaignDevices, returnedKinds, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { defineJob, type Job } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import { get } from '../../resources/get.ts';
import { setFields } from '../../resources/update.ts';
import { beginNext, noteOutcomes } from './begin.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { ownerOf } from './owner.ts';
import { revertDevice } from './revert-device.ts';
import { beginPolicyRing, returnPolicy } from './policy-rollout.ts';
import { beginRuleRing, returnRule } from './rule-rollout.ts';
import { withdrawWork } from './withdraw-work.ts';

const beginName = 'begin-campaign';
const stopName = 'stop-campaign';

/**
 * The number of devices that one job begins; for more devices it queues another job, so that jobs of other tenants have their
 * turn. The job that stops a campaign handles all devices, and reads this many at a time.
 */
const chunk = 50;

export function beginCampaign(ctx: Ctx, id: string, tenantId: string | null): Promise<void> {
  return enqueue(ctx.db, { name: beginName, payload: { id, tenantId }, tenantId, correlationId: ctx.correlationId });
}

/**
 * Whether a campaign can be undone: by restoring the previous version, or by removing the operations that it added. A change of
 * a rule or a policy is undone so only before its end.
 */
export const mayReturn = ({ kind, ended }: Pick<Row<typeof campaigns>, 'kind' | 'ended'>) =>
  returnedKinds.includes(kind) && !(isVersionKind(kind) && ended !== null);

interface StopOptions {
  /** Stops the campaign only while this ring is the current one. */
  ring?: number;
  /** Undoes the campaign on the devices that it changed; without `ring`, also if the campaign has ended. */
  returns?: boolean;
}

/**
 * Requests the stop of a running campaign, or the undoing of an ended one if `returns` allows that; otherwise changes nothing.
 */
export function requestStop(
  ctx: Ctx,
  id: string,
  reason: string,
  { ring, returns = false }: StopOptions = {},
): Promise<Row<typeof campaigns>> {
  return inTransaction(ctx, async (ctx) => {
    let stops = false;
    let gives = false;
    const campaign = await setFields(ctx, servedCampaigns, id, (before): RowInput<typeof campaigns> => {
      // Stopping a change of a rule or a policy always restores the previous version on all devices.
      gives = (returns || isVersionKind(before.kind)) && mayReturn(before);
      stops = ring === undefined ? before.state === 'Running' || gives : before.state === 'Running' && before.ring === ring;
      return stops
        ? { state: 'Stopping', stopReason: reason, ringNote: null, ringUntil: null, pausedOn: null, pausedBy: null, ended: null }
        : {};
    });
    const tenantId = campaign.tenantId ?? null;
    const payload = { id, reason, returns: gives };
    if (stops) await enqueue(ctx.db, { name: stopName, payload, tenantId, correlationId: ctx.correlationId });
    return campaign;
  });
}

export async function stopForRights(ctx: Ctx, id: string): Promise<void> {
  const { createdBy, kind } = await get(ctx, servedCampaigns, id);
  const what = kind === 'ChangeRule' ? 'devices and rules' : 'devices';
  await requestStop(ctx, id, `${createdBy}, who started the campaign, may not edit ${what} of this tenant any more.`);
}

const left = 'select campaign_device_id as id from campaign_device where campaign_id = $1 and begun is null and ended is null';

export const beginCampaignJob: Job = defineJob({
  name: beginName,
  schema: z.object({ id: z.uuid(), tenantId: z.nullable(z.uuid()) }),
  run: async (ctx, { id, tenantId }) => {
    const owner = await ownerOf(ctx, id);
    if (!owner) return stopForRights(ctx, id);
    const { kind } = await get(ctx, servedCampaigns, id);
    if (kind === 'ChangeRule') return beginRuleRing(ctx, id);
    if (kind === 'ChangePolicy') return beginPolicyRing(ctx, id);
    for (let worked = 0; worked < chunk; worked += 1) if (!(await beginNext(ctx, owner, id))) return;
    await beginCampaign(ctx, id, tenantId);
  },
  onDeadLetter: async (ctx, { id }, error) => {
    const devices = await ctx.db.query<{ id: string }>({ text: left, values: [id] });
    await noteOutcomes(
      ctx,
      devices.map((device) => ({ id: device.id, outcome: 'Failed', reason: error, untried: true })),
    );
  },
});

// Ends up to 1,000 devices that have not begun. One change event covers all of them.
const stopUnbegun = `with stopped as (
  update campaign_device set outcome = 'Stopped', reason = $2, ended = $3::timestamptz, modified = $3
  where campaign_device_id = any(array(select campaign_device_id from campaign_device where campaign_id = $1 and begun is null and ended is null
    order by ring, campaign_device_id limit 1000 for update skip locked))
  returning tenant_id, campaign_device_id
), changed as (${changed(campaignDevices, 'update', '(select * from stopped limit 1) s', '$4')})
select count(*)::int as n from stopped`;

const after = `and ($2::uuid is null or campaign_device_id > $2) order by campaign_device_id limit $3`;
const waiting = `select campaign_device_id as id from campaign_device where campaign_id = $1 and ended is null and outcome = 'Waiting' ${after}`;
const touched = `select campaign_device_id as id from campaign_device where campaign_id = $1 and is_own and begun is not null
  and outcome in ('Running', 'Done', 'Failed') ${after}`;

/** Calls `work` for each device that the statement returns; each call has a separate transaction. */
async function forEachDevice(
  ctx: Ctx,
  id: string,
  text: typeof waiting | typeof touched,
  work: (id: string) => Promise<void>,
): Promise<void> {
  let last: string | null = null;
  for (;;) {
    const devices: { id: string }[] = await ctx.db.query<{ id: string }>({ text, values: [id, last, chunk] });
    for (const device of devices) await work(device.id);
    last = devices.at(-1)?.id ?? null;
    if (last === null) return;
  }
}

export const stopCampaignJob: Job = defineJob({
  name: stopName,
  schema: z.object({ id: z.uuid(), reason: z.string(), returns: z.boolean().default(false) }),
  run: async (ctx, { id, reason, returns }) => {
    const values = [id, reason, ctx.now().toISOString(), ctx.correlationId];
    for (;;) {
      const [stopped] = await ctx.db.query<{ n: number }>({ name: 'campaign-stop-unbegun', text: stopUnbegun, values });
      if (!stopped?.n) break;
    }
    await returnRule(ctx, id);
    await returnPolicy(ctx, id);
    await forEachDevice(ctx, id, waiting, (device) => withdrawWork(ctx, device, 'Stopped', reason));
    if (returns) await forEachDevice(ctx, id, touched, (device) => revertDevice(ctx, device));
  },
});
