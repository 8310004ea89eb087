/** Links work units to what they are about, many at once and recorded; a link that stands already is passed over. */
import { sql } from 'kysely';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedWorkUnitRelations } from './relations.served.ts';

export interface NewRelation {
  workUnitId: number;
  tenantId: string;
  referenceId: string;
  referenceType: string;
}

/** The caller has checked that unit and reference are of this tenant. */
export async function relate(ctx: Ctx, relations: readonly NewRelation[]): Promise<void> {
  if (relations.length === 0) return;
  const rows = sql`jsonb_to_recordset(${JSON.stringify(relations)}::jsonb) as r ("workUnitId" bigint, "tenantId" uuid, "referenceId" text, "referenceType" text)`;
  const write = sql`insert into work_unit_relation (work_unit_id, tenant_id, reference_id, reference_type, created_by)
    select "workUnitId", "tenantId", "referenceId", "referenceType", ${actorName(ctx)} from ${rows} on conflict do nothing returning *`;
  await writeRecorded(ctx, servedWorkUnitRelations, 'create', write, null);
}
