/** Declares a job, which is work that is done later: a name, a payload schema, a function. */
import type { z } from 'zod';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';

export type CallSlot = 'none' | 'had' | 'new';

/** Makes a leased job of this worker a call, so that it has a slot of its destination. */
export type KeepAsCall = (
  db: Db,
  worker: string,
  jobId: number,
  call: { destination: string; series?: string | undefined },
) => Promise<CallSlot>;

/** One try of a job. If the last try fails, the job becomes a dead letter. */
export interface JobAttempt {
  number: number;
  last: boolean;
  /** The lease under which the try runs; null for a try without a worker. A worker that stalled may have lost it. */
  lease: { jobId: number; worker: string } | null;
  /**
   * Whether the job has a slot for calls of this destination; takes one if one is free and no other call waits for it. `new`: has just taken
   * one of a destination of which no failure is stored, so its circuit is closed. `keep` writes that it has taken one, perhaps with more.
   */
  takeCallSlot(destination: string, series?: string, keep?: KeepAsCall): Promise<CallSlot>;
}

/**
 * The functions are methods, so that each declaration can be assigned to `Job`: the worker passes only payloads that the schema
 * has accepted.
 */
export interface JobDeclaration<P> {
  name: string;
  schema: z.ZodType<P>;
  /** The job takes seconds or more, so it has slots apart from those of other jobs. */
  isLong?: boolean;
  /**
   * The job sends something before it writes anything, so its lease is on disk before it runs: after a crash of the database, another worker
   * would send it too. Not for what may come twice, such as the download of a photo.
   */
  sendsUnrecorded?: boolean;
  /** May run again after a failure or a lost lease, so it must be idempotent. */
  run(ctx: Ctx, payload: P, attempt: JobAttempt): Promise<void>;
  /** Records the end of a job that will not be retried. */
  onDeadLetter?(ctx: Ctx, payload: P, error: string): Promise<void>;
}

/** Thrown by a job that would fail again in the same way: it becomes a dead letter at once, without further tries. */
export class PermanentFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PermanentFailure';
  }
}

/** Thrown by a job to set the time of its retry. */
export class RetryLater extends Error {
  readonly delayMs: number;
  constructor(message: string, delayMs: number) {
    super(message);
    this.name = 'RetryLater';
    this.delayMs = delayMs;
  }
}

/** Thrown by a job that has done nothing because it must still wait: does not count as a try. */
export class NotDue extends Error {
  readonly delayMs: number;
  constructor(message: string, delayMs: number) {
    super(message);
    this.name = 'NotDue';
    this.delayMs = delayMs;
  }
}

/** Thrown by a job that has done nothing because it needs a call slot, or a circuit is open: does not count as a try. */
export class NotTried extends Error {
  /** The destination that the job will call, of which it needs a slot. */
  readonly destination: string;
  /** The subject of the call: waiting calls of one series are sent one after another. */
  readonly series: string | undefined;
  constructor(message: string, destination: string, series?: string) {
    super(message);
    this.name = 'NotTried';
    this.destination = destination;
    this.series = series;
  }
}

/** Call this before an outbound call. Such jobs of tenants have separate slots, so that they never delay other jobs. */
export async function requireCallSlot(
  attempt: JobAttempt,
  destination: string,
  series?: string,
  keep?: KeepAsCall,
): Promise<Exclude<CallSlot, 'none'>> {
  const slot = await attempt.takeCallSlot(destination, series, keep);
  if (slot === 'none') throw new NotTried('Waits for a free slot of its receiver.', destination, series);
  return slot;
}

/** A job as the worker sees it: `run` gets only payloads that the schema accepted. */
export type Job = JobDeclaration<unknown>;

/** Declares a job; the payload's type follows from its schema. */
export function defineJob<P>(job: JobDeclaration<P>): Job {
  return job;
}

export type JobRegistry = ReadonlyMap<string, Job>;

/** Returns the jobs by name. Throws for two jobs with one name, which stops the start. */
export function jobRegistry(jobs: readonly Job[]): JobRegistry {
  const registry = new Map<string, Job>();
  for (const job of jobs) {
    if (registry.has(job.name)) throw new Error(`Two jobs are called ${job.name}.`);
    registry.set(job.name, job);
  }
  return registry;
}
