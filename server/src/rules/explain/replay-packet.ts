/** Evaluates an entity's past packets again, each with the rule's version of its time. */
import type { Db } from '../../db/db.ts';
import { circumstancesIn } from '../past/as-of.ts';
import type { Entity } from '../run/entity.ts';
import { packetEvent } from '../run/circumstances.ts';
import { orderedAt, orderTime, withEvaluatedTime } from '../run/order/packet-times.ts';
import { timeOfUuidV7 } from '../../platform/uuid-v7.ts';
import { firstReceived, iso, mayBeAheadMs, pastColumns, staleOnes, type PastPacket } from '../past/past-packets.ts';
import { lastStep, type LastStep } from './last-step.ts';
import { latenesses } from './lateness.ts';
import { compiler, type RuleVersion } from '../past/rule-versions.ts';

/** The maximum number of earlier packets that are evaluated to rebuild pattern memory. */
const longestLook = 2_000;
/**
 * The maximum number of packets that are read for a rule without memory: enough to find the previous packet, even among late
 * packets.
 */
const shortLook = 50;

export interface ReplayedPacket extends Omit<LastStep, 'at'> {
  /** The packet to explain. */
  packet: PastPacket;
  /** Whether pattern memory may depend on packets before those that were read. */
  cut: boolean;
}

/**
 * The entity's latest packets up to a time, in the order in which rules saw them. Includes a packet with just this time by the
 * clock of its sender, by which people name packets.
 */
export async function packetsUpTo(db: Db, entityId: string, at: number, count: number): Promise<PastPacket[]> {
  const rows = await db.query<PastPacket>({
    text: `select ${pastColumns} from packet p where p.entity_id = $1 and p.timestamp <= $4::timestamptz
  and (${orderedAt('p')} <= $2::timestamptz or p.timestamp = $2::timestamptz)
order by p.timestamp desc, p.received_timestamp desc, p.packet_id desc limit $3`,
    values: [entityId, iso(at), count, iso(at + mayBeAheadMs)],
  });
  return rows.toReversed().sort((a, b) => orderTime(a) - orderTime(b));
}

const oldest = "interval '8 days'";

/** A packet by its id, which contains the time of its receipt. */
export async function packetById(db: Db, entityId: string, packetId: string): Promise<PastPacket | undefined> {
  const received = timeOfUuidV7(packetId);
  if (received === undefined) return undefined;
  const [packet] = await db.query<PastPacket>({
    name: 'explain-packet',
    text: `select ${pastColumns} from packet p where p.entity_id = $1 and p.packet_id = $2
  and p.timestamp > $3::timestamptz - ${oldest} and p.timestamp < $4::timestamptz order by p.timestamp desc limit 1`,
    values: [entityId, packetId, iso(received), iso(received + mayBeAheadMs)],
  });
  return packet;
}

/** Returns the packet to explain, and the packets before it. */
async function packetsFor(
  db: Db,
  entityId: string,
  { at, packetId }: { at: number; packetId?: string | undefined },
  count: number,
): Promise<{ packets: PastPacket[]; packet: PastPacket | undefined }> {
  const packets = await packetsUpTo(db, entityId, at, count);
  const packet =
    packets.findLast((packet) => packet.packetId === packetId) ?? packets.findLast((packet) => packet.timestamp === at) ?? packets.at(-1);
  // A packet that was evaluated after its own time also comes after the packets in between.
  return packet && orderTime(packet) > at
    ? { packets: await packetsUpTo(db, entityId, orderTime(packet), count), packet }
    : { packets, packet };
}

/** Evaluates the packet with that id, or the latest packet at that time; undefined without a packet. */
export async function replayPacket(
  db: Db,
  entity: Entity,
  versions: readonly RuleVersion[],
  { at, packetId }: { at: number; packetId?: string | undefined },
): Promise<ReplayedPacket | undefined> {
  const compiled = compiler();
  const remembers = versions.some(({ rule }) => {
    const one = rule && compiled(rule);
    return one && typeof one !== 'string' && one.resting === undefined;
  });
  const count = remembers ? longestLook : shortLook;
  const { packets, packet } = await packetsFor(db, entity.id, { at, packetId }, count);
  if (!packet) return undefined;
  const lastReceived = Math.max(...packets.map((packet) => packet.received));
  const later = await firstReceived(db, [entity.id], orderTime(packet) + 1, lastReceived);
  const stale = staleOnes(packets, later.get(entity.id));
  const cut = remembers && packets.length === count;
  const isStale = [...stale].some((candidate) => candidate.packetId === packet.packetId);
  if (isStale) return { packet, cut, stale: true, trace: undefined, error: undefined, state: undefined };

  const rules = versions.flatMap(({ rule }) => {
    const one = rule && compiled(rule);
    return one && typeof one !== 'string' ? [one] : [];
  });
  const around = await circumstancesIn(db, rules, [entity], { from: packets[0] ? orderTime(packets[0]) : at, to: at });
  const late = latenesses(packets);
  const steps = packets
    .slice(0, packets.findIndex((candidate) => candidate.packetId === packet.packetId) + 1)
    .filter((packet) => !stale.has(packet))
    .map((packet) => ({
      at: orderTime(packet),
      evaluatedAt: packet.received,
      lateMs: late.get(packet) ?? 0,
      eventAfter: (previousAt: number | undefined) => packetEvent(around, entity, withEvaluatedTime(packet), previousAt),
    }));
  const last = lastStep(steps, versions, compiled);
  return last && { packet, cut, ...last };
}
