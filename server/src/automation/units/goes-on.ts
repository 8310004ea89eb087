/**
 * Follows matches that go on after their work unit has ended: says so in the unit, and runs the actions of the match again, which
 * open the unit again or another one, as the rule says.
 */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';
import { satisfiedInWords } from '@cloudfit/contract/rules/satisfied-in-words.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { maxHops } from '../../executions/executions.ts';
import { spanText } from '../../features/work-units/live-matches.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { englishWords } from '../../platform/rule-words.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { queueActions } from '../queue-actions.ts';
import type { WhileMatching } from '../execution.ts';

const atOnce = 200;

interface EndedUnit {
  workUnitId: number;
  tenantId: string;
  /** When the unit ended. */
  since: string;
  isOver: boolean;
  isDue: boolean;
  /** The match that acts for the unit: that of the group that ran its actions, or the match itself. */
  actingMatchId: string | null;
  hops: number;
  calls: readonly ActionCall[];
  ruleName: string | null;
  whileMatching: WhileMatching;
  reopenSeconds: number;
  conditions: readonly Condition[];
  message: PacketMessage | null;
}

const opensUnits = `r.enabled and r.while_matching <> 'Silent' and greatest(m.hops, w.hops) < ${maxHops} and r.match_actions @> '[{"ActionDefinitionId": "${builtInAction.createWorkUnit}"}]'`;

// The time of a hit is that of its packet, so a buffer from before the end of the unit is no hit after it. While a maintenance holds the
// match, it is not due; nor while the group or subject has another open unit.
// A unit that was moved to another tenant has nothing to do with the match. Units and packets are looked up one by one, however many there are.
const watched = `select w.work_unit_id as "workUnitId", w.tenant_id as "tenantId", w.since, u.work_unit_id is null or u.state_id not in ('Resolved', 'Closed', 'Canceled') or n.rule_match_id is null as "isOver",
  coalesce(n.is_due, false) as "isDue", n.acting_match_id as "actingMatchId", coalesce(n.hops, 0) as hops, coalesce(n.match_actions, '[]') as calls, n.rule_name as "ruleName",
  n.while_matching as "whileMatching", coalesce(n.reopen_after, 0) as "reopenSeconds", coalesce(n.conditions, '[]') as conditions, p.message
from unit_watch w
left join lateral (select x.work_unit_id, x.state_id from work_unit x where x.work_unit_id = w.work_unit_id and x.tenant_id = w.tenant_id limit 1) u on true
left join lateral (
  select m.rule_match_id, coalesce(g.lead_match_id, m.rule_match_id) as acting_match_id, m.subject_id, m.last_match, greatest(m.hops, w.hops) as hops, r.name as rule_name, r.match_actions, r.conditions,
    case when r.enabled then r.while_matching else 'Silent' end as while_matching, r.reopen_after, ${opensUnits} and m.last_match >= w.since + make_interval(secs => r.reopen_after) and m.expires > now() and not m.in_maintenance and not exists (
      select from rule_unit o join work_unit b on b.work_unit_id = o.work_unit_id and b.tenant_id = o.tenant_id
      where o.rule_id = coalesce(g.unit_scope, m.rule_id) and o.subject_id = coalesce(g.unit_key, m.subject_id) and o.phase = 'match'
        and b.work_unit_id <> w.work_unit_id and b.state_id not in ('Resolved', 'Closed', 'Canceled')) as is_due
  from unit_match v join rule_match m on m.rule_match_id = v.rule_match_id
  left join match_group_member gm on gm.rule_match_id = m.rule_match_id left join match_group g on g.match_group_id = gm.match_group_id
  left join rule r on r.rule_id = coalesce(g.rule_id, m.rule_id)
  where v.work_unit_id = w.work_unit_id and v.tenant_id = w.tenant_id and m.closed is null
  order by is_due desc nulls last, m.last_match desc limit 1
) n on true
left join lateral (select l.message from latest_packet l where l.entity_id = n.subject_id and w.noted is null limit 1) p on true
where n.rule_match_id is null or n.is_due or u.work_unit_id is null or u.state_id not in ('Resolved', 'Closed', 'Canceled') or w.noted is null and n.last_match > w.since
order by w.work_unit_id limit ${atOnce}`;

const unwatch = 'delete from unit_watch where work_unit_id = $1 and since = $2 returning 1';

const note = `with noting as (
  update unit_watch set noted = now() where work_unit_id = $1 and since = $2 and noted is null returning work_unit_id, tenant_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select work_unit_id, tenant_id, $3, 'WorkUnitEvent', 'Automation', $4 from noting
)
${changed(workUnits, 'update', 'noting', '$4')}`;

// The end of the match, or of its group, waits for the last actions.
const ranAgain = `with of_group as (
  update match_group_member set again = $2 where rule_match_id = $1 and match_group_id is not null
), repeated as (
  update rule_match set again = $2, is_repeat = false, modified = now(), version = version + 1 where rule_match_id = $1 returning tenant_id, rule_match_id, correlation_id
)
${changed(ruleMatches, 'update', 'repeated')}`;

function noteText({ ruleName, whileMatching, reopenSeconds, conditions, message, calls }: EndedUnit): string {
  const { values } = satisfiedInWords(conditions, undefined, message ?? {}, englishWords);
  const still = `Still matching: the rule ${ruleName ?? '(deleted)'} matched again after the unit had ended.${values === '' ? '' : ` Seen: ${values}.`}`;
  if (ruleName === null || calls.length === 0 || whileMatching === 'Silent') return still;
  const what = whileMatching === 'New' ? 'Another work unit opens' : 'It opens again';
  return `${still} ${what} ${spanText(reopenSeconds)} after its end, if the match goes on.`;
}

/** Handles one ended unit; of several processes, one does. */
function follow(db: Db, unit: EndedUnit): Promise<void> {
  const { workUnitId, tenantId, since, actingMatchId, calls, hops } = unit;
  const correlationId = uuidV7();
  return db.transaction(async (tx) => {
    if (!unit.isOver && !unit.isDue) {
      await tx.query({ name: 'unit-goes-on', text: note, values: [workUnitId, since, startOf(noteText(unit), 4_000), correlationId] });
      return;
    }
    const claimed = await tx.query({ name: 'unit-unwatch', text: unwatch, values: [workUnitId, since] });
    if (claimed.length === 0 || unit.isOver || actingMatchId === null) return;
    const again = `goesOn:${Date.parse(since)}` as const;
    await tx.query({ name: 'match-ran-again', text: ranAgain, values: [actingMatchId, again] });
    await queueActions(tx, [
      { ruleMatchId: actingMatchId, tenantId, correlationId, phase: 'match', calls, again, endedUnitId: workUnitId, hops: hops + 1 },
    ]);
  });
}

/** Follows the ended units whose matches go on, once. */
export async function followEndedUnits(db: Db): Promise<void> {
  await eachApart(await db.query<EndedUnit>({ name: 'units-watched', text: watched }), (unit) => follow(db, unit));
}

export const endedUnitsWork: Periodic = { name: 'ended-units', everyMs: 5_000, run: followEndedUnits };
