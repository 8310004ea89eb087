import { withEvaluatedTime } from '../run/order/packet-times.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { PastPacket } from '../past/past-packets.ts';

/** A smaller difference is that of a packet out of order, or of clocks that are right. */
const noticeableMs = 5_000;

/** Returns a sentence if the packet was evaluated at another time than its own because of the clock of its sender. */
export function clockReasons(packet: PastPacket, { why }: ExplanationWords): string[] {
  const behindMs = withEvaluatedTime(packet).timestamp - packet.timestamp;
  if (Math.abs(behindMs) <= noticeableMs) return [];
  const seconds = Math.round(Math.abs(behindMs) / 1_000);
  return [(behindMs < 0 ? why.clockAhead : why.clockBehind)(seconds)];
}
