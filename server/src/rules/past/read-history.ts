/** Reads packets of many entities in the order of time, in pieces of bounded size. */
import type { Db } from '../../db/db.ts';
import { firstReceived, inReceipt, iso, mayBeAheadMs, pastColumns, pastOrder, type PastPacket, type Period } from './past-packets.ts';

/** The number of entities that one statement reads. */
const groupSize = 250;
/** The maximum number of packets of one statement; with more, a shorter period is read. */
const maxRows = 10_000;
const stepMs = 6 * 3_600_000;
const minMs = 1_000;

/** Packets of some entities, by entity, up to a time. */
export interface Piece {
  packets: ReadonlyMap<string, readonly PastPacket[]>;
  count: number;
  /** The time up to which the packets of all entities have been read. */
  until: number;
  /** The end of the period of these packets. */
  to: number;
}

function grouped(rows: readonly PastPacket[]): Map<string, PastPacket[]> {
  const groups = new Map<string, PastPacket[]>();
  for (const row of rows) {
    const group = groups.get(row.entityId);
    if (group) group.push(row);
    else groups.set(row.entityId, [row]);
  }
  return groups;
}

/** Each entity's latest packet before a time. */
export async function readBefore(db: Db, ids: readonly string[], at: number): Promise<PastPacket[]> {
  const packets: PastPacket[] = [];
  for (let i = 0; i < ids.length; i += groupSize) {
    const rows = await db.query<PastPacket>({
      text: `select p.* from unnest($1::uuid[]) as e (id) cross join lateral (select ${pastColumns} from packet p
where p.entity_id = e.id and p.timestamp < $2::timestamptz order by p.timestamp desc limit 1) p`,
      values: [ids.slice(i, i + groupSize), iso(at)],
    });
    packets.push(...rows);
  }
  return packets;
}

/** Groups packets by entity, in the order of their receipt, without those that no rule can have evaluated. */
async function evaluatedOnes(db: Db, rows: readonly PastPacket[], until: number): Promise<Map<string, readonly PastPacket[]>> {
  const groups = grouped(rows);
  // Packets of the next piece are received after `until - mayBeAheadMs`. They make earlier packets stale only if these were
  // received even later.
  const late = rows.filter(({ received }) => received > until - mayBeAheadMs);
  const last = late.reduce((newest, { received }) => Math.max(newest, received), 0);
  const later = await firstReceived(db, [...new Set(late.map((packet) => packet.entityId))], until, last);
  return new Map([...groups].map(([id, packets]) => [id, inReceipt(packets, later.get(id), until)]));
}

function read(db: Db, ids: readonly string[], from: number, to: number, limit: number): Promise<PastPacket[]> {
  return db.query<PastPacket>({
    text: `select ${pastColumns} from packet p where p.entity_id = any($1::uuid[]) and p.timestamp >= $2::timestamptz and p.timestamp < $3::timestamptz
order by p.entity_id, ${pastOrder} limit $4`,
    values: [ids, iso(from), iso(to), limit],
  });
}

/** Reads packets in pieces. The packets of one entity are in the order of their receipt; groups of entities follow each other. */
export async function* readHistory(
  db: Db,
  ids: readonly string[],
  { from, to }: Period,
  /** `stale`: whether packets are included that came too late to be evaluated; then they are in the order of their times. */
  { stale = false }: { stale?: boolean } = {},
): AsyncGenerator<Piece> {
  const groups = Array.from({ length: Math.ceil(ids.length / groupSize) }, (_, i) => ids.slice(i * groupSize, (i + 1) * groupSize));
  let width = 3_600_000;
  for (let start = from; start < to; start += stepMs) {
    const end = Math.min(start + stepMs, to);
    for (const group of groups) {
      for (let at = start; at < end;) {
        const until = Math.min(at + width, end);
        // The shortest period is not divided further: up to ten times `maxRows` packets are read.
        const limit = width > minMs ? maxRows + 1 : maxRows * 10;
        const rows = await read(db, group, at, until, limit);
        if (rows.length > maxRows && width > minMs) {
          width = Math.max(minMs, width / 2);
          continue;
        }
        yield { packets: stale ? grouped(rows) : await evaluatedOnes(db, rows, until), count: rows.length, until: start, to: until };
        at = until;
        if (rows.length < maxRows / 4) width = Math.min(width * 2, stepMs);
      }
    }
  }
}
