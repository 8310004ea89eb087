/** Opens a work unit for automation, by the same code as for people, once per match. */
import type { WorkUnitRow } from './state.rules.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { relate } from './related/relate.ts';
import { servedWorkUnits } from './work-units.served.ts';

export interface OpenedWorkUnit extends Partial<WorkUnitRow> {
  openedByRuleMatchId?: string;
  openedByRuleId?: string | undefined;
  relations?: readonly { referenceId: string; referenceType: string }[];
}

/**
 * Creates the unit in the caller's transaction, in which nothing may read its relations if these are `late`. Returns undefined if the match `openedByRuleMatchId` has already opened a unit.
 */
export async function createWorkUnit(
  ctx: Ctx,
  input: OpenedWorkUnit,
  relationsAre: 'late' | 'written' = 'written',
): Promise<{ workUnitId: number; publicWorkUnitId: number } | undefined> {
  const { openedByRuleMatchId, openedByRuleId, relations = [], ...body } = input;
  const options = openedByRuleMatchId
    ? { columns: { opened_by_rule_match_id: openedByRuleMatchId, rule_id: openedByRuleId ?? null }, unlessExists: true }
    : {};
  const row = await create(ctx, servedWorkUnits, body, options);
  if (!row) return undefined;
  const { workUnitId, publicWorkUnitId, tenantId } = row;
  await relate(
    ctx,
    relations.map((relation) => ({ ...relation, workUnitId, tenantId })),
    relationsAre === 'late',
  );
  return { workUnitId, publicWorkUnitId };
}
