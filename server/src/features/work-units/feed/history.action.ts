/** The feed of one work unit (notes and history), and the unit as it was at an entry of the feed. */
import { workUnitAt, workUnitHistory } from '@cloudfit/contract/actions/work-units/work-units.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { list } from '../../../resources/list.ts';
import { namesBetween } from './history.ts';
import { unitAt } from './unit-at.ts';
import { servedWorkUnitNotes, servedWorkUnits } from '../work-units.served.ts';

const feed = implement(workUnitHistory, async (ctx, { workUnitId }) => {
  // A unit that the caller cannot see answers 404, not an empty feed.
  await get(ctx, servedWorkUnits, workUnitId);
  const page = await list(
    ctx,
    servedWorkUnitNotes,
    queryText<typeof workUnitNotes>({
      filter: eq(workUnitNotes, 'workUnitId', workUnitId),
      orderBy: ['created desc', 'workUnitNoteId desc'],
      top: 1_000,
    }),
  );
  return { value: page.value.map(({ workUnitNoteId, ...entry }) => ({ id: workUnitNoteId, ...entry })) };
});

const at = implement(workUnitAt, async (ctx, { workUnitId, entryId }) => {
  const now = await get(ctx, servedWorkUnits, workUnitId);
  const page = await list(
    ctx,
    servedWorkUnitNotes,
    queryText({ filter: and(eq(workUnitNotes, 'workUnitId', workUnitId), eq(workUnitNotes, 'workUnitNoteId', entryId)) }),
  );
  const entry = page.value[0];
  const unit = entry && (await unitAt(ctx, now, entry));
  if (!unit) throw notFound('A record of that time');
  return { unit, names: Object.fromEntries(await namesBetween(ctx, unit, now)) };
});

export const historyActions: readonly ImplementedAction[] = [feed, at];
