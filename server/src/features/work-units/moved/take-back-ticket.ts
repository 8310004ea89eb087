/** Takes back a ticket that an import has added: its work unit is canceled, because units are never deleted. */
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { requirePermission, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { loadRows } from '../../../resources/get.ts';
import { update } from '../../../resources/update.ts';
import { writeHistory } from '../feed/history.ts';
import type { WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { movedUnits, quietly } from './move-ticket.ts';

interface CanceledUnit {
  resource: string;
  key: number;
  name: string;
  verb: 'change';
  fields: { field: string; before: unknown; after: unknown }[];
}

/** Cancels the unit, of which nobody is told, as nobody was of the import. A second import of the ticket opens it again. */
export async function takeBackTicket(ctx: Ctx, id: string, left: Record<string, unknown>): Promise<CanceledUnit | undefined> {
  const key = Number(id);
  const unit = (await loadRows(ctx, servedWorkUnits, [key])).get(id) as WorkUnitRow | undefined;
  if (!unit) throw notFound('Work Unit');
  requirePermission(ctx, 'Settings', 'edit', unit.tenantId);
  if (unit.stateId === 'Canceled') return undefined;
  if (unit.modifiedBy !== left['modifiedBy'] || unit.tenantId !== left['tenantId'])
    throw new ApiError('Conflict', 'Somebody has worked on it since, so it stays as it is.');
  await inTransaction(ctx, (ctx) =>
    quietly(ctx, async () => {
      const set = { modifiedBy: unit.modifiedBy, resolved: unit.resolved ?? ctx.now().toISOString() };
      await update(ctx, movedUnits(set), key, { stateId: 'Canceled' });
      await writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail: 'Canceled, because its import was taken back.' }]);
    }),
  );
  const fields = [{ field: 'stateId', before: unit.stateId, after: 'Canceled' }];
  return { resource: 'workUnits', key, name: unit.title, verb: 'change', fields };
}
