/** Actions that a maintenance held: after it, they run once, or the reason why they do not run is recorded. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { addMembers, hasCallsBesidesColors } from './groups/members.ts';
import { addsMatches } from './units/rule-unit.ts';
import { queueActions, type ActionsOfMatch, type SuppressedBecause } from './queue-actions.ts';
import { currentDate } from '../platform/clock.ts';

/** A match whose actions are held. */
export interface HeldMatch {
  ruleMatchId: string;
  /** Whether the subject of the match still exists. */
  hasSubject: boolean;
}

interface FreedRow {
  rule_match_id: string;
  tenant_id: string;
  correlation_id: string;
  hops: number;
  held_since: string;
  /** Null while the match is open. */
  closed: string | null;
  /** Null when the rule was deleted. */
  enabled: boolean | null;
  /** Whether the rule combines matches that share a key into one unit. */
  groups: boolean;
  /** Whether a later match of the rule and subject, which belongs to the same unit, is open. */
  came_back: boolean;
}

// A match that has expired and is not closed yet is left to the expiry, which records its end. The update returns a row to only
// one of several transactions.
const free = `with freed as (
  update rule_match m set held_until = now(), in_maintenance = false, modified = now(), version = version + 1
  where rule_match_id = any($1::uuid[]) and held_since is not null and held_until is null and (closed is not null or expires > now())
  returning rule_match_id, rule_id, subject_id, tenant_id, correlation_id, hops, held_since, closed, created
), changed as (${changed(ruleMatches, 'update', 'freed')})
select f.rule_match_id, f.tenant_id, f.correlation_id, f.hops, f.held_since, f.closed, r.enabled, coalesce(r.group_by <> 'Subject', false) as groups,
  f.closed is not null and r.rule_id is not null and r.group_by = 'Subject' and ${addsMatches('r')} and exists (
    select from rule_match o where o.rule_id = f.rule_id and o.subject_id = f.subject_id and o.closed is null and o.expires > now()
  ) as came_back
from freed f left join rule r on r.rule_id = f.rule_id order by f.created, f.rule_match_id`;

interface HeldRow {
  reference_id: string | null;
  action_definition_id: string;
  input_parameters: string;
  phase: string;
}

/** Returns the actions that a maintenance held, by match and phase, in the order in which they run. */
export async function heldActions(
  db: Db,
  ruleMatchIds: readonly string[],
): Promise<(id: string, phase: ActionsOfMatch['phase']) => ActionCall[]> {
  if (ruleMatchIds.length === 0) return () => [];
  const rows = await db.query<HeldRow>({
    name: 'held-actions',
    text: `select reference_id, action_definition_id, input_parameters, result_detail ->> 'phase' as phase from action_history
where reference_id = any($1::text[]) and result_status_id = ${resultStatus.suppressed} and result_detail ->> 'reason' = 'maintenance' order by action_history_id`,
    values: [ruleMatchIds],
  });
  const callsOf = Map.groupBy(rows, (row) => `${row.reference_id} ${row.phase}`);
  return (id, phase) =>
    (callsOf.get(`${id} ${phase}`) ?? []).map((row) => ({
      ActionDefinitionId: row.action_definition_id,
      Parameters: JSON.parse(row.input_parameters) as ActionCall['Parameters'],
    }));
}

function suppressedBecause({ closed, enabled, came_back }: FreedRow, hasSubject: boolean): SuppressedBecause | undefined {
  if (!hasSubject) return 'subjectGone';
  if (enabled === null) return 'ruleDeleted';
  // The fault has come back, so its end is not notified: the next match is added to the same unit and notifies nobody.
  if (came_back) return 'cameBack';
  // The recipients were notified of the start of the fault, so they are notified of its end.
  return enabled || closed !== null ? undefined : 'ruleDisabled';
}

/** Runs the held actions of these matches after their maintenance. Two processes may call this at the same time. */
export async function runHeldActions(db: Db, matches: readonly HeldMatch[]): Promise<void> {
  const hasSubject = new Map(matches.map((match) => [match.ruleMatchId, match.hasSubject]));
  await db.transaction(async (tx) => {
    const freedRows = await tx.query<FreedRow>({ name: 'held-free', text: free, values: [[...hasSubject.keys()]] });
    const callsOf = await heldActions(
      tx,
      freedRows.map((row) => row.rule_match_id),
    );
    const until = currentDate().toISOString();
    // Matches that one maintenance held are released at the same moment, and are grouped like other matches.
    const joining = freedRows.filter(
      (row) =>
        row.groups &&
        row.closed === null &&
        row.enabled &&
        hasSubject.get(row.rule_match_id) &&
        hasCallsBesidesColors(callsOf(row.rule_match_id, 'match')),
    );
    await addMembers(
      tx,
      joining.map((row) => ({ ruleMatchId: row.rule_match_id, tenantId: row.tenant_id, cause: 'Key', again: 'held' })),
      joining[0]?.correlation_id ?? '',
    );
    await queueActions(
      tx,
      freedRows
        .filter((row) => !joining.includes(row))
        .map((row) => {
          const phase = row.closed === null ? 'match' : 'expiration';
          return {
            ruleMatchId: row.rule_match_id,
            tenantId: row.tenant_id,
            correlationId: row.correlation_id,
            phase,
            calls: callsOf(row.rule_match_id, phase),
            suppressed: suppressedBecause(row, hasSubject.get(row.rule_match_id) ?? false),
            heldDuring: { since: row.held_since, until },
            hops: row.hops,
          };
        }),
    );
  });
}
