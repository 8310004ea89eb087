/** When operations run: the beat of an interval, and the pauses before a process is started again. */
import { createHash } from 'node:crypto';
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';

/** A number below `limit`, computed from the operation's id: the same at every start, and different for each operation and machine. */
export function shareOf(deviceOperationId: string, limit: number): number {
  return createHash('sha256').update(deviceOperationId).digest().readUIntBE(0, 6) % limit;
}

/**
 * The first beat after `nowMs`. Beats are multiples of the interval, moved by the operation's own share of it: they do
 * not drift with the time that runs take, stay the same over restarts, and differ between machines.
 */
export function nextBeat(deviceOperationId: string, intervalMs: number, nowMs: number): number {
  const phase = shareOf(deviceOperationId, intervalMs);
  return Math.floor((nowMs - phase) / intervalMs + 1) * intervalMs + phase;
}

/** A process that ran this long was healthy. */
export const healthyMs = 60_000;
const delaysMs = doublingDelays(1_000, 60_000);

export function restartDelayMs(failures: number): number {
  return backoffMs(failures, { delaysMs });
}
