/** Relates work units to other rows, many at once and audited. A relation that exists is skipped. */
import { sql } from '../../../db/sql.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { createLater, writeRecorded } from '../../../resources/record.ts';
import { servedWorkUnitRelations } from './relations.served.ts';

export interface NewRelation {
  workUnitId: number;
  tenantId: string;
  referenceId: string;
  referenceType: string;
}

/**
 * Inserts the relations. The calling function has checked that the unit and the referenced row belong to this tenant. With `isLate` they are
 * sent with the commit: nothing later in the transaction may read them.
 */
export async function relate(ctx: Ctx, relations: readonly NewRelation[], isLate = false): Promise<void> {
  if (relations.length === 0) return;
  const rows = sql`jsonb_to_recordset(${JSON.stringify(relations)}::jsonb) as r ("workUnitId" bigint, "tenantId" uuid, "referenceId" text, "referenceType" text)`;
  const write = sql`insert into work_unit_relation (work_unit_id, tenant_id, reference_id, reference_type, created_by)
    select "workUnitId", "tenantId", "referenceId", "referenceType", ${actorName(ctx)} from ${rows} on conflict do nothing returning *`;
  if (isLate) await createLater(ctx, servedWorkUnitRelations, write);
  else await writeRecorded(ctx, servedWorkUnitRelations, 'create', write, null);
}
