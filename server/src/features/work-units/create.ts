/** Opens a work unit for automation: the same path as a person's, once per rule match. */
import type { WorkUnitRow } from './state.rules.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { relate } from './related/relate.ts';
import { servedWorkUnits } from './work-units.served.ts';

export interface OpenedWorkUnit extends Partial<WorkUnitRow> {
  openedByRuleMatchId?: string;
  relations?: readonly { referenceId: string; referenceType: string }[];
}

/** In the caller's transaction. `undefined` when the match named by `openedByRuleMatchId` has opened one already. */
export async function createWorkUnit(
  ctx: Ctx,
  input: OpenedWorkUnit,
): Promise<{ workUnitId: number; publicWorkUnitId: number } | undefined> {
  const { openedByRuleMatchId, relations = [], ...body } = input;
  const options = openedByRuleMatchId ? { columns: { opened_by_rule_match_id: openedByRuleMatchId }, unlessExists: true } : {};
  const row = await create(ctx, servedWorkUnits, body, options);
  if (!row) return undefined;
  const { workUnitId, publicWorkUnitId, tenantId } = row;
  await relate(
    ctx,
    relations.map((relation) => ({ ...relation, workUnitId, tenantId })),
  );
  return { workUnitId, publicWorkUnitId };
}
