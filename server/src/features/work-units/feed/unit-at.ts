/** A work unit as it was at a moment, computed from the audit. */
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { requireScope, type Ctx } from '../../../context/ctx.ts';
import type { WorkUnitRow } from '../state.rules.ts';

/**
 * The row of the unit after the write to which the entry belongs. If there is none, the row after the last write before the
 * entry, or before the first write after it.
 */
const recorded = `select coalesce(
    (select after from written where correlation_id = $3 and at = $4 order by audit_id desc limit 1),
    (select after from written where at <= $4 order by audit_id desc limit 1),
    (select before from written where at > $4 order by audit_id limit 1)) as unit, exists (select from written) as recorded
  from (select 1) one`;

const written = `with written as (select audit_id, at, correlation_id, before, after from audit
    where entity = 'workUnits' and entity_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[])) and verb <> 'delete')`;

/**
 * Returns the unit at a moment; undefined if it was then in a tenant that the caller cannot see. `now` is the present unit,
 * which the caller may see: without audit entries, the unit has not changed.
 */
export async function unitAt(
  ctx: Ctx,
  now: WorkUnitRow,
  moment: { created: string; correlationId: string },
): Promise<WorkUnitRow | undefined> {
  const scope = requireScope(ctx, 'WorkUnits', 'view');
  const [row] = await ctx.db.query<{ unit: Partial<WorkUnitRow> | null; recorded: boolean }>({
    name: 'work-unit-at',
    text: `${written} ${recorded}`,
    values: [String(now.workUnitId), scope === 'all' ? null : scope, moment.correlationId, moment.created],
  });
  if (!row?.recorded) return now;
  const { unit } = row;
  if (!unit?.tenantId || (scope !== 'all' && !scope.includes(unit.tenantId))) return undefined;
  // The audit leaves out empty fields.
  return Object.fromEntries(Object.keys(workUnits.fields).map((name) => [name, unit[name as keyof WorkUnitRow] ?? null])) as WorkUnitRow;
}
