/** Closes expired matches and queues their expiration actions once. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { changed } from '../db/changed.ts';
import type { Db, Statement } from '../db/db.ts';
import { executionId, type RepeatReason } from '../executions/execution-id.ts';
import { maxHops } from '../executions/executions.ts';
import { queueMatchChanges } from './match-change.ts';
import type { Periodic } from '../jobs/schedule.ts';
import { followGroups } from './groups/members.ts';
import { heldActions } from './held-actions.ts';
import { queueActions, type ActionsOfMatch, type SuppressedBecause } from './queue-actions.ts';
import { currentDate, currentTime } from '../platform/clock.ts';

const atOnce = 500;

interface EndedMatch {
  rule_match_id: string;
  tenant_id: string;
  correlation_id: string;
  in_maintenance: boolean;
  expiration_actions: ActionCall[] | null;
  match_actions: number | null;
  rule_id: string;
  subject_id: string;
  hops: number;
  /**
   * Whether the match actions waited for the end of a maintenance until the match ended; `held_since`: since when they
   * waited.
   */
  waits: boolean;
  held_since: string | null;
  /** Whether the match actions ran after waiting for the end of a maintenance. */
  waited: boolean;
  /** Which repetition of its actions the match ran last, if any. */
  again: RepeatReason | null;
  /** Whether the rule was deleted. */
  rule_gone: boolean;
  rule_name: string | null;
  work_unit_id: number | null;
  /** Whether the match belongs to a group or waits for one. A group ends when all its matches have ended. */
  grouped: boolean;
  /** Whether the tenant of the match has rules of type Correlation. */
  correlated: boolean;
}

// A match that a later packet has closed needs only its expiration actions here. The statement finds such matches and expired
// ones by one index each.
const dueMatches = `with over as materialized (
  select rule_match_id from rule_match where not completion_processed and expires <= now() order by expires limit ${atOnce} for update skip locked
), closed_before as materialized (
  select rule_match_id from rule_match where not completion_processed and closed is not null and expires > now() limit ${atOnce} for update skip locked
), due as (
  select rule_match_id from over union all select rule_match_id from closed_before
)`;

// Waits for a process that is ending them, so that afterwards they have ended.
const namedMatches = `with due as materialized (
  select rule_match_id from rule_match where rule_match_id = any($1::uuid[]) and not completion_processed and (closed is not null or expires <= now())
  order by rule_match_id for update
)`;

const end = (due: string): string => `${due}, ending as materialized (
  select m.rule_match_id, r.name as rule_name, r.rule_id is null as rule_gone, jsonb_array_length(r.match_actions) as match_actions,
    m.held_since is not null and m.held_until is null as waits, m.in_maintenance and r.rule_id is not null and g.rule_match_id is null as may_wait,
    g.rule_match_id is not null as grouped,
    case when r.rule_id is not null then r.expiration_actions else (
      select a.before -> 'expirationActions' from audit a
      where a.entity = 'rules' and a.entity_id = m.rule_id::text and a.verb = 'delete' order by a.audit_id desc limit 1
    ) end as expiration_actions
  from due join rule_match m on m.rule_match_id = due.rule_match_id left join rule r on r.rule_id = m.rule_id
  left join match_group_member g on g.rule_match_id = m.rule_match_id
), judged as materialized (
  select n.*, may_wait and not waits and jsonb_path_exists(expiration_actions, '$[*] ? (@.ActionDefinitionId != "${builtInAction.setColor}")') as end_waits
  from ending n
), ended as (
  update rule_match m set closed = coalesce(m.closed, now()), completion_processed = true, modified = now(), version = m.version + 1,
    held_since = case when n.end_waits then now() else m.held_since end,
    held_until = case when n.waits then now() when n.end_waits then null else m.held_until end
  from judged n where m.rule_match_id = n.rule_match_id
  returning m.rule_match_id, m.rule_id, m.subject_id, m.tenant_id, m.correlation_id, m.in_maintenance, m.hops, old.held_until is not null as waited, m.again,
    n.waits, m.held_since, n.rule_gone, n.rule_name, m.work_unit_id, n.match_actions, n.expiration_actions, n.grouped
), changed as (${changed(ruleMatches, 'update', 'ended')}), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select w.work_unit_id, w.tenant_id, 'The match of ' || coalesce('the rule ' || left(e.rule_name, 3000), 'a deleted rule') || ' has ended.', 'WorkUnitEvent', 'Automation', e.correlation_id
  from ended e join work_unit w on w.work_unit_id = e.work_unit_id and w.tenant_id = e.tenant_id and w.state_id not in ('Resolved', 'Closed', 'Canceled') where not e.grouped
  returning tenant_id, work_unit_note_id, correlation_id
), told as (${changed(workUnitNotes, 'create', 'noted')})
select e.*,
  exists (select from rule c where c.enabled and c.rule_type_id = ${ruleTypeId.correlation} and rule_is_for(c.tenant_id, c.tenant_group_id, e.tenant_id)) as correlated
from ended e`;

