/** The rows that belong to a work unit move with it to another tenant, so that only people who see the unit see these rows. */
import type { Ctx } from '../../context/ctx.ts';
import type { WorkUnitRow } from './state.rules.ts';

const parts = [
  'work_unit_note',
  'work_unit_relation',
  'work_unit_timer',
  'unit_watch',
  'work_unit_presence',
  'answer_watch',
  'protocol_run',
  'action_history',
  'action_try',
] as const;

/**
 * Moves the rows of the unit to the unit's tenant. The audit of the unit names both tenants; these rows get no audit entries.
 */
export async function moveAlong(ctx: Ctx, { workUnitId, tenantId }: WorkUnitRow): Promise<void> {
  for (const table of parts)
    await ctx.db.query({ text: `update ${table} set tenant_id = $2 where work_unit_id = $1`, values: [workUnitId, tenantId] });
}
