/** Opens a work unit for automation: the same path as a person's, once per rule match. */
import type { WorkUnit } from './state.rules.ts';
import type { Ctx } from '../../ctx.ts';
import { create } from '../../resources/create.ts';
import { servedWorkUnits } from './work-units.served.ts';

/** `undefined` when the match named by `openedByRuleMatchId` has opened one already. */
export async function createWorkUnit(
  ctx: Ctx,
  input: Partial<WorkUnit> & { openedByRuleMatchId?: string },
): Promise<{ workUnitId: number; publicWorkUnitId: number } | undefined> {
  const { openedByRuleMatchId, ...body } = input;
  const options = openedByRuleMatchId ? { columns: { opened_by_rule_match_id: openedByRuleMatchId }, unlessExists: true } : {};
  const row = await create(ctx, servedWorkUnits, body, options);
  return row && { workUnitId: row['workUnitId'] as number, publicWorkUnitId: row['publicWorkUnitId'] as number };
}
