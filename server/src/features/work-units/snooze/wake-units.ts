/** Wakes snoozed work units when their time has come. */
import type { Logger } from 'pino';
import { systemCtx } from '../../../auth/system-ctx.ts';
import type { Database } from '../../../db/connection.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { wake } from './wake.ts';

const atOnce = 200;

// Two processes do not wake one unit: the second leaves out the locked unit, and who comes later sees that it is awake.
const lockDue = `select work_unit_id as id from work_unit where work_unit_id = $1 and snoozed_until <= $2 for no key update skip locked`;

interface SnoozedUnit {
  id: number;
  at: string | null;
}

const dueUnits = `select work_unit_id as id, snoozed_until as at from work_unit
where snoozed_until <= $1 and ($2::timestamptz is null or (snoozed_until, work_unit_id) > ($2, $3::bigint)) order by snoozed_until, work_unit_id limit ${atOnce}`;

/** Wakes the units whose time has come. Each has a transaction, so that one that fails does not hold up the others. */
export async function wakeUnits(database: Database, log: Logger, now?: () => Date): Promise<void> {
  const ctx = systemCtx({ database, log, name: 'Automation' });
  const system = now ? { ...ctx, now } : ctx;
  const until = system.now().toISOString();
  let last: SnoozedUnit | undefined;
  do {
    const values: unknown[] = [until, last?.at ?? null, last?.id ?? null];
    const due: SnoozedUnit[] = await system.db.query({ name: 'snoozed-units-due', text: dueUnits, values });
    for (const { id } of due) {
      try {
        await system.db.transaction(async (db) => {
          const [locked] = await db.query({ name: 'snoozed-unit-lock', text: lockDue, values: [id, until] });
          if (locked) await wake({ ...system, db }, servedWorkUnits, id);
        });
      } catch (error) {
        log.error({ err: error, workUnitId: id }, 'Cannot wake the snoozed unit; it is tried again.');
      }
    }
    last = due.length === atOnce ? due.at(-1) : undefined;
  } while (last);
}

export const wakeWork = (database: Database, log: Logger): Periodic => ({
  name: 'wake-units',
  everyMs: 5_000,
  run: () => wakeUnits(database, log),
});
