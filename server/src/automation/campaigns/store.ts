/** Stores a new campaign with its devices, and asks a job to begin. */
import type { Row } from '@cloudfit/contract/resource.ts';
import { campaignDevices, type CampaignGate, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import type { CampaignKind } from '@cloudfit/contract/enums.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { sql } from '../../db/sql.ts';
import { writeRecorded } from '../../resources/record.ts';
import { beginCampaign } from './campaign.job.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { usualGate } from './ring.rules.ts';
import type { AssignedRings } from './rings.ts';

interface NewCampaign {
  /** Null for a policy of several tenants. */
  tenantId: string | null;
  title: string;
  kind: CampaignKind;
  operationId?: string | null;
  label?: string | null;
  packageId?: string | null;
  packageVersionId?: string | null;
  ruleId?: string | null;
  policyId?: string | null;
  settings?: object | null;
  gate?: CampaignGate | undefined;
  pauseMinutes?: number | undefined;
}

// Inserted in the order in which the devices are listed. One change event for each tenant covers all rows: nobody has read one of them yet.
const insertDevices = `with added as (
  insert into campaign_device (tenant_id, campaign_id, device_id, ring) select v.tenant_id, $1, d.id, d.ring
  from unnest($2::uuid[], $3::int[]) as d (id, ring) join device v on v.device_id = d.id order by v.name collate natural_order, v.device_id
  returning tenant_id, campaign_device_id
)
${changed(campaignDevices, 'create', '(select distinct on (tenant_id) * from added) a', '$4')}`;

const asJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Runs in the transaction of the caller, which may store more about the campaign before it ends. */
export async function storeCampaign(
  ctx: Ctx,
  campaign: NewCampaign,
  deviceIds: readonly string[],
  { rings, ringOf }: AssignedRings,
): Promise<Row<typeof campaigns>> {
  const { tenantId, title, kind, operationId = null, label = null, packageId = null, packageVersionId = null } = campaign;
  const { ruleId = null, policyId = null, settings = null, pauseMinutes = 0 } = campaign;
  const gate = rings ? (campaign.gate ?? usualGate) : null;
  const total = deviceIds.length;
  const write = sql`insert into campaign (tenant_id, title, kind, operation_id, label, package_id, package_version_id, rule_id, policy_id, settings, rings, gate, pause_minutes, ring_begun, total, waiting, created_by, owner_kind, owner_id, correlation_id)
    values (${tenantId}, ${title}, ${kind}, ${operationId}, ${label}, ${packageId}, ${packageVersionId}, ${ruleId}, ${policyId}, ${asJson(settings)}::jsonb, ${asJson(rings)}::jsonb, ${asJson(gate)}::jsonb, ${pauseMinutes}, ${rings ? ctx.now().toISOString() : null}::timestamptz, ${total}, ${total}, ${actorName(ctx)}, ${ctx.actor.kind}, ${ctx.actor.id}, ${ctx.correlationId}) returning *`;
  const stored = await writeRecorded(ctx, servedCampaigns, 'create', write, null);
  if (!stored) throw new Error('An insert answers its row.');
  await ctx.db.query({ text: insertDevices, values: [stored.campaignId, deviceIds, deviceIds.map(ringOf), ctx.correlationId] });
  await beginCampaign(ctx, stored.campaignId, tenantId);
  return stored;
}
