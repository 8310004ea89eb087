/** Adds further matches to an open unit. This does not run the unit's protocol, so nobody is notified again. */
import { sql } from '../../db/sql.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { writeHistory } from './feed/history.ts';
import { relate } from './related/relate.ts';
import { bringBack } from './snooze/wake.ts';
import { servedWorkUnits } from './work-units.served.ts';

interface Occurrence {
  /** The entry of the feed, if any. */
  detail?: string;
  relations: readonly { referenceId: string; referenceType: string }[];
  /** The number of matches. Default: 1. */
  count?: number;
  /** The cause, as a title. It replaces a title that the system wrote, not one that a person wrote. */
  title?: string;
}

// The system wrote the title when no person has changed it.
const titleOfSystem = sql`not exists (select from audit a where a.entity = 'workUnits' and a.entity_id = work_unit_id::text and a.verb = 'update'
  and a.actor_kind <> 'system' and a.before ->> 'title' is distinct from a.after ->> 'title')`;

/** Counts the matches, relates their rows to the unit and writes the feed. Call it in a transaction. */
export async function addOccurrence(ctx: Ctx, workUnitId: number, { detail, relations, count = 1, title }: Occurrence): Promise<void> {
  const before = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
  const { tenantId } = before;
  const text = title?.slice(0, workUnits.fields.title.max);
  const newTitle = text === undefined ? sql`title` : sql`case when ${titleOfSystem} then ${text} else title end`;
  const write = sql`update work_unit set occurrences = occurrences + ${count}, title = ${newTitle}, modified = now(), modified_by = ${actorName(ctx)},
    snoozed_until = null, snoozed_by = null, version = version + 1
    where work_unit_id = ${workUnitId} returning *`;
  const after = await writeRecorded(ctx, servedWorkUnits, 'update', write, before);
  if (after) await bringBack(ctx, { verb: 'update', before, after, changed: ['snoozedUntil'] });
  await relate(
    ctx,
    relations.map((relation) => ({ ...relation, workUnitId, tenantId })),
  );
  if (detail !== undefined) await writeHistory(ctx, { workUnitId, tenantId }, [{ historyType: 'WorkUnitEvent', detail }]);
}
