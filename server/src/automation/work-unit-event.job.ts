/** Passes one change of a work unit to its handlers: rules on work units and steps of its protocol. */
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { workUnitEvent, workUnitEventName, type WorkUnitEvent } from '../features/work-units/work-unit-event.ts';
import { maxHoldMs } from '../executions/executions.ts';
import { defineJob, NotDue, type Job } from '../jobs/job.ts';
import { unitsOfLine } from './order-of-messages.ts';

/** Must be idempotent for an `eventId`, because the job repeats the event when another handler fails. */
export type WorkUnitEventHandler = (ctx: Ctx, event: WorkUnitEvent) => Promise<void>;

// An earlier event that fails again and again, because of one handler, does not hold the later ones for ever.
const earlier = `select 1 from job j where j.name = '${workUnitEventName}' and j.dead_at is null and (j.payload ->> 'workUnitId')::bigint = any(${unitsOfLine('$1::bigint')})
  and j.job_id < $2 and (j.attempts = 0 or j.leased_until > now() or j.run_at <= now() or j.created > now() - interval '${maxHoldMs} milliseconds') limit 1`;

/** Whether an earlier event of the unit, or of the unit of the fault before, is not handled yet; `jobId` is the job of the event. */
async function isEarlierOpen(db: Db, workUnitId: number, jobId: number): Promise<boolean> {
  return (await db.query({ name: 'work-unit-event-earlier', text: earlier, values: [workUnitId, jobId] })).length > 0;
}

/** Handles the events of a unit in the order of its changes. Every handler gets every event, even when another handler fails. */
export function workUnitEventJob(handlers: readonly WorkUnitEventHandler[]): Job {
  return defineJob({
    name: workUnitEventName,
    schema: workUnitEvent,
    async run(ctx, event, { lease }) {
      if (lease && (await isEarlierOpen(ctx.db, event.workUnitId, lease.jobId)))
        throw new NotDue('An earlier change of the unit is not handled yet.', 50);
      const results = await Promise.allSettled(handlers.map((handle) => handle(ctx, event)));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  });
}
