/**
 * Finds the unit of a match. A fault that comes back is added to the open unit of its rule and subject, reopens a resolved unit
 * or opens a new one, as the rule says.
 */
import { englishWords } from '../../platform/rule-words.ts';
import { builtInAction, builtInActionTypes, resultStatus } from '@cloudfit/contract/enums.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { addOccurrence } from '../../features/work-units/occurrences.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { isEnded } from '../../features/work-units/state.rules.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import type { MatchOfExecution, QueuedExecution } from '../execution.ts';
import { flappingText } from './flapping.ts';

export interface UnitOfMatch {
  workUnitId: number;
  publicWorkUnitId: number;
}

const defaultReopenHours = 24;

interface LatestUnit extends UnitOfMatch {
  stateId: string;
  /** Hours since the unit was resolved; null while it is open. */
  endedHoursAgo: number | null;
  /** Whether this match opened the unit or was added to it. */
  isOfMatch: boolean;
}

/**
 * Returns the latest unit of rule and subject, or of a group. Locks the row until the end of the transaction, so that only one
 * match at a time opens a unit.
 */
async function lockLatest(
  db: Db,
  { tenantId, phase }: QueuedExecution,
  { ruleMatchId, unitOf: { scope, key } }: MatchOfExecution,
): Promise<LatestUnit | undefined> {
  // Sent together: each sees what the one before it has waited for.
  const add = db.query({
    name: 'rule-unit-add',
    text: 'insert into rule_unit (tenant_id, rule_id, subject_id, phase) values ($1, $2, $3, $4) on conflict do nothing',
    values: [tenantId, scope, key, phase],
  });
  const lock = db.query({
    name: 'rule-unit-lock',
    text: 'select 1 from rule_unit where rule_id = $1 and subject_id = $2 and phase = $3 for update',
    values: [scope, key, phase],
  });
  const latest = db.query<LatestUnit>({
    name: 'rule-unit-latest',
    text: `select w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId", w.state_id as "stateId",
  (extract(epoch from now() - w.resolved) / 3600)::float8 as "endedHoursAgo",
  exists (select from rule_match m where m.rule_match_id = $4 and m.work_unit_id = w.work_unit_id) as "isOfMatch"
from rule_unit u join work_unit w on w.work_unit_id = u.work_unit_id and w.tenant_id = u.tenant_id
where u.rule_id = $1 and u.subject_id = $2 and u.phase = $3 for no key update of w`,
    values: [scope, key, phase, ruleMatchId],
  });
  const [, , [unit]] = await Promise.all([add, lock, latest]);
  return unit;
}

const matchUnit = `with linked as (
  update rule_match set work_unit_id = $2, is_repeat = $3, modified = now(), version = version + 1 where rule_match_id = $1
  returning tenant_id, rule_match_id, correlation_id
)
${changed(ruleMatches, 'update', 'linked')}`;

/**
 * Stores the unit of a match as the latest of its rule and subject. Call it in the transaction that opens or changes the unit.
 */
export async function rememberUnit(
  db: Db,
  { phase }: QueuedExecution,
  match: MatchOfExecution,
  workUnitId: number,
  isRepeat: boolean,
): Promise<void> {
  await db.defer({
    name: 'rule-unit-set',
    text: `with joined as (
  update work_unit set line = md5($1::uuid::text || $2::uuid::text)::uuid where work_unit_id = $4 and line is null
) update rule_unit set work_unit_id = $4, modified = now() where rule_id = $1 and subject_id = $2 and phase = $3`,
    values: [match.unitOf.scope, match.unitOf.key, phase, workUnitId],
  });
  if (phase === 'match')
    await db.defer({
      name: 'rule-match-unit',
      text: matchUnit,
      values: [match.ruleMatchId, workUnitId, isRepeat],
    });
}

const seenText = (execution: QueuedExecution): string => {
  const values = String(execution.values['Seen'] ?? '');
  return values === '' ? '' : ` Seen: ${values}.`;
};

/**
 * Adds the match to the unit of an earlier match, or reopens that unit, as the rule says; undefined if the match needs a new
 * unit. Call it in the transaction that opens the new unit, because it locks rule and subject.
 */
export async function unitOfEarlierMatch(
  ctx: Ctx,
  execution: QueuedExecution,
  match: MatchOfExecution,
): Promise<(UnitOfMatch & { change: 'added' | 'reopened' | 'none' }) | undefined> {
  const latest = await lockLatest(ctx.db, execution, match);
  if (!latest) return undefined;
  const { workUnitId, publicWorkUnitId, stateId, endedHoursAgo, isOfMatch } = latest;
  if (isOfMatch && execution.phase === 'match') return { workUnitId, publicWorkUnitId, change: 'none' };
  if (match.recurrence === 'New') return undefined;
  const relations = [{ referenceId: match.ruleMatchId, referenceType: 'RuleMatch' }];
  if (!isEnded(stateId)) {
    const flaps = await flappingText(ctx.db, match.ruleId, match.subjectId, ctx.now(), englishWords);
    const detail = `The rule ${match.ruleName} matched again.${seenText(execution)}${flaps ? ` ${flaps}` : ''}`;
    await addOccurrence(ctx, workUnitId, { relations, detail });
    await rememberUnit(ctx.db, execution, match, workUnitId, true);
    return { workUnitId, publicWorkUnitId, change: 'added' };
  }
  const isRecent = (endedHoursAgo ?? Infinity) <= (match.reopenHours ?? defaultReopenHours);
  if (match.recurrence !== 'Reopen' || stateId === 'Canceled' || !isRecent) return undefined;
  await addOccurrence(ctx, workUnitId, {
    relations,
    detail: `Opened again: the rule ${match.ruleName} matched again.${seenText(execution)}`,
  });
  await update(ctx, servedOf(workUnits), workUnitId, { stateId: 'New' });
  await rememberUnit(ctx.db, execution, match, workUnitId, false);
  return { workUnitId, publicWorkUnitId, change: 'reopened' };
}

