/** How many rows several lists have: one call for all saved views of a page. */
import { countRows } from '@cloudfit/contract/views/calls.ts';
import { viewLimits, viewScreens, type ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { list } from '../../resources/list.ts';
import { servedNamed } from '../../resources/served.ts';

/** Null where the list would be refused: a view may stand for what its reader may not view any more. */
async function countOf(ctx: Ctx, { screen, filter }: { screen: ViewScreen; filter: string | null }): Promise<number | null> {
  const where = filter === null ? '' : `$filter=${encodeURIComponent(filter)}&`;
  try {
    const { count } = await list(ctx, servedNamed(viewScreens[screen]), `${where}$top=0&$count=true&countUpTo=${viewLimits.countUpTo}`);
    return count ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}

export const countRowsAction = implement(countRows, async (ctx, { lists }) => {
  const counts: (number | null)[] = [];
  // One after the other, so that the views of one person never take more than one connection.
  for (const item of lists) counts.push(await countOf(ctx, item));
  return { counts };
});
