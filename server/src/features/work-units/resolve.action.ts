/** Resolves work units: a New one is acknowledged and resolved in one transaction, as two changes. */
import { resolveWorkUnits } from '@cloudfit/contract/actions/work-units/resolve.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { updateMany } from '../../resources/bulk.ts';
import { isEnded, type WorkUnitRow } from './state.rules.ts';
import { servedWorkUnits } from './work-units.served.ts';

/** The change that acknowledges a New unit; it becomes the caller's if it is nobody's. */
function acknowledged({ actor }: Ctx, { stateId, assignedTo }: WorkUnitRow): Partial<WorkUnitRow> {
  if (stateId !== 'New') return {};
  return { stateId: 'Acknowledged', ...(assignedTo === null && actor.kind === 'person' ? { assignedTo: actor.userName } : {}) };
}

/** The change that resolves a unit; none if an earlier try of the same call has. */
function resolved(unit: WorkUnitRow, resolution: string): Partial<WorkUnitRow> {
  if (!isEnded(unit.stateId)) return { stateId: 'Resolved', resolution };
  if (unit.stateId === 'Resolved' && unit.resolution === resolution) return {};
  throw new ApiError('Conflict', `Work unit #${unit.publicWorkUnitId} is ${unit.stateId} already.`, { target: 'stateId' });
}

export const resolveWorkUnitsAction = implement(resolveWorkUnits, async (ctx, { ids, resolution }) => {
  const edits = (edit: (unit: WorkUnitRow) => Partial<WorkUnitRow>) =>
    ids.map((key) => ({ key, edit: (row: object) => edit(row as WorkUnitRow) }));
  return inTransaction(ctx, async (ctx) => {
    await updateMany(
      ctx,
      servedWorkUnits,
      edits((unit) => acknowledged(ctx, unit)),
    );
    const value = await updateMany(
      ctx,
      servedWorkUnits,
      edits((unit) => resolved(unit, resolution)),
    );
    return { value: value as WorkUnitRow[] };
  });
});
