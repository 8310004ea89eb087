const firstMs = 1_000;
const maxMs = 60_000;

/** Full jitter: a random time up to a limit that doubles with each failure, at most a minute, so that agents do not reconnect at the same moment. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1)));
}

/** The time that `Retry-After` (seconds or a date) requests, at most an hour; `undefined` without a valid header. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 3_600_000) : undefined;
}
