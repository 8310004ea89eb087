/**
 * Lets matches join the group of their key or cause. The first opens it and runs its actions; the others only set colours.
 */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { maxHops } from '../../executions/executions.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { subjectJoins } from '../match-facts.ts';
import { queueActions } from '../queue-actions.ts';
import { placeOf, type GroupPlace, type WaitingMatch } from './group-place.ts';
import { listInUnit, unitIsOpen } from './group-unit.ts';
import { silenceCauses } from './silence-cause.ts';

const atOnce = 500;

// The actions of a deleted rule come from the audit. Matches are not locked, because ingest may need them.
const waiting = `select g.rule_match_id as "ruleMatchId", g.cause, g.again, m.tenant_id as "tenantId", m.rule_id as "ruleId", coalesce(r.name, m.label) as "ruleName",
  m.subject_id as "subjectId", m.label, m.correlation_id as "correlationId", m.hops, (extract(epoch from m.created) * 1000)::float8 as created, m.closed is null as "isOpen",
  coalesce(r.match_actions, (
    select a.before -> 'matchActions' from audit a
    where a.entity = 'rules' and a.entity_id = m.rule_id::text and a.verb = 'delete' order by a.audit_id desc limit 1), '[]') as calls,
  coalesce(r.group_by, 'Subject') as "groupBy", r.group_tag as "groupTag", coalesce(r.group_window, 1800) as "windowSeconds", coalesce(r.group_summary, 900) as "summarySeconds",
  case when sd.device_id is not null then jsonb_build_object('id', sd.device_id, 'name', sd.name, 'tags', sd.tags) end as device,
  case when pd.device_id is not null then jsonb_build_object('id', pd.device_id, 'name', pd.name) end as parent,
  case when sl.location_id is not null then jsonb_build_object('id', sl.location_id, 'name', sl.name) end as location,
  case when ss.subscription_id is not null then jsonb_build_object('id', ss.subscription_id, 'name', ss.name) end as subscription
from (
  select rule_match_id, cause, again from match_group_member
  where tenant_id = $1 and match_group_id is null and join_after <= now() order by rule_match_id limit ${atOnce} for update skip locked
) g
join rule_match m on m.rule_match_id = g.rule_match_id
left join rule r on r.rule_id = m.rule_id
${subjectJoins('m.subject_id')}
left join device pd on pd.device_id = sd.parent_device_id and not pd.is_deleted
order by g.rule_match_id`;

interface OpenGroup {
  id: string;
  joined: number;
  workUnitId: number | null;
  isNew: boolean;
}

const open = `insert into match_group (tenant_id, scope_id, group_key, kind, label, rule_id, lead_match_id, unit_scope, unit_key, window_seconds, summary_seconds)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (tenant_id, scope_id, group_key) where accepts do nothing returning match_group_id as id, joined, work_unit_id as "workUnitId", true as "isNew"`;

const existing = `select match_group_id as id, joined, work_unit_id as "workUnitId", false as "isNew", last_joined < now() - make_interval(secs => window_seconds) as "isOver"
from match_group where tenant_id = $1 and scope_id = $2 and group_key = $3 and accepts for update`;

/**
 * Locks the group that the match joins, and opens it if there is none. A group does not accept matches after its window, or
 * after its unit has ended or was moved to another tenant.
 */
async function openGroup(db: Db, place: GroupPlace, first: WaitingMatch): Promise<OpenGroup> {
  const { scopeId, kind, key, label, unitOf } = place;
  for (;;) {
    const [group] = await db.query<OpenGroup & { isOver: boolean }>({
      name: 'group-existing',
      text: existing,
      values: [first.tenantId, scopeId, key],
    });
    if (group) {
      if (!group.isOver && (group.workUnitId === null || (await unitIsOpen(db, group.workUnitId, first.tenantId)))) return group;
      await db.query({
        name: 'group-retire',
        text: 'update match_group set accepts = false where match_group_id = $1',
        values: [group.id],
      });
    }
    const [opened] = await db.query<OpenGroup>({
      name: 'group-open',
      text: open,
      values: [
        first.tenantId,
        scopeId,
        key,
        kind,
        startOf(label, 500),
        first.ruleId,
        first.ruleMatchId,
        unitOf?.scope ?? scopeId,
        unitOf?.key ?? uuidV5(scopeId, key),
        first.windowSeconds,
        first.summarySeconds,
      ],
    });
    if (opened) return opened;
  }
}

