/** At which times rules evaluate packets. */
import { timeOfUuidV7 } from '../../../platform/uuid-v7.ts';
import type { IncomingPacket } from '../packet.ts';
import { correctedTime, noteReceipt, noticeableMs, type SenderClock } from './sender-clock.ts';

/** The time by which stored packets of an entity are ordered, as SQL; `p` is the alias of `packet` or `latest_packet`. */
export const orderedAt = (p: string) => `coalesce(nullif(${p}.evaluated, '-infinity'), least(${p}.timestamp, ${p}.received_timestamp))`;

/**
 * The time since which an entity is silent, as SQL; `l` is the alias of `latest_packet`. From the second receipt of late packets on,
 * while it is unknown whether they are a buffer or those of a wrong clock, their receipt counts: the entity reports.
 */
export const silentSince = (l: string) =>
  `case when ${l}.received_timestamp > ${orderedAt(l)} + interval '5 seconds' and ${l}.rule_state #> '{clock,receipts,1}' is not null
  then ${l}.received_timestamp else ${orderedAt(l)} end`;

/** The same of a latest packet in memory. */
export function silentSinceOf({ timestamp, packetId, state }: LatestTimes & { packetId: string }): number {
  return state.clock?.receipts?.[1] ? Math.max(timestamp, timeOfUuidV7(packetId) ?? timestamp) : timestamp;
}

/** A packet with the time at which rules evaluated it, as far as that is stored: see the column `evaluated`. */
interface StoredTimes {
  timestamp: number;
  packetId: string;
  evaluated?: number | null;
}

/** Returns the packet with the time at which rules evaluated it. */
export function withEvaluatedTime<P extends StoredTimes>(packet: P): P {
  const { timestamp, packetId, evaluated } = packet;
  const at = Number.isFinite(evaluated) ? (evaluated as number) : correctedTime(undefined, timestamp, timeOfUuidV7(packetId) ?? timestamp);
  return at === timestamp ? packet : { ...packet, timestamp: at };
}

/**
 * The time by which packets are ordered. A packet from a clock that is ahead is ordered by its time of receipt, which its id
 * contains; otherwise it would hide the correct packets after it.
 */
export function orderTime(packet: StoredTimes): number {
  return Math.min(withEvaluatedTime(packet).timestamp, timeOfUuidV7(packet.packetId) ?? packet.timestamp);
}

/** A packet as it was sent, and with the time at which rules evaluate it. */
export interface TimedPacket {
  sent: IncomingPacket;
  packet: IncomingPacket;
}

/** What decides besides the packets: the entity's latest packet, and what is known of the clock of its sender. */
interface LatestTimes {
  timestamp: number;
  sent?: number | undefined;
  state: { clock?: SenderClock | undefined };
}

interface TimedPackets {
  /** When the packets were received, in epoch milliseconds; undefined if their ids do not say it. */
  received: number | undefined;
  /** In the order of evaluation. */
  packets: readonly TimedPacket[];
  /** What is known of the sender's clock after these packets. */
  clock: SenderClock | undefined;
  /** Whether the latest packet was stored by a server whose clock was ahead: nothing is older than it. */
  isAfterFuture: boolean;
}

/**
 * Returns the packets of one entity, which were received together, with the times at which rules evaluate them. A packet that is
 * newer than the latest one by the clock of its sender is evaluated no earlier than that, also when the correction has changed.
 */
export function timed(latest: LatestTimes | undefined, sent: readonly IncomingPacket[]): TimedPackets {
  const received = timeOfUuidV7(sent[0]?.packetId ?? '');
  const before = latest?.state.clock;
  let newest = sent[0]?.timestamp ?? 0;
  for (let i = 1; i < sent.length; i += 1) newest = Math.max(newest, (sent[i] as IncomingPacket).timestamp);
  const clock = received === undefined ? before : noteReceipt(before, received, newest);
  const isAfterFuture = latest !== undefined && received !== undefined && latest.timestamp > received + noticeableMs;
  const minAt = latest === undefined || isAfterFuture ? -Infinity : latest.timestamp;
  const packets = sent.map((item): TimedPacket => {
    let at = item.evaluated ?? correctedTime(clock, item.timestamp, received ?? item.timestamp);
    if (at < minAt && item.timestamp >= (latest?.sent ?? Infinity)) at = minAt;
    return { sent: item, packet: at === item.timestamp ? item : { ...item, timestamp: at } };
  });
  return {
    received,
    packets:
      packets.length > 1
        ? packets.toSorted((a, b) => a.packet.timestamp - b.packet.timestamp || a.sent.timestamp - b.sent.timestamp)
        : packets,
    clock,
    isAfterFuture,
  };
}

/** Returns what the column `evaluated` gets for a packet: null if its time follows from its own time and its receipt. */
export function storedTime({ sent, packet }: TimedPacket, received = sent.timestamp): number | null {
  return correctedTime(undefined, sent.timestamp, received) === packet.timestamp ? null : packet.timestamp;
}
