/** The work unit of a group: it counts the matches, and is related to their devices. */
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { addOccurrence } from '../../features/work-units/occurrences.ts';
import { isEnded } from '../../features/work-units/state.rules.ts';
import type { QueuedExecution } from '../execution.ts';
import { raiseAdded } from '../units/raise-in-change.ts';

/** Whether the unit is open and still of the tenant. Locks the unit, so that it stays open while matches join. */
export async function unitIsOpen(db: Db, workUnitId: number, tenantId: string): Promise<boolean> {
  const [unit] = await db.query<{ stateId: string }>({
    name: 'group-unit-state',
    text: 'select state_id as "stateId" from work_unit where work_unit_id = $1 and tenant_id = $2 for no key update',
    values: [workUnitId, tenantId],
  });
  return unit !== undefined && !isEnded(unit.stateId);
}

/**
 * Counts more matches in the unit of their group, and relates their devices to it. Matches that a change did not expect raise
 * its severity. Call it in a transaction that has locked the group.
 */
export async function listInUnit(
  ctx: Ctx,
  workUnitId: number,
  { ruleMatchIds, deviceIds, statement }: { ruleMatchIds: readonly string[]; deviceIds: readonly string[]; statement?: string | undefined },
): Promise<void> {
  const relations = [...new Set(deviceIds)].map((referenceId) => ({ referenceId, referenceType: 'Device' }));
  await addOccurrence(ctx, workUnitId, { count: ruleMatchIds.length, relations, ...(statement ? { title: statement } : {}) });
  await raiseAdded(ctx, ruleMatchIds, workUnitId);
}

/** Locks the group of the match. Call it before the unit is locked, because joining matches lock in this order. */
export async function lockGroup(db: Db, { match }: QueuedExecution): Promise<void> {
  if (match?.group)
    await db.query({
      name: 'group-lock',
      text: 'select 1 from match_group where match_group_id = $1 for update',
      values: [match.group.id],
    });
}

/** Stores the work unit of a group, and lists in it the matches that joined the group before the unit existed. */
export async function rememberUnitOfGroup(ctx: Ctx, { match, phase }: QueuedExecution, workUnitId: number): Promise<void> {
  if (!match?.group || phase !== 'match') return;
  const [group] = await ctx.db.query<{ statement: string | null; others: string[]; devices: string[] }>({
    name: 'group-unit-set',
    text: `update match_group g set work_unit_id = $2 where match_group_id = $1 and work_unit_id is distinct from $2
returning statement, array(
  select n.rule_match_id from match_group_member n where n.match_group_id = g.match_group_id and n.rule_match_id <> $3) as others, coalesce((
  select array_agg(distinct coalesce(o.device_id, d.device_id)) from match_group_member n join rule_match m on m.rule_match_id = n.rule_match_id
  left join device_operation o on o.device_operation_id = m.subject_id left join device d on d.device_id = m.subject_id
  where n.match_group_id = g.match_group_id and coalesce(o.device_id, d.device_id) is not null), '{}')::text[] as devices`,
    values: [match.group.id, workUnitId, match.ruleMatchId],
  });
  if (group && group.others.length > 0)
    await listInUnit(ctx, workUnitId, { ruleMatchIds: group.others, deviceIds: group.devices, statement: group.statement ?? undefined });
}
