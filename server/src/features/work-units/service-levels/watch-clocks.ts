/** Records warnings and breaches of service levels when their time comes. */
import type { Logger } from 'pino';
import { followClocks, lastClocks } from '@cloudfit/contract/service-levels/clocks.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import { get } from '../../../resources/get.ts';
import { applyChange, changedFields } from '../../../resources/update.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { isEnded } from '../state.rules.ts';
import { awake } from '../snooze/wake.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { clockFields, levelTimes, readClocks, writeClocks } from './unit-clocks.ts';

const atOnce = 200;

// Two processes do not look at one unit at the same time: the second leaves out the locked unit. Who comes later sees that nothing is due.
const lockDue = `select w.work_unit_id as id from work_unit w where w.work_unit_id = $1
  and exists (select from work_unit_clock c where c.work_unit_id = $1 and c.look_at <= $2) for no key update of w skip locked`;

async function lookAt(ctx: Ctx, workUnitId: number): Promise<void> {
  const at = ctx.now();
  const [due] = await ctx.db.query<{ id: number }>({ name: 'clock-watch-lock', text: lockDue, values: [workUnitId, at.toISOString()] });
  if (!due) return;
  const before = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
  const clocks = await readClocks(ctx.db, workUnitId);
  // During an upgrade a server of the previous version, which knows no clocks, may have ended or held the unit: they catch up here.
  const { stateId, resolved } = before;
  const time = isEnded(stateId) && resolved ? Date.parse(resolved) : at.getTime();
  const event = { at: time, before: stateId, after: stateId, isAnswer: false, wasAnswered: false, choosesLevel: false };
  const result = followClocks(clocks, event, null);
  await writeClocks(ctx, before, clocks, result);
  // A change of the unit, whose event runs the steps of its protocol and the rules on work units.
  const times = levelTimes(clocks, result);
  const wakes = times.levelWarned || times.levelBreached ? awake : {};
  const after = { ...before, ...clockFields(lastClocks(clocks, result)), ...times, ...wakes };
  await applyChange(ctx, servedWorkUnits, { verb: 'update', before, after, changed: changedFields(workUnits, before, after) });
}

// In the order of their times, each call after the last unit of the call before: units that fail stay due and hold up no others.
const dueUnits = `select c.work_unit_id as id, min(c.look_at) as at from work_unit_clock c join tenant t on t.tenant_id = c.tenant_id and t.enabled
where c.look_at <= $1 group by 1 having $2::timestamptz is null or (min(c.look_at), c.work_unit_id) > ($2, $3::bigint)
order by 2, 1 limit ${atOnce}`;

interface DueUnit {
  id: number;
  at: string;
}

/** Looks at the units of which a clock is due. Each has a transaction, so that one that fails does not hold up the others. */
export async function watchClocks(database: Database, log: Logger, now?: () => Date): Promise<void> {
  const ctx = systemCtx({ database, log, name: 'Automation' });
  const system = now ? { ...ctx, now } : ctx;
  const until = system.now().toISOString();
  let last: DueUnit | undefined;
  do {
    const values: unknown[] = [until, last?.at ?? null, last?.id ?? null];
    const due: DueUnit[] = await system.db.query({ name: 'clock-watch-due', text: dueUnits, values });
    for (const { id } of due) {
      try {
        await system.db.transaction((db) => lookAt({ ...system, db }, id));
      } catch (error) {
        log.error({ err: error, workUnitId: id }, 'Cannot look at the clocks of the unit; it is tried again.');
      }
    }
    last = due.length === atOnce ? due.at(-1) : undefined;
  } while (last);
}

export const clockWatchWork = (database: Database, log: Logger): Periodic => ({
  name: 'clock-watch',
  everyMs: 2_000,
  run: () => watchClocks(database, log),
});
