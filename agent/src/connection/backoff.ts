const firstMs = 1_000;
const maxMs = 60_000;

/** Full jitter: anything from 0 to a ceiling that doubles with each failure up to a minute, so that agents do not come back together. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1)));
}

/** Milliseconds that `Retry-After` (seconds or a date) asks for; at most an hour, `undefined` when there is none. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 3_600_000) : undefined;
}