const join = `with joining as (
  update match_group_member g set match_group_id = $1, reason = n.reason, joined = clock_timestamp()
  from jsonb_to_recordset($2::jsonb) as n (rule_match_id uuid, reason text) where g.rule_match_id = n.rule_match_id and g.match_group_id is null
  returning g.rule_match_id, g.tenant_id
), changed as (${changed(ruleMatches, 'update', 'joining', '$3')})
update match_group set joined = joined + (select count(*) from joining), last_joined = now(), statement = coalesce($4, statement), kind = case when $4 is null then kind else $6 end,
  summary_due = case when $5 then summary_due else coalesce(summary_due, greatest(now(), summarised + make_interval(secs => summary_seconds))) end
where match_group_id = $1`;

interface JoiningMatch {
  place: GroupPlace;
  match: WaitingMatch;
}

async function joinOne(ctx: Ctx, joining: readonly JoiningMatch[]): Promise<void> {
  const [first] = joining;
  if (!first) return;
  const { place } = first;
  const { db } = ctx;
  const group = await openGroup(db, place, first.match);
  // If one of the joining matches shows the cause, the cause applies to the whole group.
  const shown = joining.findLast((item) => item.place.statement)?.place ?? place;
  const statement = shown.statement?.(group.joined + joining.length);
  await db.query({
    name: 'group-join',
    text: join,
    values: [
      group.id,
      JSON.stringify(joining.map(({ match, place: { reason } }) => ({ rule_match_id: match.ruleMatchId, reason }))),
      first.match.correlationId,
      statement === undefined ? null : startOf(statement, 500),
      group.isNew && joining.length === 1,
      shown.kind,
    ],
  });
  await queueActions(
    db,
    joining.map(({ match: { ruleMatchId, tenantId, correlationId, calls, hops, again } }, at) => ({
      ruleMatchId,
      tenantId,
      correlationId,
      phase: 'match',
      calls,
      ...(again ? { again } : {}),
      suppressed: hops >= maxHops ? 'loop' : group.isNew && at === 0 ? undefined : 'grouped',
      hops,
    })),
  );
  if (!group.isNew && group.workUnitId !== null)
    await listInUnit(ctx, group.workUnitId, {
      ruleMatchIds: joining.map(({ match }) => match.ruleMatchId),
      deviceIds: joining.flatMap(({ match }) => match.device?.id ?? []),
      statement,
    });
}

const ofSilence = ({ cause }: WaitingMatch): boolean => cause === 'Silence' || cause === 'SilenceStorm';

/** Lets the due matches of a tenant join their groups. Returns whether there may be more of them. */
export function joinGroups(ctx: Ctx, tenantId: string): Promise<boolean> {
  return ctx.db.transaction(async (db) => {
    const matches = await db.query<WaitingMatch>({ name: 'group-waiting', text: waiting, values: [tenantId] });
    if (matches.length === 0) return false;
    const causes = await silenceCauses(db, tenantId, matches.filter(ofSilence));
    const waits: string[] = [];
    const joining = matches.flatMap((match): JoiningMatch[] => {
      const place = ofSilence(match) ? causes(match) : placeOf(match);
      if (place !== 'wait') return [{ match, place }];
      waits.push(match.ruleMatchId);
      return [];
    });
    if (waits.length > 0)
      await db.query({
        name: 'group-wait',
        text: "update match_group_member set join_after = now() + interval '5 seconds' where rule_match_id = any($1::uuid[])",
        values: [waits],
      });
    const groups = Map.groupBy(joining, ({ place }) => `${place.scopeId} ${place.key}`);
    // In a fixed order, so that two workers do not deadlock.
    for (const key of [...groups.keys()].toSorted()) await joinOne({ ...ctx, db }, groups.get(key) ?? []);
    return matches.length === atOnce;
  });
}
