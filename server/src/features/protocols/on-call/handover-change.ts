import type { Db } from '../../../db/db.ts';

/** Makes open pages that show the schedule read its handovers again. */
export async function notifyPages(db: Db, change: { tenantId: string; scheduleId: string; correlationId: string }): Promise<void> {
  await db.query({
    name: 'handover-change',
    text: `insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, 'update', 'onCallSchedules', $2, $3)`,
    values: [change.tenantId, change.scheduleId, change.correlationId],
  });
}
