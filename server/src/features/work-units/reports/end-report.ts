/** Ends a report by mail for one receiver, by the link in each of them. */
import { randomUUID } from 'node:crypto';
import { recordAudit } from '../../../auth/audit-entry.ts';
import type { Db } from '../../../db/db.ts';
import type { ReportReceiver } from '../../../platform/report-links.ts';

// The owner reads the outcome; a report without a receiver is switched off.
const end = `update report_schedule r set receivers = array_remove(r.receivers, $2), is_enabled = r.is_enabled and cardinality(r.receivers) > 1,
  last_result = jsonb_build_array(jsonb_build_object('personId', $2::uuid, 'outcome', 'Unsubscribed'))
    || (select coalesce(jsonb_agg(x), '[]') from jsonb_array_elements(r.last_result) x where x ->> 'personId' <> $2::text)
where r.report_schedule_id = $1 and $2 = any(r.receivers)
returning r.tenant_id, r.name, old.receivers as before, r.receivers as after, r.is_enabled as enabled`;

interface EndedReport {
  tenant_id: string;
  name: string;
  before: string[];
  after: string[];
  enabled: boolean;
}

/** Does nothing if the person does not get the report any more. */
export function endReportMails(db: Db, { reportScheduleId, personId }: ReportReceiver): Promise<void> {
  return db.transaction(async (tx) => {
    const [ended] = await tx.query<EndedReport>({ text: end, values: [reportScheduleId, personId] });
    if (!ended) return;
    await recordAudit(tx, {
      actor: { kind: 'system', id: null, name: 'Receiver' },
      verb: 'unsubscribe',
      entity: 'reportSchedules',
      entityId: reportScheduleId,
      tenantId: ended.tenant_id,
      before: { name: ended.name, receivers: ended.before },
      after: { receivers: ended.after, isEnabled: ended.enabled },
      correlationId: randomUUID(),
    });
  });
}
