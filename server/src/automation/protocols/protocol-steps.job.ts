import { z } from 'zod';
import { defineJob, type Job } from '../../jobs/job.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { protocolStepsName } from './protocol-event.ts';
import { advanceRun, sweepRuns } from './protocol-run.ts';

/** The job is queued with an event and with the outcome of each step. */
export function protocolStepsJob(): Job {
  return defineJob({
    name: protocolStepsName,
    schema: z.object({ eventId: z.uuid() }),
    run: (ctx, { eventId }) => advanceRun(ctx.db, eventId),
  });
}

/** Finds runs whose step is late, and runs whose job is a dead letter. */
export const protocolSweepWork: Periodic = { name: 'protocol-runs', everyMs: 5_000, run: sweepRuns };
