/**
 * Keeps outcomes and counts of campaigns. A periodic job does it within a second, and not the transactions of the agents' reports:
 * a run ends by a report, by its expiry, by a dequeue or a deletion, a wish by a report or by another wish, a restart by a start of the
 * agent or by an edit. Here they meet in one place, and no report waits for a campaign.
 */
import type { Logger } from 'pino';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import { expiredText } from '../operations/expire-requests.ts';
import { noteOutcomes, type DeviceOutcome } from './begin.ts';
import { outcomeOf, type CampaignFacts } from './outcome.rules.ts';
import { takeBack } from './take-back.ts';

interface OpenDevice extends CampaignFacts {
  id: string;
  outcome: DeviceOutcome['outcome'];
  reason: string | null;
}

// Whoever begins a device or takes it back has it locked; it is looked at in the next round.
const open = `select d.campaign_device_id as id, d.outcome, d.reason, d.begun, c.kind, v.is_deleted or v.tenant_id <> d.tenant_id as "isGone",
    v.restart_agent_flag as "restartIsAsked",
    case when r.operation_run_id is not null then json_build_object('status', r.status, 'message', r.message) end as run,
    case when i.device_installation_id is not null then json_build_object('status', i.install_status, 'detail', i.status_detail,
      'changed', i.status_changed, 'isOurWish', i.wish_number is not distinct from d.wish_number) end as installation
  from campaign_device d join campaign c on c.campaign_id = d.campaign_id join device v on v.device_id = d.device_id
  left join operation_run r on r.operation_run_id = d.run_id
  left join device_installation i on i.device_id = d.device_id and i.package_id = c.package_id
  where d.ended is null and d.begun is not null for update of d skip locked`;

const countsOf = `select campaign_id from campaign where ended is null order by campaign_id for update skip locked`;

// A statement of its own after the lock, so that it sees what was committed before the lock was given.
const count = `with counted as (
  select campaign_id, count(*) filter (where outcome = 'Waiting') as waiting, count(*) filter (where outcome = 'Running') as running,
    count(*) filter (where outcome = 'Done') as done, count(*) filter (where outcome = 'Failed') as failed,
    count(*) filter (where outcome = 'Stopped') as stopped, count(*) filter (where ended is null) as open
  from campaign_device where campaign_id = any($1) group by campaign_id
), written as (
  update campaign c set waiting = n.waiting, running = n.running, done = n.done, failed = n.failed, stopped = n.stopped,
    state = case when n.open > 0 then c.state when c.state = 'Stopping' then 'Stopped' else 'Done' end,
    ended = case when n.open = 0 then $2::timestamptz end, modified = $2, version = c.version + 1
  from counted n where n.campaign_id = c.campaign_id
    and (n.open = 0 or (c.waiting, c.running, c.done, c.failed, c.stopped) is distinct from (n.waiting, n.running, n.done, n.failed, n.stopped))
  returning c.tenant_id, c.campaign_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'campaigns', campaign_id::text, $3 from written`;

export async function followCampaigns(ctx: Ctx): Promise<void> {
  const late = await inTransaction(ctx, async (ctx) => {
    const devices = await ctx.db.query<OpenDevice>({ name: 'campaign-devices-open', text: open });
    const expired: string[] = [];
    const news = devices.flatMap((device): DeviceOutcome[] => {
      const { outcome, reason, expires } = outcomeOf(device, ctx.now());
      if (expires) expired.push(device.id);
      return outcome === device.outcome && reason === device.reason ? [] : [{ id: device.id, outcome, reason }];
    });
    await noteOutcomes(ctx, news);
    return expired;
  });
  for (const id of late) await takeBack(ctx, id, 'Failed', expiredText);
  await inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db.query<{ campaign_id: string }>({ name: 'campaigns-open', text: countsOf });
    const ids = rows.map((row) => row.campaign_id);
    if (ids.length > 0)
      await ctx.db.query({ name: 'campaigns-count', text: count, values: [ids, ctx.now().toISOString(), ctx.correlationId] });
  });
}

export function followCampaignsWork(database: Database, log: Logger): Periodic {
  return { name: 'follow-campaigns', everyMs: 1_000, run: () => followCampaigns(systemCtx({ database, log, name: 'Automation' })) };
}
