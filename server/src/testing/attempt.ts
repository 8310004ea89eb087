import type { JobAttempt } from '../jobs/job.ts';

/** A try of a job, for tests that run the job without a worker. It has a slot for calls of `slot` and gets no other. */
export const attemptOf = (number = 1, slot?: string): JobAttempt => ({
  number,
  last: false,
  lease: null,
  takeCallSlot: (destination) => Promise.resolve(destination === slot ? 'had' : 'none'),
});
