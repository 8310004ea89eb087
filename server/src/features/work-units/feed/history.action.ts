/** The feed of one work unit (notes and history), and the unit as it was at an entry of the feed. */
import { workUnitAt, workUnitHistory } from '@cloudfit/contract/actions/work-units/work-units.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { list } from '../../../resources/list.ts';
import { namesBetween } from './history.ts';
import { unitAt } from './unit-at.ts';
import { servedWorkUnitNotes, servedWorkUnits } from '../work-units.served.ts';

interface MergedUnit {
  workUnitId: number;
  publicWorkUnitId: number;
  title: string;
  isInto: boolean;
}

/** The duplicates of a unit and theirs, and the unit that it is a duplicate of. */
const merged = `with recursive part as (
  select work_unit_id from work_unit_merge where into_id = $1
  union select m.work_unit_id from work_unit_merge m join part p on m.into_id = p.work_unit_id
)
select w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId", w.title, x.is_into as "isInto"
from (select work_unit_id, false as is_into from part union all select into_id, true from work_unit_merge where work_unit_id = $1) x
join work_unit w on w.work_unit_id = x.work_unit_id order by x.is_into desc, w.public_work_unit_id`;

const feed = implement(workUnitHistory, async (ctx, { workUnitId }) => {
  // A unit that the caller cannot see answers 404, not an empty feed.
  await get(ctx, servedWorkUnits, workUnitId);
  const merges = await ctx.db.query<MergedUnit>({ name: 'merged-units', text: merged, values: [workUnitId] });
  const numberOf = new Map(merges.flatMap((unit) => (unit.isInto ? [] : [[unit.workUnitId, unit.publicWorkUnitId] as const])));
  const page = await list(
    ctx,
    servedWorkUnitNotes,
    queryText<typeof workUnitNotes>({
      filter: oneOf(workUnitNotes, 'workUnitId', [workUnitId, ...numberOf.keys()]),
      orderBy: ['created desc', 'workUnitNoteId desc'],
      top: 1_000,
    }),
  );
  const value = page.value.map(({ workUnitNoteId, ...entry }) => {
    const mergedNumber = numberOf.get(entry.workUnitId);
    return { id: workUnitNoteId, ...entry, ...(mergedNumber === undefined ? {} : { mergedNumber }) };
  });
  return { value, merges };
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
