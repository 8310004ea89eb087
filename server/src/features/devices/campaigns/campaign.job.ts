/** Works the devices of a campaign in chunks, so that one campaign holds neither a request nor a worker for long. */
import { z } from 'zod';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { defineJob, type Job } from '../../../jobs/job.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { get } from '../../../resources/get.ts';
import { setFields } from '../../../resources/update.ts';
import { beginNext, noteOutcomes } from './begin.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { ownerOf } from './owner.ts';
import { takeBack } from './take-back.ts';

const beginName = 'begin-campaign';
const stopName = 'stop-campaign';

/** Devices of one job; the next job of the campaign takes its turn with those of other tenants. */
const chunk = 50;

export function beginCampaign(ctx: Ctx, id: string, tenantId: string | null): Promise<void> {
  return enqueue(ctx.db, { name: beginName, payload: { id, tenantId }, tenantId, correlationId: ctx.correlationId });
}

/** Asks a running campaign to stop; another one stays as it is. */
export function requestStop(ctx: Ctx, id: string, reason: string): Promise<Row<typeof campaigns>> {
  return inTransaction(ctx, async (ctx) => {
    let stops = false;
    const campaign = await setFields(ctx, servedCampaigns, id, ({ state }): RowInput<typeof campaigns> => {
      stops = state === 'Running';
      return stops ? { state: 'Stopping', stopReason: reason } : {};
    });
    const { tenantId } = campaign;
    if (stops) await enqueue(ctx.db, { name: stopName, payload: { id, reason }, tenantId, correlationId: ctx.correlationId });
    return campaign;
  });
}

async function stopForRights(ctx: Ctx, id: string): Promise<void> {
  const { createdBy } = await get(ctx, servedCampaigns, id);
  await requestStop(ctx, id, `${createdBy}, who started the campaign, may not edit devices of this tenant any more.`);
}

const left = 'select campaign_device_id as id from campaign_device where campaign_id = $1 and begun is null and ended is null';

export const beginCampaignJob: Job = defineJob({
  name: beginName,
  schema: z.object({ id: z.uuid(), tenantId: z.nullable(z.uuid()) }),
  run: async (ctx, { id, tenantId }) => {
    const owner = await ownerOf(ctx, id);
    if (!owner) return stopForRights(ctx, id);
    for (let worked = 0; worked < chunk; worked += 1) if (!(await beginNext(ctx, owner, id))) return;
    await beginCampaign(ctx, id, tenantId);
  },
  onDeadLetter: async (ctx, { id }, error) => {
    const devices = await ctx.db.query<{ id: string }>({ text: left, values: [id] });
    await noteOutcomes(
      ctx,
      devices.map((device) => ({ id: device.id, outcome: 'Failed', reason: error })),
    );
  },
});

const waiting = `select campaign_device_id as id from campaign_device where campaign_id = $1 and ended is null and outcome = 'Waiting'
  and ($2::uuid is null or campaign_device_id > $2) order by campaign_device_id limit $3`;

export const stopCampaignJob: Job = defineJob({
  name: stopName,
  schema: z.object({ id: z.uuid(), reason: z.string() }),
  run: async (ctx, { id, reason }) => {
    let after: string | null = null;
    for (;;) {
      const devices: { id: string }[] = await ctx.db.query<{ id: string }>({ text: waiting, values: [id, after, chunk] });
      for (const device of devices) await takeBack(ctx, device.id, 'Stopped', reason);
      after = devices.at(-1)?.id ?? null;
      if (after === null) return;
    }
  },
});
