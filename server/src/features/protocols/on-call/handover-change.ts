import { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { changed } from '../../../db/changed.ts';
import type { Db } from '../../../db/db.ts';

/** Makes open pages that show the schedule read its handovers again. */
export async function notifyPages(db: Db, change: { tenantId: string; scheduleId: string; correlationId: string }): Promise<void> {
  await db.query({
    name: 'handover-change',
    text: changed(onCallSchedules, 'update', '(select $1::uuid as tenant_id, $2::uuid as on_call_schedule_id) s', '$3'),
    values: [change.tenantId, change.scheduleId, change.correlationId],
  });
}
