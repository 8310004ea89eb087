/** The work unit of a match, for the actions that change it. */
import type { Db } from '../../db/db.ts';
import { isEnded } from '../../features/work-units/state.rules.ts';
import type { ActionResult } from '../action-result.ts';
import type { QueuedExecution } from '../execution.ts';

export interface UnitToChange {
  workUnitId: number;
  publicWorkUnitId: number;
  stateId: string;
  severityId: string;
  /** Whether a person has acknowledged the unit, works on it, or has assigned it. */
  isTaken: boolean;
  /** Whether another match of the unit, or a group that the unit lists, is open. */
  isMatching: boolean;
  /** Whether another match of the same rule and subject is open, whatever its unit, or a group that the unit lists. */
  isFaultOpen: boolean;
}

const isSubjectMatching = `exists (select from rule_match o where o.rule_id = m.rule_id and o.subject_id = m.subject_id and o.closed is null and o.rule_match_id <> m.rule_match_id)`;
const isGroupOpen = `exists (select from match_group g where g.work_unit_id = w.work_unit_id and g.ended is null and g.lead_match_id <> m.rule_match_id)`;

// A unit is New until somebody acknowledges it. The last change of the assignee shows whether a person assigned it; an assignment from
// before the unit was opened again does not count. A match without a unit will join the unit of its rule and subject, unless each match
// has its own.
const linked = `select w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId", w.state_id as "stateId", w.severity_id as "severityId",
  w.state_id <> 'New' or w.assigned_to is not null and coalesce((
    select a.actor_kind <> 'system' and a.audit_id >= coalesce((
      select max(o.audit_id) from audit o where o.entity = 'workUnits' and o.entity_id = w.work_unit_id::text and o.verb = 'update'
        and o.before ->> 'stateId' in ('Resolved', 'Closed', 'Canceled') and o.after ->> 'stateId' not in ('Resolved', 'Closed', 'Canceled')), 0)
    from audit a
    where a.entity = 'workUnits' and a.entity_id = w.work_unit_id::text and a.verb = 'update' and a.before ->> 'assignedTo' is distinct from a.after ->> 'assignedTo'
    order by a.audit_id desc limit 1), false) as "isTaken",
  exists (
    select from rule_match o left join match_group_member n on n.rule_match_id = o.rule_match_id left join match_group g on g.match_group_id = n.match_group_id
    where o.rule_id = m.rule_id and o.subject_id = m.subject_id and o.closed is null and o.rule_match_id <> m.rule_match_id
      and coalesce(g.work_unit_id = w.work_unit_id, o.work_unit_id = w.work_unit_id, r.recurrence is distinct from 'New'))
    or ${isGroupOpen} as "isMatching",
  ${isSubjectMatching} or ${isGroupOpen} as "isFaultOpen"
from rule_match m join work_unit w on w.work_unit_id = m.work_unit_id and w.tenant_id = m.tenant_id left join rule r on r.rule_id = m.rule_id
where m.rule_match_id = $1 for no key update of w`;

/** Locks the unit that the match has opened or was added to. Call it in a transaction. */
export async function lockUnit(db: Db, { match }: QueuedExecution): Promise<UnitToChange | undefined> {
  const [unit] = await db.query<UnitToChange>({ name: 'unit-of-match', text: linked, values: [match?.ruleMatchId ?? null] });
  return unit;
}

/** The outcome of an action that does not change the unit, with the reason. */
export function leftAlone(reason: string, unit?: UnitToChange): ActionResult {
  const detail = unit ? { workUnitId: unit.workUnitId, publicWorkUnitId: unit.publicWorkUnitId } : {};
  return { succeeded: true, isSuppressed: true, detail: { reason, ...detail } };
}

export const isOn = (value: unknown): boolean => value === true || value === 'true';

/** Why an action must not change the unit, except for adding a note; undefined if it may. */
export function obstacle(unit: UnitToChange | undefined, evenIfTaken: boolean): string | undefined {
  if (!unit) return 'noWorkUnit';
  if (isEnded(unit.stateId)) return 'unitEnded';
  return unit.isTaken && !evenIfTaken ? 'unitTaken' : undefined;
}
