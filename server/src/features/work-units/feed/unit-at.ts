/** A work unit as it was at a moment, from the record of its writes. */
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { requireScope, type Ctx } from '../../../context/ctx.ts';
import type { WorkUnitRow } from '../state.rules.ts';

/** What the write of this entry left; else what the last write before it left; else what the first one after it found. */
const recorded = `select coalesce(
    (select after from written where correlation_id = $3 and at = $4 order by audit_id desc limit 1),
    (select after from written where at <= $4 order by audit_id desc limit 1),
    (select before from written where at > $4 order by audit_id limit 1)) as unit, exists (select from written) as recorded
  from (select 1) one`;

const written = `with written as (select audit_id, at, correlation_id, before, after from audit
    where entity = 'workUnits' and entity_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[])) and verb <> 'delete')`;

/**
 * Undefined when it was in a tenant then that the caller cannot see. `now` is the unit as it is, inside the caller's
 * scope: a unit of which no write is recorded has always been so.
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
  // The record leaves out what is empty.
  return Object.fromEntries(Object.keys(workUnits.fields).map((name) => [name, unit[name as keyof WorkUnitRow] ?? null])) as WorkUnitRow;
}
