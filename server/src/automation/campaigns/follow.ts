/**
 * Updates the outcomes and counts of campaigns. A periodic job does this, mostly every second, instead of the transactions of
 * the agents' reports: a run can end by a report, by its expiry, by a dequeue or a deletion; a wish by a report or by another
 * wish; a restart by a start of the agent or by an edit. One place handles them all, and no report waits for a campaign.
 */
import type { Logger } from 'pino';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { queuedRunHours } from '@cloudfit/contract/resources/device-operations.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Database } from '../../db/connection.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { expiredText } from '../../features/devices/operations/expire-requests.ts';
import { noteOutcomes, type DeviceOutcome } from './begin.ts';
import { outcomeOf, type CampaignFacts } from './outcome.rules.ts';
import { followRings } from './rings.ts';
import { followPolicyDevices } from './policy-rollout.ts';
import { judgeRuleDevices } from './rule-rollout.ts';
import { withdrawWork } from './withdraw-work.ts';

interface OpenDevice extends CampaignFacts {
  id: string;
}

const open = `select d.campaign_device_id as id, d.outcome, d.reason, d.begun, c.kind, v.is_deleted or v.tenant_id <> d.tenant_id as "isGone",
    v.restart_agent_flag as "restartIsAsked",
    case when r.operation_run_id is not null then json_build_object('status', r.status, 'message', r.message) end as run,
    case when i.device_installation_id is not null then json_build_object('status', i.install_status, 'detail', i.status_detail,
      'changed', i.status_changed, 'isOurWish', i.wish_number is not distinct from d.wish_number) end as installation
  from campaign_device d join campaign c on c.campaign_id = d.campaign_id join device v on v.device_id = d.device_id
  left join operation_run r on r.operation_run_id = d.run_id
  left join device_installation i on i.device_id = d.device_id and i.package_id = c.package_id
  where d.campaign_id = any($1) and d.ended is null and d.begun is not null and c.rule_id is null and c.policy_id is null`;

// Skips devices that still wait without a result, as most open devices do.
const withNews = `${open} and not (d.outcome = 'Waiting' and d.reason is null and d.begun > $2::timestamptz - make_interval(hours => $3)
  and not v.is_deleted and v.tenant_id = d.tenant_id and coalesce(case c.kind when 'RunOperation' then r.status = 'Queued' when 'RestartAgent' then v.restart_agent_flag
    else i.wish_number = d.wish_number and i.install_status like '%Pending' end, false))`;

// Skips devices that another transaction has locked to begin or undo them; the next round checks them.
const lockOpen = `${open} and d.campaign_device_id = any($2) for update of d skip locked`;

interface DeviceOutcomes {
  news: DeviceOutcome[];
  /** Devices whose time to answer is over. */
  late: string[];
}

function newsOf(devices: readonly OpenDevice[], now: Date): DeviceOutcomes {
  const late: string[] = [];
  const news = devices.flatMap((device): DeviceOutcome[] => {
    const { outcome, reason, expires, untried } = outcomeOf(device, now);
    if (expires) late.push(device.id);
    return outcome === device.outcome && reason === device.reason ? [] : [{ id: device.id, outcome, reason, untried }];
  });
  return { news, late };
}

const counted = `select campaign_id, count(*) as total, count(*) filter (where outcome = 'Waiting') as waiting, count(*) filter (where outcome in ('Running', 'Returning')) as running,
    count(*) filter (where outcome = 'Done') as done, count(*) filter (where outcome = 'Failed') as failed,
    count(*) filter (where outcome = 'Stopped') as stopped, count(*) filter (where outcome = 'Returned') as returned, count(*) filter (where ended is null) as open
  from campaign_device`;

// A campaign that changes a rule or a policy is over only when its rollout has ended.
const isOver = `n.open = 0 and not exists (select from rule_rollout o where o.campaign_id = c.campaign_id and o.ended is null)
    and not exists (select from policy_rollout o where o.campaign_id = c.campaign_id and o.ended is null)`;

const differs = `${isOver} or (c.total, c.waiting, c.running, c.done, c.failed, c.stopped, c.returned) is distinct from (n.total, n.waiting, n.running, n.done, n.failed, n.stopped, n.returned)`;

const stale = `select c.campaign_id from campaign c
  cross join lateral (${counted} where campaign_id = c.campaign_id group by campaign_id) n where c.campaign_id = any($1) and (${differs})`;

const lockStale = `select campaign_id from campaign where campaign_id = any($1) and ended is null order by campaign_id for update skip locked`;

