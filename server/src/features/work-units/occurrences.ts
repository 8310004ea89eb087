/** Counts another match in a unit. It is no change of the unit that runs its protocol: nobody is called again. */
import { sql } from 'kysely';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { writeHistory } from './feed/history.ts';
import { relate } from './related/relate.ts';
import { servedWorkUnits } from './work-units.served.ts';

interface Occurrence {
  /** The entry of the feed. */
  detail: string;
  relations: readonly { referenceId: string; referenceType: string }[];
}

/** Call it in a transaction. */
export async function addOccurrence(ctx: Ctx, workUnitId: number, { detail, relations }: Occurrence): Promise<void> {
  const before = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
  const { tenantId } = before;
  const write = sql`update work_unit set occurrences = occurrences + 1, modified = now(), modified_by = ${actorName(ctx)}, version = version + 1
    where work_unit_id = ${workUnitId} returning *`;
  await writeRecorded(ctx, servedWorkUnits, 'update', write, before);
  await relate(
    ctx,
    relations.map((relation) => ({ ...relation, workUnitId, tenantId })),
  );
  await writeHistory(ctx, { workUnitId, tenantId }, [{ historyType: 'WorkUnitEvent', detail }]);
}
