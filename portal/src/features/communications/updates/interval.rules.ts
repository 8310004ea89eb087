/** When the next update is promised: after as long as the last one was promised for. */
import { hourMs, minuteMs } from '@cloudfit/contract/durations.ts';

const roundMs = 5 * minuteMs;

/** @param last the latest published update, otherwise the communication. */
export function nextUpdateAfter(last: { created: string; nextUpdate: string | null }, now: number): string {
  const promised = last.nextUpdate === null ? 0 : Date.parse(last.nextUpdate) - Date.parse(last.created);
  const intervalMs = promised > 0 ? promised : hourMs;
  return new Date(Math.ceil((now + intervalMs) / roundMs) * roundMs).toISOString();
}