// A separate statement after the lock, so that it sees what was committed before the lock was acquired.
const count = `with counted as (${counted} where campaign_id = any($1) group by campaign_id), written as (
  update campaign c set total = n.total, waiting = n.waiting, running = n.running, done = n.done, failed = n.failed, stopped = n.stopped, returned = n.returned,
    state = case when not (${isOver}) then c.state when c.state = 'Stopping' then 'Stopped' else 'Done' end,
    ended = case when ${isOver} then $2::timestamptz end, paused_on = case when not (${isOver}) then c.paused_on end, modified = $2, version = c.version + 1
  from counted n where n.campaign_id = c.campaign_id and (${differs})
  returning c.tenant_id, c.campaign_id
)
${changed(campaigns, 'update', 'written', '$3')}`;

/** Updates the outcomes of devices. Reads without locks first, because in most seconds nothing has changed. */
async function followDevices(ctx: Ctx, campaigns: readonly string[]): Promise<void> {
  const values = [campaigns, ctx.now().toISOString(), queuedRunHours];
  const { news, late } = newsOf(await ctx.db.query<OpenDevice>({ name: 'campaign-devices-news', text: withNews, values }), ctx.now());
  if (news.length > 0)
    await inTransaction(ctx, async (ctx) => {
      const ids = news.map((item) => item.id);
      const devices = await ctx.db.query<OpenDevice>({ name: 'campaign-devices-open-locked', text: lockOpen, values: [campaigns, ids] });
      await noteOutcomes(ctx, newsOf(devices, ctx.now()).news);
    });
  await eachApart(late, (id) => withdrawWork(ctx, id, 'Failed', expiredText));
}

async function followCounts(ctx: Ctx, campaigns: readonly string[]): Promise<void> {
  const rows = await ctx.db.query<{ campaign_id: string }>({ name: 'campaigns-stale', text: stale, values: [campaigns] });
  if (rows.length === 0) return;
  await inTransaction(ctx, async (ctx) => {
    const ids = rows.map((row) => row.campaign_id);
    const locked = await ctx.db.query<{ campaign_id: string }>({ name: 'campaigns-stale-locked', text: lockStale, values: [ids] });
    if (locked.length === 0) return;
    const values = [locked.map((row) => row.campaign_id), ctx.now().toISOString(), ctx.correlationId];
    await ctx.db.query({ name: 'campaigns-count', text: count, values });
  });
}

interface OpenCampaign {
  id: string;
  total: number;
  is_rule: boolean;
  is_policy: boolean;
}

const openCampaigns =
  'select campaign_id as id, total, rule_id is not null as is_rule, policy_id is not null as is_policy from campaign where ended is null';

/** Updates the campaigns that have not ended and that `isDue` accepts. */
export async function followCampaigns(
  ctx: Ctx,
  isDue: (campaign: Pick<OpenCampaign, 'id' | 'total'>) => boolean = () => true,
): Promise<void> {
  const all = await ctx.db.query<OpenCampaign>({ name: 'campaigns-open', text: openCampaigns });
  const campaigns = all.filter(isDue);
  const due = campaigns.map(({ id }) => id);
  if (due.length === 0) return;
  const ofRules = campaigns.filter((campaign) => campaign.is_rule).map(({ id }) => id);
  const ofPolicies = campaigns.filter((campaign) => campaign.is_policy).map(({ id }) => id);
  // A device or ring that fails in one of them holds up no other campaign.
  await eachApart(
    [
      () => followDevices(ctx, due),
      () => judgeRuleDevices(ctx, ofRules),
      () => followPolicyDevices(ctx, ofPolicies),
      () => followRings(ctx, due),
      () => followCounts(ctx, due),
    ],
    (step) => step(),
  );
}

/** A campaign with up to this many devices is checked every second, a larger one proportionally less often. */
const devicesEachSecond = 2_000;

/**
 * Returns a function that says whether a campaign is due to be checked. Each process spaces its own checks, so several
 * processes only check more often.
 */
export function spacing(now: () => number): (campaign: Pick<OpenCampaign, 'id' | 'total'>) => boolean {
  const next = new Map<string, number>();
  return ({ id, total }) => {
    if (total <= devicesEachSecond) return true;
    const at = now();
    for (const [other, time] of next) if (time < at) next.delete(other);
    if (next.has(id)) return false;
    next.set(id, at + (total / devicesEachSecond) * 1_000);
    return true;
  };
}

export function followCampaignsWork(database: Database, log: Logger): Periodic {
  const isDue = spacing(() => performance.now());
  const run = () => followCampaigns(systemCtx({ database, log, name: 'Automation' }), isDue);
  return { name: 'follow-campaigns', everyMs: 1_000, run };
}
