/** Divides the devices of a campaign into rings, and begins one ring after another. */
import type { AskedRings } from '@cloudfit/contract/policies/rings.ts';
import { isVersionKind, type CampaignKind, type VersionKind } from '@cloudfit/contract/enums.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import { ringSizes, type CampaignGate, type CampaignRing, type campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { actorName, inTransaction, type Ctx } from '../../context/ctx.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { setFields } from '../../resources/update.ts';
import { beginCampaign, requestStop, stopForRights } from './campaign.job.ts';
import { servedCampaigns } from './campaigns.served.ts';
import { usualGate, verdictOf, type RingFacts } from './ring.rules.ts';
import { ownerOf } from './owner.ts';
import { adoptPolicy } from './policy-rollout.ts';
import { adoptRule, watched } from './rule-rollout.ts';
import { devicesOf } from './subject.ts';

export interface AssignedRings {
  rings: CampaignRing[] | null;
  /** The ring of each device. */
  ringOf: (deviceId: string) => number;
}

const scattered = `select coalesce(json_agg(id order by sha256(convert_to(id::text, 'UTF8'))), '[]') as ids from unnest($1::uuid[]) id`;

/**
 * Assigns devices to rings. Devices that no ring selects form the last ring. A share selects devices in the order of a hash of
 * their ids, not the first ones by name.
 */
export async function ringsOf(
  ctx: Ctx,
  { tenantId, rings }: { tenantId: string | null; rings?: AskedRings | undefined },
  ids: readonly string[],
): Promise<AssignedRings> {
  if (!rings) return { rings: null, ringOf: () => 0 };
  const ringById = new Map<string, number>();
  const filledRings: CampaignRing[] = [];
  const sizes = ringSizes(
    ids.length,
    rings.flatMap(({ share }) => (share === undefined ? [] : [share])),
  );
  const [order] = await ctx.db.query<{ ids: string[] }>({ name: 'campaign-scattered', text: scattered, values: [ids] });
  for (const [at, ring] of rings.entries()) {
    const free = (order?.ids ?? []).filter((id) => !ringById.has(id));
    const matching = ring.filter !== undefined ? new Set(await devicesOf(ctx, { tenantId, filter: ring.filter, within: free })) : undefined;
    const chosen = matching ? free.filter((id) => matching.has(id)) : free.slice(0, sizes.shift());
    if (chosen.length === 0) {
      const message = !matching ? 'No device is left for this ring.' : 'The filter of this ring matches none of the devices.';
      throw validationFailed([{ target: `rings.${at}`, message }]);
    }
    for (const id of chosen) ringById.set(id, at);
    filledRings.push({ ...ring, devices: chosen.length });
  }
  const left = ids.length - ringById.size;
  if (left > 0) filledRings.push({ devices: left });
  return { rings: filledRings, ringOf: (id) => ringById.get(id) ?? rings.length };
}

interface OpenRing extends RingFacts {
  id: string;
  ring: number;
  rings: number;
  gate: CampaignGate | null;
  pause_minutes: number;
  ring_passed: string | null;
  ring_note: string | null;
  ring_until: string | null;
  kind: CampaignKind;
  isPaused: boolean;
  /** The new value for `ring_until`: when the wait for the ring's devices ends at the latest. */
  until: string | null;
}

// Matches on devices of earlier rings count too, because effects of the campaign may show on them only now. Devices on which it
// changed nothing (not `is_own`) can show no effects.
const openRings = `select c.campaign_id as id, c.ring, jsonb_array_length(c.rings) as rings, c.gate, c.pause_minutes, c.ring_passed, c.ring_note, c.ring_until,
    w.until, w.awaited, f.counted, f.unreported, f.failed, f.succeeded, f.silent, m.match, c.rule_id is not null as "isRule", c.kind, c.paused_on is not null as "isPaused",
    (select r.evaluation_failure from rule r where r.rule_id = c.rule_id and r.evaluation_failed >= c.created) as fault
  from campaign c
  cross join lateral (
    select count(*) filter (where d.outcome <> 'Stopped' and not d.untried)::int as counted, count(*) filter (where d.outcome = 'Done' and not s.reported and not s.late)::int as unreported,
      count(*) filter (where d.outcome = 'Failed' and not d.untried)::int as failed,
      count(*) filter (where d.outcome = 'Done' and s.reported)::int as succeeded,
      count(*) filter (where d.outcome = 'Done' and not s.reported and s.late)::int as silent
    from campaign_device d join device v on v.device_id = d.device_id left join latest_packet k on k.entity_id = d.device_id
    cross join lateral (select c.rule_id is not null or not d.is_own or not (c.gate ->> 'heartbeat')::boolean or coalesce(k.received_timestamp > d.ended, false) as reported,
      d.ended + make_interval(secs => greatest(300, 3 * v.heartbeat_interval)) < $1 as late) s
    where d.campaign_id = c.campaign_id and d.ring = c.ring
  ) f
  cross join lateral (${watched}) w
  left join lateral (
    select json_build_object('rule', r.name, 'device', v.name) as match
    from campaign_device d join device v on v.device_id = d.device_id
    cross join lateral (select d.device_id as id union all select o.device_operation_id from device_operation o where o.device_id = d.device_id) e
    join rule_match x on x.subject_id = e.id and x.created >= c.ring_begun and c.gate -> 'ruleIds' ? x.rule_id::text
    join rule r on r.rule_id = x.rule_id
    where d.campaign_id = c.campaign_id and d.ring <= c.ring and d.is_own and c.gate -> 'ruleIds' <> '[]'
    order by x.created limit 1
  ) m on true
  where c.campaign_id = any($2) and c.ended is null and c.state = 'Running' and c.rings is not null
    and (c.policy_id is null or exists (select from policy_rollout r where r.campaign_id = c.campaign_id and r.ended is null))`;

