/** A match that a change did not expect on its devices is louder: the unit that it opens, or is added to, is one step more severe. */
import { defaultSeverity, severities } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/connection.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { relate } from '../../features/work-units/related/relate.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import type { MatchOfExecution } from '../action-context.ts';

type Severity = (typeof severities)[number];

export interface ChangeOfMatch {
  workUnitId: number;
  publicWorkUnitId: number;
}

/** The change in whose time the match opened on one of its devices, without being held. */
export async function changeDuring(db: Db, { ruleMatchId, subject, subjectId }: MatchOfExecution): Promise<ChangeOfMatch | undefined> {
  const deviceId = subject.device?.id ?? subjectId;
  const [change] = await db.query<ChangeOfMatch>({
    name: 'change-during-match',
    text: `select w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId"
from rule_match m join maintenance_window c on c.tenant_id = m.tenant_id and c.is_change and c.starts_at <= m.first_match and c.ends_at > m.first_match
join work_unit w on w.work_unit_id = c.work_unit_id
where m.rule_match_id = $1 and m.held_since is null and c.device_ids ? $2 order by c.starts_at desc limit 1`,
    values: [ruleMatchId, deviceId],
  });
  return change;
}

export function oneStepUp(severity: Severity = defaultSeverity): Severity {
  return severities[Math.max(0, severities.indexOf(severity) - 1)] ?? severity;
}

export const raisedText = (from: Severity, { publicWorkUnitId }: ChangeOfMatch): string =>
  `Severity raised from ${from} to ${oneStepUp(from)}: unexpected during change #${publicWorkUnitId}.`;

/** Raises the open unit to which the match was added, once for each change. Call it in the transaction that has locked the unit. */
export async function raiseAdded(ctx: Ctx, match: MatchOfExecution, { workUnitId, publicWorkUnitId }: ChangeOfMatch): Promise<void> {
  const change = await changeDuring(ctx.db, match);
  if (!change) return;
  const [unit] = await ctx.db.query<{ tenantId: string; title: string; severityId: Severity; isRaised: boolean }>({
    name: 'unit-to-raise',
    text: `select w.tenant_id as "tenantId", w.title, w.severity_id as "severityId", exists (select from work_unit_relation r
  where r.work_unit_id = w.work_unit_id and r.reference_type = 'WorkUnit' and r.reference_id = $2::text) as "isRaised" from work_unit w where w.work_unit_id = $1`,
    values: [workUnitId, String(change.workUnitId)],
  });
  if (!unit || unit.isRaised) return;
  const { tenantId, title, severityId } = unit;
  await relate(ctx, [{ workUnitId, tenantId, referenceId: String(change.workUnitId), referenceType: 'WorkUnit' }]);
  const unexpected = `Unexpected during change #${change.publicWorkUnitId}: #${publicWorkUnitId} ${title}`;
  await writeHistory(ctx, { ...change, tenantId }, [{ historyType: 'WorkUnitEvent', detail: unexpected }]);
  if (oneStepUp(severityId) === severityId) return;
  await update(ctx, servedOf(workUnits), workUnitId, { severityId: oneStepUp(severityId) });
  await writeHistory(ctx, { workUnitId, tenantId }, [{ historyType: 'WorkUnitEvent', detail: raisedText(severityId, change) }]);
}
