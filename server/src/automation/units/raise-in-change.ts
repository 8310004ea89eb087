/** A match that a change did not expect on its devices is louder: the unit that it opens is one step more severe. */
import { defaultSeverity, severities } from '@cloudfit/contract/enums.ts';
import type { Db } from '../../db/connection.ts';
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