/**
 * Opens the ended unit of a match that goes on again. Returns undefined if the rule wants another unit in its place. Call it in
 * the transaction that opens the other unit, because it locks rule and subject.
 */
export async function reopenEndedUnit(
  ctx: Ctx,
  execution: QueuedExecution,
  match: MatchOfExecution,
  endedUnitId: number,
): Promise<(UnitOfMatch & { change: 'reopened' | 'none' }) | undefined> {
  await lockLatest(ctx.db, execution, match);
  const { workUnitId, publicWorkUnitId, stateId } = await get(ctx, servedOf(workUnits), endedUnitId, { lock: 'edit' });
  // Somebody was faster.
  if (!isEnded(stateId)) return { workUnitId, publicWorkUnitId, change: 'none' };
  if (match.whileMatching === 'New') return undefined;
  const detail = `Opened again: the rule ${match.ruleName} still matches.`;
  await writeHistory(ctx, { workUnitId, tenantId: execution.tenantId }, [{ historyType: 'WorkUnitEvent', detail }]);
  await update(ctx, servedOf(workUnits), workUnitId, { stateId: 'New' });
  await rememberUnit(ctx.db, execution, match, workUnitId, false);
  return { workUnitId, publicWorkUnitId, change: 'reopened' };
}

/** SQL: whether the rule `r` adds matches to an open unit. For other rules, the expressions below read no rows. */
export const addsMatches = (r: string): string =>
  `${r}.recurrence <> 'New' and ${r}.match_actions @> '[{"ActionDefinitionId": "${builtInAction.createWorkUnit}"}]'`;

/** SQL: the open unit to which a match would be added; `m` is the match, `r` its rule and `g` its group, if any. */
export const openUnitOf = (m: string, r: string, g: string): string => `case when ${addsMatches(r)} then (
    select w.work_unit_id from rule_unit u join work_unit w on w.work_unit_id = u.work_unit_id and w.tenant_id = u.tenant_id
    where u.rule_id = coalesce(${g}.unit_scope, ${m}.rule_id) and u.subject_id = coalesce(${g}.unit_key, ${m}.subject_id) and u.phase = 'match' and w.state_id not in ('Resolved', 'Closed', 'Canceled')) end`;

/**
 * Maximum number of earlier matches among which the last call is searched: a fault that comes and goes during a maintenance
 * opens many matches whose calls are held.
 */
const lookBack = 20;

/**
 * SQL: whether the last call or mail about the earlier matches of rule and subject, or about the previous group, reported an end. Matches without
 * a call or mail that ran do not count.
 */
export const wasEndNotified = (m: string, r: string, g: string): string => `case when ${addsMatches(r)} then coalesce((
  select e.result_detail ->> 'phase' = 'expiration' from unnest(coalesce((
    select array[b.lead_match_id::text] from match_group b
    where b.tenant_id = ${g}.tenant_id and b.unit_scope = ${g}.unit_scope and b.unit_key = ${g}.unit_key and b.opened < ${g}.opened order by b.opened desc limit 1
  ), array(
    select p.rule_match_id::text from rule_match p
    where p.subject_id = ${m}.subject_id and p.rule_id = ${m}.rule_id and (p.created, p.first_match) < (${m}.created, ${m}.first_match) and p.rule_match_id <> ${m}.rule_match_id
    order by p.created desc, p.first_match desc limit ${lookBack}
  ))) with ordinality as x (id, nth) join action_history e on e.reference_id = x.id join action_definition d on d.action_definition_id = e.action_definition_id
  where e.result_status_id <> ${resultStatus.suppressed}
    and (e.action_definition_id = '${builtInAction.email}' or d.action_definition_type_id not in (${builtInActionTypes.join(', ')}))
  order by x.nth, e.action_history_id desc limit 1), false) else false end`;

/**
 * Returns the unit of which people were already notified, so that this action is not run. This concerns calls and mails of a
 * match that is added to an open unit, even those before Create Work Unit, unless people were notified that the fault had
 * ended.
 */
export function notifiedUnitOf({ phase, match, definition, replayOf, endedUnitId, isReminder }: QueuedExecution): number | undefined {
  const calls = definition?.id === builtInAction.email || !builtInActionTypes.includes(definition?.typeId ?? 0);
  // The unit had ended, or is not acknowledged: nobody works on the fault.
  if (endedUnitId !== undefined || isReminder) return undefined;
  if (phase !== 'match' || !match || !calls || replayOf !== undefined || match.isEndNotified) return undefined;
  if (match.workUnitId !== null) return match.isRepeat ? match.workUnitId : undefined;
  return match.openWorkUnitId ?? undefined;
}
