/** Passes one change of a work unit to its handlers: rules on work units and steps of its protocol. */
import type { Ctx } from '../context/ctx.ts';
import { workUnitEvent, workUnitEventName, type WorkUnitEvent } from '../features/work-units/work-unit-event.ts';
import { defineJob, type Job } from '../jobs/job.ts';

/** Must be idempotent for an `eventId`, because the job repeats the event when another handler fails. */
export type WorkUnitEventHandler = (ctx: Ctx, event: WorkUnitEvent) => Promise<void>;

/** Every handler gets every event, even when another handler fails. */
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
