/** Compares the devices that changed with their policies: a job for each tenant, so that no tenant waits for another one's devices. */
import { z } from 'zod';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { policyItems } from '@cloudfit/contract/resources/policies.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Database } from '../../db/connection.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { defineJob, type Job } from '../../jobs/job.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { joinRollouts } from '../campaigns/policy-rollout.ts';
import { applyPolicies } from './apply-device.ts';
import { requestChecksOfEnded } from './checks.ts';

const name = 'apply-policies';

/** How long one job works; then others have their turn, and the next job of the tenant follows within a second. */
const turnMs = 10_000;
const devicesAtOnce = 4;

const dueText = `select device_id as id, number::text as number from policy_check where tenant_id = $1 and due <= now() order by due, device_id limit $2`;

interface DueDevice {
  id: string;
  number: string;
}

/** What is asked of the device again while the work goes on has another number, and stays. */
const done = 'delete from policy_check where device_id = $1 and number = $2::text::bigint';

/** After a failure the device waits, longer each time up to an hour, and keeps the others from nothing. */
const failed = `update policy_check set attempts = attempts + 1, problem = $3, due = now() + make_interval(secs => least(3600, 5 * power(2, least(attempts, 12))))
where device_id = $1 and number = $2::text::bigint`;

const goneText = 'select is_deleted or tenant_id <> $2 as "isGone" from device where device_id = $1';

const forgetText = `with gone as (
  delete from policy_item i using device d where i.device_id = $1 and d.device_id = i.device_id and d.is_deleted returning i.tenant_id, i.policy_item_id
)
${changed(policyItems, 'delete', 'gone', '$2')}`;

/** Removes what is stored of a device that was deleted; one that moved is compared in its new tenant. */
async function forget(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.query({ name: 'policy-items-forget', text: forgetText, values: [id, ctx.correlationId] });
}

async function compare(ctx: Ctx, tenantId: string, { id, number }: DueDevice): Promise<void> {
  try {
    await inTransaction(ctx, async (ctx) => {
      const [device] = await ctx.db.query<{ isGone: boolean }>({ name: 'policy-device-gone', text: goneText, values: [id, tenantId] });
      if (!device || device.isGone) await forget(ctx, id);
      else {
        await joinRollouts(ctx, { deviceId: id, tenantId });
        await applyPolicies(ctx, id);
      }
      await ctx.db.query({ name: 'policy-check-done', text: done, values: [id, number] });
    });
  } catch (error) {
    ctx.log.warn({ deviceId: id, problem: messageOf(error) }, 'The policies of a device could not be applied.');
    await ctx.db.query({ name: 'policy-check-failed', text: failed, values: [id, number, messageOf(error).slice(0, 1_000)] });
  }
}

export function applyPoliciesJob(database: Database): Job {
  return defineJob({
    name,
    schema: z.object({ tenantId: z.uuid() }),
    run: async ({ log, correlationId }, { tenantId }) => {
      const ctx = systemCtx({ database, log, name: 'Policies', tenants: [tenantId], correlationId });
      const end = Date.now() + turnMs;
      while (Date.now() < end) {
        const due = await ctx.db.query<DueDevice>({ name: 'policy-devices-due', text: dueText, values: [tenantId, devicesAtOnce] });
        if (due.length === 0) return;
        await Promise.all(due.map((device) => compare(ctx, tenantId, device)));
      }
    },
  });
}

const tenantsText = 'select distinct tenant_id as id from policy_check where due <= now() order by 1';

/** A job that has failed for good keeps its key, and would otherwise keep all that follow from being queued. */
const keyMs = 600_000;

/** Queues a job for each tenant with devices that are due, unless one is queued. */
export const policyWork: Periodic = {
  name: 'policy-devices',
  everyMs: 1_000,
  run: async (db) => {
    await requestChecksOfEnded(db);
    const tenants = await db.query<{ id: string }>({ name: 'policy-tenants-due', text: tenantsText });
    await enqueueAll(
      db,
      tenants.map(({ id }) => ({
        name,
        payload: { tenantId: id },
        tenantId: id,
        correlationId: crypto.randomUUID(),
        onceKey: `${name} ${id} ${Math.floor(Date.now() / keyMs)}`,
      })),
    );
  },
};
