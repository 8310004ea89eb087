import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';

const delaysMs = doublingDelays(1_000, 60_000);

/** Returns a delay with full jitter (random, up to a limit that doubles per failure), so that agents do not retry together. */
export function retryDelayMs(failures: number, random?: () => number): number {
  return backoffMs(failures, { delaysMs, jitter: [0, 1] }, random);
}

/** Returns the delay that `Retry-After` (seconds or a date) requests, at most an hour; undefined without a valid header. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 3_600_000) : undefined;
}
