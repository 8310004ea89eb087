/** Past packets in the order in which the rules saw them. */
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { Db } from '../../db/db.ts';
import { longestGraceMs } from '../run/order/out-of-order.ts';
import { orderedAt, orderTime } from '../run/order/packet-times.ts';

/** From the first time up to before the second, in epoch milliseconds. */
export interface Period {
  from: number;
  to: number;
}

/** Times are epoch milliseconds. */
export interface PastPacket {
  entityId: string;
  packetId: string;
  timestamp: number;
  received: number;
  /** The column `evaluated`: when rules evaluated it, -Infinity if they did not; no number if that follows from the other times. */
  evaluated?: number | null;
  message: PacketMessage;
}

export const pastColumns = `p.entity_id as "entityId", p.packet_id as "packetId", (extract(epoch from p.timestamp) * 1000)::float8 as timestamp,
  (extract(epoch from p.received_timestamp) * 1000)::float8 as received,
  (extract(epoch from p.evaluated) * 1000)::float8 as evaluated, p.message`;

/** Rules see a batch in order of packet times; equal times in order of receipt. */
export const pastOrder = 'p.timestamp, p.received_timestamp, p.packet_id';

/**
 * The maximum number of milliseconds by which a packet's time is ahead of its receipt, including a minute for different clocks
 * of servers.
 */
export const mayBeAheadMs = 6 * 60_000;

/**
 * Finds packets of one entity that were older than its latest packet when they arrived, and therefore were not evaluated. What is
 * stored of a packet decides; of other packets, their receipts. `packets` are in order of time; `laterReceived` is the earliest
 * receipt of packets with a later time.
 */
export function staleOnes(packets: readonly PastPacket[], laterReceived = Infinity): ReadonlySet<PastPacket> {
  const stale = new Set<PastPacket>();
  const ordered = packets.map((packet) => ({ packet, at: orderTime(packet) })).sort((a, b) => a.at - b.at);
  let afterThisTime = laterReceived;
  let upToThisTime = laterReceived;
  for (let i = ordered.length - 1; i >= 0; i -= 1) {
    const { packet, at } = ordered[i] as (typeof ordered)[number];
    if (ordered[i + 1]?.at !== at) afterThisTime = upToThisTime;
    if (typeof packet.evaluated === 'number' ? packet.evaluated === -Infinity : afterThisTime < packet.received) stale.add(packet);
    else upToThisTime = Math.min(upToThisTime, packet.received);
  }
  return stale;
}

/** A buffer that is received so long after its packets has them in order. */
const longestDelayMs = 4 * longestGraceMs;

/**
 * Returns the packets of one entity that rules may have evaluated, in the order of their receipt: without those that were older
 * than the latest one by more than the longest grace. `packets` are in order of time; further ones have times from `to` on, and
 * `laterReceived` is the earliest receipt of those.
 */
export function inReceipt(packets: readonly PastPacket[], laterReceived = Infinity, to = Infinity): readonly PastPacket[] {
  const stale = staleOnes(packets, laterReceived);
  if (stale.size === 0 && packets.every(({ evaluated }) => typeof evaluated !== 'number')) return packets;
  let newest = -Infinity;
  return packets
    .map((packet) => ({ packet, at: orderTime(packet) }))
    .sort((a, b) => a.packet.received - b.packet.received || a.at - b.at)
    .flatMap(({ packet, at }) => {
      const after = laterReceived < packet.received ? Math.max(newest, to) : newest;
      if (stale.has(packet) && (after - at > longestGraceMs || isWaiting(packet, to) === undefined)) return [];
      newest = Math.max(newest, at);
      return [packet];
    });
}

/**
 * Whether packets with times from `to` on may have been received before this one; undefined for one that was received so late that
 * this is not followed.
 */
export function isWaiting({ received }: PastPacket, to: number): boolean | undefined {
  if (received < to) return false;
  return received < to + longestDelayMs ? true : undefined;
}

/** Returns the earliest receipt per entity of packets from `from` on that were received before `receivedBefore`. */
export async function firstReceived(db: Db, ids: readonly string[], from: number, receivedBefore: number): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; received: number }>({
    text: `select entity_id as id, (extract(epoch from min(received_timestamp)) * 1000)::float8 as received from packet p
where entity_id = any($1::uuid[]) and timestamp >= $2::timestamptz and timestamp < $3::timestamptz and received_timestamp < $4::timestamptz
  and ${orderedAt('p')} >= $2::timestamptz group by 1`,
    values: [ids, iso(from), iso(receivedBefore + mayBeAheadMs), iso(receivedBefore)],
  });
  return new Map(rows.map((row) => [row.id, row.received]));
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
