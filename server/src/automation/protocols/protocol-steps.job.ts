import { z } from 'zod';
import { defineJob, type Job } from '../../jobs/job.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { protocolStepsName } from './protocol-event.ts';
import { advanceRun, sweepRuns } from './protocol-run.ts';

/** Starts the next step of an event. Queued when an event begins and when a step has its outcome. */
export function protocolStepsJob(): Job {
  return defineJob({
    name: protocolStepsName,
    schema: z.object({ eventId: z.uuid() }),
    run: (ctx, { eventId }) => advanceRun(ctx.db, eventId),
  });
}

/** Advances runs whose step is late, and runs whose job is a dead letter. */
export const protocolSweepWork: Periodic = { name: 'protocol-runs', everyMs: 5_000, run: sweepRuns };
