/** What belongs to a work unit goes with it to another tenant: who sees the unit sees its story, and nobody else does. */
import type { Ctx } from '../../context/ctx.ts';
import type { WorkUnitRow } from './state.rules.ts';

const parts = [
  'work_unit_note',
  'work_unit_relation',
  'work_unit_timer',
  'work_unit_presence',
  'protocol_run',
  'action_history',
  'action_try',
] as const;

/** The audit of the unit names both tenants; its parts are not written again. */
export async function moveAlong(ctx: Ctx, { workUnitId, tenantId }: WorkUnitRow): Promise<void> {
  for (const table of parts)
    await ctx.db.query({ text: `update ${table} set tenant_id = $2 where work_unit_id = $1`, values: [workUnitId, tenantId] });
}
