/** The feed of one work unit: notes and history. */
import { workUnitHistory } from '@cloudfit/contract/actions/work-units.ts';
import { implement, type Implemented } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { list } from '../../resources/list.ts';
import { servedWorkUnitNotes, servedWorkUnits } from './work-units.served.ts';

const feed = implement(workUnitHistory, async (ctx, { workUnitId }) => {
  // 404 for a unit that the caller cannot see, rather than an empty feed.
  await get(ctx, servedWorkUnits, workUnitId);
  const page = await list(
    ctx,
    servedWorkUnitNotes,
    `$filter=workUnitId eq ${workUnitId}&$orderby=created desc,workUnitNoteId desc&$top=1000`,
  );
  return { value: page.value.map(({ workUnitNoteId, ...entry }) => ({ id: workUnitNoteId, ...entry })) as never };
});

export const historyActions: readonly Implemented[] = [feed];
