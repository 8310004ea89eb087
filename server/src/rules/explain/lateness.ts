/** Says of a packet that arrived after newer ones whether a rule evaluated it in its place. */
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { defaultGraceMs } from '../run/order/out-of-order.ts';
import { orderTime } from '../run/order/packet-times.ts';
import type { PastPacket } from '../past/past-packets.ts';

/** Returns by how many milliseconds packets were older than the newest one of those that were received before, for those that were. */
export function latenesses(packets: readonly PastPacket[]): ReadonlyMap<PastPacket, number> {
  const late = new Map<PastPacket, number>();
  let newest = -Infinity;
  const received = packets
    .map((packet) => ({ packet, at: orderTime(packet) }))
    .toSorted((a, b) => a.packet.received - b.packet.received || a.at - b.at);
  for (const { packet, at } of received) {
    if (newest > at) late.set(packet, newest - at);
    newest = Math.max(newest, at);
  }
  return late;
}

/** Whether a packet that was so late is older than the grace of the rule permits. */
export const isTooLate = (lateMs: number, { graceMs = defaultGraceMs }: Pick<IngestRule, 'graceMs'>): boolean => lateMs > graceMs;

/**
 * Says what became of a packet that arrived after a newer one: a rule evaluated it (`isTaken`), or not. `newer`: the newest packet that
 * was received before it.
 */
export function latenessText(
  { timestamp }: Pick<PastPacket, 'timestamp'>,
  newer: { timestamp: string },
  { graceMs = defaultGraceMs }: Pick<IngestRule, 'graceMs'>,
  isTaken: boolean,
  { why }: ExplanationWords,
): string {
  // Both are times by the same clock.
  const lateMs = Date.parse(newer.timestamp) - timestamp;
  const seconds = (ms: number) => why.seconds(Math.round(ms / 100) / 10);
  if (isTaken) return why.lateInPlace(seconds(lateMs));
  return lateMs > graceMs ? why.tooLate(seconds(lateMs), seconds(lateMs - graceMs), seconds(graceMs)) : why.onlyStored(seconds(lateMs));
}