/**
 * Returns the rings, with a record of the person who begins the next ring before the gate of the present ring is met. If that
 * gate has been met, the rings do not change.
 */
function withSkipped({ rings, ring, ringPassed }: Row<typeof campaigns>, by: string, at: string): CampaignRing[] | null {
  if (!rings || ringPassed !== null) return rings;
  return rings.map((item, index) => (index === ring ? { ...item, skippedBy: by, skippedAt: at } : item));
}

/**
 * Begins the ring after `ring` because a person requests it; after the last ring, applies the new version of a rule or a policy to all
 * devices.
 */
export function skipRing(ctx: Ctx, id: string, ring: number): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const { kind, rings } = await setFields(ctx, servedCampaigns, id, (before): RowInput<typeof campaigns> =>
      before.state === 'Running' && before.ring === ring ? { rings: withSkipped(before, actorName(ctx), ctx.now().toISOString()) } : {},
    );
    // The rule or policy is saved in the name and with the permissions of the person who requests this.
    return isVersionKind(kind) && ring + 1 === rings?.length ? adopt(ctx, ctx, kind, id, ring) : beginRingAfter(ctx, id, ring);
  });
}

/** Begins the ring after `ring`; returns false if it has begun already or does not exist, or if the campaign does not run. */
export function beginRingAfter(ctx: Ctx, id: string, ring: number): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    let begins = false;
    const { tenantId } = await setFields(ctx, servedCampaigns, id, (before): RowInput<typeof campaigns> => {
      begins = before.state === 'Running' && before.pausedOn === null && before.ring === ring && ring + 1 < (before.rings?.length ?? 0);
      return begins ? { ring: ring + 1, ringBegun: ctx.now().toISOString(), ringPassed: null, ringNote: null, ringUntil: null } : {};
    });
    if (begins) await beginCampaign(ctx, id, tenantId ?? null);
    return begins;
  });
}

/** Writes what the ring waits for, or since when it has passed, unless the next ring has begun meanwhile. */
async function noteRing(ctx: Ctx, open: OpenRing, passes: boolean, note: string | null): Promise<void> {
  const { id, ring } = open;
  const until = passes ? null : open.until;
  if (note === open.ring_note && until === open.ring_until && passes === (open.ring_passed !== null)) return;
  await setFields(ctx, servedCampaigns, id, (before): RowInput<typeof campaigns> => {
    if (before.state !== 'Running' || before.ring !== ring) return {};
    return { ringNote: note, ringUntil: until, ringPassed: passes ? (before.ringPassed ?? ctx.now().toISOString()) : null };
  });
}

/** Saves the new version of a rule or a policy for all devices, in the name and with the permissions of `owner`. */
const adopt = (ctx: Ctx, owner: Pick<Ctx, 'actor' | 'permissions'>, kind: VersionKind, id: string, ring: number): Promise<boolean> =>
  (kind === 'ChangeRule' ? adoptRule : adoptPolicy)(ctx, owner, id, ring);

/**
 * Applies the new version to all devices after the last ring. Stops the campaign if the version cannot be saved, or if whoever
 * started the campaign has lost the permissions.
 */
async function endVersion(ctx: Ctx, { id, ring }: OpenRing, kind: VersionKind): Promise<void> {
  const owner = await ownerOf(ctx, id);
  if (!owner) return stopForRights(ctx, id);
  try {
    await adopt(ctx, owner, kind, id, ring);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    await requestStop(ctx, id, `The new version cannot be saved: ${error.details[0]?.message ?? error.message}`, { ring, returns: true });
  }
}

async function followRing(ctx: Ctx, open: OpenRing): Promise<void> {
  const verdict = verdictOf(open.gate ?? usualGate, open);
  if (verdict.kind === 'fails') {
    await requestStop(ctx, open.id, verdict.reason, { ring: open.ring, returns: true });
    return;
  }
  const isLast = open.ring + 1 >= open.rings;
  if (isLast && !isVersionKind(open.kind)) return;
  if (verdict.kind === 'waits') return noteRing(ctx, open, false, verdict.reason);
  const passed = open.ring_passed === null ? ctx.now().getTime() : Date.parse(open.ring_passed);
  if (!open.isPaused && ctx.now().getTime() - passed >= open.pause_minutes * 60_000)
    await (isLast && isVersionKind(open.kind) ? endVersion(ctx, open, open.kind) : beginRingAfter(ctx, open.id, open.ring));
  else await noteRing(ctx, open, true, null);
}

export async function followRings(ctx: Ctx, campaigns: readonly string[]): Promise<void> {
  const values = [ctx.now().toISOString(), campaigns];
  const rings = await ctx.db.query<OpenRing>({ name: 'campaign-rings', text: openRings, values });
  await eachApart(rings, (open) => followRing(ctx, open));
}
