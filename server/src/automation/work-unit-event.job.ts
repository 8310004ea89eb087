/** Hands one change of a work unit to all that follows from it: rules on work units, steps of its protocol. */
import type { Ctx } from '../context/ctx.ts';
import { workUnitEvent, workUnitEventName, type WorkUnitEvent } from '../features/work-units/work-unit-event.ts';
import { defineJob, type Job } from '../jobs/job.ts';

/** Bears a second run of the same `eventId`: another handler may have failed after it. */
export type WorkUnitEventHandler = (ctx: Ctx, event: WorkUnitEvent) => Promise<void>;

/** Every handler gets every event; one that fails keeps no other from it. */
export function workUnitEventJob(handlers: readonly WorkUnitEventHandler[]): Job {
  return defineJob({
    name: workUnitEventName,
    schema: workUnitEvent,
    async run(ctx, event) {
      const results = await Promise.allSettled(handlers.map((handle) => handle(ctx, event)));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  });
}
