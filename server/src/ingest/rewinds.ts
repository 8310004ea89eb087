/** Reads what packets out of order need: the packets since a remembered state. Most batches have none. */
import type { Db } from '../db/db.ts';
import type { LatestPacketState } from '../rules/run/evaluate-entity.ts';
import { isLate } from '../rules/run/evaluate-packets.ts';
import { iso, mayBeAheadMs, pastColumns, type PastPacket } from '../rules/past/past-packets.ts';
import { checkpointAt, longestGraceMs } from '../rules/run/order/out-of-order.ts';
import { orderedAt, timed, withEvaluatedTime } from '../rules/run/order/packet-times.ts';
import type { IncomingPacket } from '../rules/run/packet.ts';
import type { AcceptedPacket } from './batch.ts';

/** How far back the packets of an entity can reach whose first packet is still within the grace. */
const firstMs = 4 * longestGraceMs;
/** By how much a sender's clock may differ from what is known of it. */
const slackMs = 60_000;
/** More packets are not evaluated again; then packets out of order are only stored. */
const atMost = 1_000;

// The time of a packet by the clock of its sender, by which the index orders, is at most $4 milliseconds before its evaluation.
const recent = `select ${pastColumns} from packet p where p.entity_id = $1 and p.timestamp > $2::timestamptz - make_interval(secs => $4::float8 / 1000)
  and p.timestamp < $3::timestamptz and ${orderedAt('p')} > $2::timestamptz and p.evaluated is distinct from '-infinity'
order by ${orderedAt('p')}, p.packet_id limit ${atMost + 1}`;

function asIncoming(past: PastPacket, index: number): IncomingPacket {
  const { packetId, entityId, timestamp, message } = withEvaluatedTime(past);
  return { index, packetId, entityId, timestamp, messageId: undefined, message, json: '' };
}

/** Returns the earliest time of a packet that is out of order, if any. */
function lateFrom(group: readonly AcceptedPacket[], latest: LatestPacketState): number | undefined {
  if (!group.some(({ packet }) => packet.timestamp < latest.timestamp)) return undefined;
  const { packets, isAfterFuture } = timed(
    latest,
    group.map(({ packet }) => packet),
  );
  return isAfterFuture ? undefined : packets.find(({ packet }) => isLate(packet, latest))?.packet.timestamp;
}

/** Returns the latest packets, with what the evaluation of packets out of order starts from where the batch has any. */
export async function withRewinds<T extends LatestPacketState | null | undefined>(
  db: Db,
  groups: ReadonlyMap<string, readonly AcceptedPacket[]>,
  latestById: ReadonlyMap<string, T>,
): Promise<ReadonlyMap<string, LatestPacketState | null | undefined>> {
  let rewound: Map<string, LatestPacketState | null | undefined> | undefined;
  for (const [id, group] of groups) {
    const latest = latestById.get(id);
    const from = latest ? lateFrom(group, latest) : undefined;
    if (!latest || from === undefined) continue;
    const checkpoint = checkpointAt(latest.checkpoints, from);
    const since = Math.max(checkpoint?.at ?? from - 1, from - firstMs);
    const offsetMs = Math.max(0, latest.state.clock?.offset ?? 0) + slackMs;
    const rows = await db.query<PastPacket>({
      name: 'ingest-recent',
      text: recent,
      values: [id, iso(since), iso(latest.timestamp + mayBeAheadMs), offsetMs],
    });
    if (rows.length > atMost) continue;
    rewound ??= new Map(latestById);
    rewound.set(id, { ...latest, rewind: { checkpoint, packets: rows.map(asIncoming) } });
  }
  return rewound ?? latestById;
}
