/** When operations run: the beat of an interval, and the pauses before a process is started again. */
import { createHash } from 'node:crypto';
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';

/** Returns a number below `limit` that follows from the operation's id: equal at every start, different for each operation. */
export function shareOf(deviceOperationId: string, limit: number): number {
  return createHash('sha256').update(deviceOperationId).digest().readUIntBE(0, 6) % limit;
}

/**
 * Returns the first beat after `nowMs`. Beats are multiples of the interval, moved by a share of it that follows from the
 * operation's id: they do not drift with the duration of runs, survive restarts, and differ between machines.
 */
export function nextBeat(deviceOperationId: string, intervalMs: number, nowMs: number): number {
  const phase = shareOf(deviceOperationId, intervalMs);
  return Math.floor((nowMs - phase) / intervalMs + 1) * intervalMs + phase;
}

/** Milliseconds after which a kept-alive process counts as healthy: its end then resets the count of failures in a row. */
export const healthyMs = 60_000;
const delaysMs = doublingDelays(1_000, 60_000);

export function restartDelayMs(failures: number): number {
  return backoffMs(failures, { delaysMs });
}
