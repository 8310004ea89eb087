import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';

const delaysMs = doublingDelays(1_000, 60_000);

/** Returns a delay after a refusal, with full jitter (random, up to a limit that doubles per failure), so that agents do not retry together. */
export function retryDelayMs(failures: number, random?: () => number): number {
  return backoffMs(failures, { delaysMs, jitter: [0, 1] }, random);
}

/**
 * Of a server that is away, every try is a refused connection, which costs it nothing: for two minutes an agent asks at least every 8 s, so that
 * it is back soon after a restart or an upgrade. Thousands of agents then arrive spread over these seconds.
 */
const awayMs = [1_000, 2_000, 4_000, ...Array.from({ length: 30 }, () => 8_000), 16_000, 32_000, 60_000];

/** Returns a delay with full jitter after a server was away this many times in a row. */
export function awayDelayMs(failures: number, random?: () => number): number {
  return backoffMs(failures, { delaysMs: awayMs, jitter: [0, 1] }, random);
}

const gatewayStatuses = new Set([502, 503, 504]);

/** Whether an answer is that of a proxy whose server is away: a server that is there and busy says when to come again. */
export const isAway = ({ status, retryAfter }: { status: number; retryAfter: string | null }): boolean =>
  gatewayStatuses.has(status) && retryAfterMs(retryAfter) === undefined;

/** Returns the delay that `Retry-After` (seconds or a date) requests, at most an hour; undefined without a valid header. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 3_600_000) : undefined;
}