function expirationOf(match: EndedMatch): ActionsOfMatch {
  return {
    ruleMatchId: match.rule_match_id,
    tenantId: match.tenant_id,
    correlationId: match.correlation_id,
    phase: 'expiration',
    calls: match.expiration_actions ?? [],
    suppressed: suppressedBecause(match),
    hops: match.hops,
    follows: match.match_actions
      ? executionId(match.rule_match_id, 'match', match.match_actions - 1, match.again ?? (match.waited ? 'held' : undefined))
      : undefined,
  };
}

type Reasons = Pick<EndedMatch, 'hops' | 'rule_gone' | 'waits' | 'in_maintenance' | 'grouped'>;

export function suppressedBecause({ hops, rule_gone, waits, in_maintenance, grouped }: Reasons): SuppressedBecause | undefined {
  if (hops >= maxHops) return 'loop';
  if (rule_gone) return 'ruleDeleted';
  // Nobody was notified of the start of the match, so nobody is notified of its end.
  if (waits) return 'endedInMaintenance';
  if (grouped) return 'grouped';
  return in_maintenance ? 'maintenance' : undefined;
}

/** Returns the match actions that were held until their match ended, to record that they never run. */
async function heldUntilEnd(db: Db, ended: readonly EndedMatch[]): Promise<ActionsOfMatch[]> {
  const withHeld = ended.filter((match) => match.waits);
  const callsOf = await heldActions(
    db,
    withHeld.map((match) => match.rule_match_id),
  );
  const until = currentDate().toISOString();
  return withHeld.map((match) => ({
    ...expirationOf(match),
    phase: 'match',
    calls: callsOf(match.rule_match_id, 'match'),
    suppressed: 'endedInMaintenance',
    heldDuring: { since: match.held_since ?? until, until },
  }));
}

/** Ends the matches that `statement` returns, and returns their number. */
function endAll(db: Db, statement: Statement): Promise<number> {
  return db.transaction(async (tx) => {
    const ended = await tx.query<EndedMatch>(statement);
    await queueActions(tx, [...(await heldUntilEnd(tx, ended)), ...ended.map(expirationOf)]);
    const correlated = ended.filter((match) => match.correlated);
    await queueMatchChanges(
      tx,
      correlated.map((match) => ({
        tenantId: match.tenant_id,
        ruleId: match.rule_id,
        subjectId: match.subject_id,
        hops: match.hops,
        correlationId: match.correlation_id,
      })),
      { at: currentTime() },
    );
    const ofGroups = ended.filter((match) => match.grouped);
    await followGroups(
      tx,
      ofGroups.map((match) => match.tenant_id),
      ofGroups[0]?.correlation_id ?? '',
    );
    return ended.length;
  });
}

/** Closes the matches that are due and returns their number. */
export async function expireMatches(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await endAll(db, { name: 'match-expire', text: end(dueMatches) });
    total += count;
    if (count === 0 || count % atOnce > 0) return total;
  }
}

/** Ends these matches, which are over, without waiting for the next `expiryWork`. */
export async function endMatches(db: Db, ruleMatchIds: readonly string[]): Promise<void> {
  await endAll(db, { name: 'match-end', text: end(namedMatches), values: [ruleMatchIds] });
}

/** Runs each second, so that no match closes more than a few seconds late. */
export const expiryWork: Periodic = { name: 'expire-matches', everyMs: 1_000, run: async (db) => void (await expireMatches(db)) };
