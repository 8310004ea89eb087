import { z } from 'zod';
import { defineJob, type Job } from '../jobs/job.ts';
import type { Periodic } from '../jobs/schedule.ts';
import { advanceRun, protocolStepsName, sweepRuns } from './protocol-run.ts';

/** Queued with an event, and with the outcome of each of its steps. */
export function protocolStepsJob(): Job {
  return defineJob({
    name: protocolStepsName,
    schema: z.object({ eventId: z.uuid() }),
    run: (ctx, { eventId }) => advanceRun(ctx.db, eventId),
  });
}

/** Finds what was lost with a dead job. */
export const protocolSweepWork: Periodic = { name: 'protocol-runs', everyMs: 60_000, run: sweepRuns };
