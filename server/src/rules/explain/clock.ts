import type { PastPacket } from '../history/past-packets.ts';
import { withOrderTime } from '../evaluate-entity.ts';

/** Returns a sentence if the clock of the packet's sender was too far ahead. */
export function clockReasons(packet: PastPacket): string[] {
  const { timestamp } = withOrderTime(packet);
  if (timestamp === packet.timestamp) return [];
  const seconds = Math.round((packet.timestamp - timestamp) / 1_000);
  return [`The clock of its sender was ${seconds} s ahead: the packet was evaluated at the time of its receipt.`];
}
