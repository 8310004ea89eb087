/** Finds the packet that made another one stale. */
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import type { Db } from '../../db/db.ts';
import { orderedAt, orderTime } from '../run/order/packet-times.ts';
import { iso, mayBeAheadMs, type PastPacket } from '../past/past-packets.ts';

type NewerPacket = NonNullable<Explanation['newerPacket']>;

const newer = `select packet_id as "packetId", timestamp, received_timestamp as received from packet p
where entity_id = $1 and timestamp > $2::timestamptz and received_timestamp > $2::timestamptz and timestamp < $4::timestamptz and received_timestamp < $3::timestamptz
  and ${orderedAt('p')} > $2::timestamptz order by timestamp desc limit 1`;

/** Returns the packet with the latest time among those that are newer than a packet and were received before it. */
export async function newerPacketThan(db: Db, packet: PastPacket): Promise<NewerPacket | undefined> {
  const { entityId, received } = packet;
  const [row] = await db.query<NewerPacket>({
    name: 'explain-newer-packet',
    text: newer,
    values: [entityId, iso(orderTime(packet)), iso(received), iso(received + mayBeAheadMs)],
  });
  return row;
}
