/**
 * Runs the mails and calls of a match again while it is open and nobody works on its work unit, as often as its rule says. The
 * end of an acknowledgement is in `protocols/answer-watch.ts`.
 */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { maxHops } from '../../executions/executions.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { unitOfSubject } from '../match-facts.ts';
import { messagesAmong, tells } from '../messages-among.ts';
import { queueActions } from '../queue-actions.ts';

const atOnce = 200;

interface QuietMatch {
  /** The match that acts: that of the group whose actions ran, or the match itself. */
  ruleMatchId: string;
  tenantId: string;
  workUnitId: number | null;
  ruleName: string;
  hops: number;
  calls: readonly ActionCall[];
}

// When the messages and calls about the match, or about its unit, ran last; infinity while one waits for its outcome. A match that
// ended before the last interval told nobody in it.
const lastTold = `(
  select max(case when h.result_status_id = ${resultStatus.enqueueSuccess} then 'infinity' else h.action_processed end)
  from (
    select m.rule_match_id as id
    union select o.rule_match_id from rule_match o where o.work_unit_id = w.work_unit_id and (o.closed is null or o.closed > now() - make_interval(secs => r.repeat_every))
    union select g.lead_match_id from match_group g where g.work_unit_id = w.work_unit_id and g.ended is null
  ) t join action_history h on h.reference_id = t.id::text join action_definition d on d.action_definition_id = h.action_definition_id
  where h.result_detail ->> 'phase' = 'match' and h.result_status_id <> ${resultStatus.suppressed} and ${tells('d')})`;

/**
 * SQL: the matches with a rule that repeats, about which nobody works, and when (`at`) their messages run again. In a group, one of
 * its matches must be open. A match that was added to an open unit continues the time of that unit.
 */
const quiet = (
  only: string,
): string => `select m.rule_match_id as "ruleMatchId", m.tenant_id as "tenantId", w.work_unit_id as "workUnitId", r.name as "ruleName", m.hops, r.match_actions as calls,
  coalesce(greatest(case when not m.is_repeat then coalesce(m.held_until, m.created) end, ${lastTold}) + make_interval(secs => r.repeat_every), now()) as at
from rule r cross join lateral (
  select o.rule_match_id, o.work_unit_id from rule_match o
  where o.rule_id = r.rule_id and o.closed is null and o.expires > now() and o.recovered is null and not o.in_maintenance
    and not exists (select from match_group_member n where n.rule_match_id = o.rule_match_id)
  union all
  select g.lead_match_id, g.work_unit_id from match_group g where g.rule_id = r.rule_id and g.ended is null and exists (
    select from match_group_member n join rule_match o on o.rule_match_id = n.rule_match_id
    where n.match_group_id = g.match_group_id and n.ended is null and o.closed is null and o.expires > now() and o.recovered is null and not o.in_maintenance)
) a join rule_match m on m.rule_match_id = a.rule_match_id
left join work_unit w on w.tenant_id = m.tenant_id and w.work_unit_id = coalesce(a.work_unit_id, ${unitOfSubject('m.subject_id')})
where r.repeat_every is not null and r.enabled and m.hops < ${maxHops} and (w.work_unit_id is null or w.state_id = 'New')
  and (m.held_since is null or m.held_until is not null)${only}`;

const due = (only: string): string =>
  `select q."ruleMatchId", q."tenantId", q."workUnitId", q."ruleName", q.hops, q.calls from (${quiet(only)}) q where q.at <= now() order by q.at limit ${atOnce}`;

/** Returns when the messages and calls of these matches run again, if nobody works on their units. */
export async function nextRepeats(db: Db, ruleMatchIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ ruleMatchId: string; at: string }>({
    name: 'repeats-next',
    text: `select q."ruleMatchId", q.at from (${quiet(' and m.rule_match_id = any($1::uuid[])')}) q where q.at < 'infinity'`,
    values: [ruleMatchIds],
  });
  return new Map(rows.map(({ ruleMatchId, at }) => [ruleMatchId, at]));
}

const lockUnit = 'select 1 from work_unit where work_unit_id = $1 for no key update skip locked';
const lockMatch = 'select 1 from rule_match where rule_match_id = $1 for update skip locked';

const note = `with noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id) values ($1, $2, $3, 'WorkUnitEvent', 'Automation', $4)
  returning tenant_id, work_unit_id, correlation_id
)
${changed(workUnits, 'update', 'noted')}`;

// The end of the match, or of its group, waits for the last of these actions.
const ranAgain = `with of_group as (
  update match_group_member set again = $2 where rule_match_id = $1 and match_group_id is not null
), repeated as (
  update rule_match set again = $2, modified = now(), version = version + 1 where rule_match_id = $1 returning tenant_id, rule_match_id, correlation_id
)
${changed(ruleMatches, 'update', 'repeated')}`;

/** Runs the messages of one match again. Of several processes, one does: it has the lock, and then looks again. */
function repeat(db: Db, { ruleMatchId, workUnitId }: QuietMatch): Promise<void> {
  return db.transaction(async (tx) => {
    const lock =
      workUnitId === null
        ? { name: 'repeat-lock-match', text: lockMatch, values: [ruleMatchId] }
        : { name: 'repeat-lock-unit', text: lockUnit, values: [workUnitId] };
    if ((await tx.query(lock)).length === 0) return;
    const [match] = await tx.query<QuietMatch>({ name: 'repeat-due', text: due(' and m.rule_match_id = $1'), values: [ruleMatchId] });
    if (!match || match.workUnitId !== workUnitId) return;
    const { tenantId, hops, calls, ruleName } = match;
    const messages = await messagesAmong(tx, calls);
    if (messages.length === 0) return;
    const correlationId = uuidV7();
    const again = `nobody:${Date.now()}` as const;
    if (workUnitId !== null) {
      const detail = `Nobody works on it, and it still matches: the messages and calls of the rule ${ruleName} run again.`.slice(0, 4_000);
      await tx.query({ name: 'repeat-note', text: note, values: [workUnitId, tenantId, detail, correlationId] });
    }
    await tx.query({ name: 'repeat-ran-again', text: ranAgain, values: [ruleMatchId, again] });
    const firstIndex = calls.length - messages.length;
    await queueActions(tx, [
      { ruleMatchId, tenantId, correlationId, phase: 'match', calls: messages, firstIndex, again, isReminder: true, hops },
    ]);
  });
}

/** Runs the messages that are due again, once. */
export async function repeatMessages(db: Db): Promise<void> {
  await eachApart(await db.query<QuietMatch>({ name: 'repeats-due', text: due('') }), (match) => repeat(db, match));
}

export const repeatedMessagesWork: Periodic = { name: 'repeat-messages', everyMs: 5_000, run: repeatMessages };
