/**
 * Raises the severity of the unit that a match opens or joins by one step, if a change on the device did not expect the match.
 */
import { defaultSeverity, severities } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { relate } from '../../features/work-units/related/relate.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';

type Severity = (typeof severities)[number];

export interface ChangeOfMatch {
  workUnitId: number;
  publicWorkUnitId: number;
}

/**
 * Returns the changes during which these matches opened, without being held, on devices of the change; for each match the
 * change that began last.
 */
export function changesDuring(db: Db, ruleMatchIds: readonly string[]): Promise<ChangeOfMatch[]> {
  return db.query<ChangeOfMatch>({
    name: 'changes-during-matches',
    text: `select distinct w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId"
from rule_match m left join device_operation o on o.device_operation_id = m.subject_id
cross join lateral (
  select c.work_unit_id from maintenance_window c
  where c.tenant_id = m.tenant_id and c.is_change and c.starts_at <= m.first_match and c.ends_at > m.first_match
    and c.device_ids ? coalesce(o.device_id, m.subject_id)::text
  order by c.starts_at desc limit 1
) c join work_unit w on w.work_unit_id = c.work_unit_id
where m.rule_match_id = any($1::uuid[]) and m.held_since is null`,
    values: [ruleMatchIds],
  });
}

export function oneStepUp(severity: Severity = defaultSeverity): Severity {
  return severities[Math.max(0, severities.indexOf(severity) - 1)] ?? severity;
}

export const raisedText = (from: Severity, { publicWorkUnitId }: ChangeOfMatch): string =>
  `Severity raised from ${from} to ${oneStepUp(from)}: unexpected during change #${publicWorkUnitId}.`;

/** Raises the open unit that matches have joined, once for each change. Call it in the transaction that has locked the unit. */
export async function raiseAdded(ctx: Ctx, ruleMatchIds: readonly string[], workUnitId: number): Promise<void> {
  for (const change of await changesDuring(ctx.db, ruleMatchIds)) await raiseFor(ctx, change, workUnitId);
}

async function raiseFor(ctx: Ctx, change: ChangeOfMatch, workUnitId: number): Promise<void> {
  const [unit] = await ctx.db.query<{ publicWorkUnitId: number; tenantId: string; title: string; severityId: Severity; isRaised: boolean }>(
    {
      name: 'unit-to-raise',
      text: `select w.public_work_unit_id as "publicWorkUnitId", w.tenant_id as "tenantId", w.title, w.severity_id as "severityId", exists (select from work_unit_relation r
  where r.work_unit_id = w.work_unit_id and r.reference_type = 'WorkUnit' and r.reference_id = $2::text) as "isRaised" from work_unit w where w.work_unit_id = $1`,
      values: [workUnitId, String(change.workUnitId)],
    },
  );
  if (!unit || unit.isRaised) return;
  const { publicWorkUnitId, tenantId, title, severityId } = unit;
  await relate(ctx, [{ workUnitId, tenantId, referenceId: String(change.workUnitId), referenceType: 'WorkUnit' }]);
  const unexpected = `Unexpected during change #${change.publicWorkUnitId}: #${publicWorkUnitId} ${title}`;
  await writeHistory(ctx, { ...change, tenantId }, [{ historyType: 'WorkUnitEvent', detail: unexpected }]);
  if (oneStepUp(severityId) === severityId) return;
  await update(ctx, servedOf(workUnits), workUnitId, { severityId: oneStepUp(severityId) });
  await writeHistory(ctx, { workUnitId, tenantId }, [{ historyType: 'WorkUnitEvent', detail: raisedText(severityId, change) }]);
}
