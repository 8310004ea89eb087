/** Reads the memory of rules, which the latest packets of entities contain. */
import type { Db } from '../db/db.ts';
import type { EntityState, LatestPacketState } from './evaluate-entity.ts';

interface LatestRow {
  entity_id: string;
  at: number;
  packet_id: string;
  rule_state: EntityState | null;
}

const read = `select entity_id, (extract(epoch from least(timestamp, received_timestamp)) * 1000)::float8 as at, packet_id, rule_state
from latest_packet where entity_id = any($1)`;

/** Reads the latest packets. `lock` locks them in the order of ids until the end of the transaction. */
export async function readLatest(db: Db, ids: readonly string[], lock: boolean): Promise<Map<string, LatestPacketState>> {
  const rows = await db.query<LatestRow>({
    name: lock ? 'ingest-lock' : 'ingest-read',
    text: lock ? `${read} order by entity_id for update` : read,
    values: [`{${ids.join(',')}}`],
  });
  return new Map(rows.map((row) => [row.entity_id, { timestamp: row.at, packetId: row.packet_id, state: row.rule_state ?? {} }]));
}
