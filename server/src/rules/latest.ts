/** What the rules remember of entities, as their latest packets keep it. */
import type { Db } from '../db/connection.ts';
import type { EntityState, Latest } from './evaluate-entity.ts';

interface LatestRow {
  entity_id: string;
  at: number;
  packet_id: string;
  rule_state: EntityState | null;
}

const read = `select entity_id, (extract(epoch from timestamp) * 1000)::float8 as at, packet_id, rule_state
from latest_packet where entity_id = any($1)`;

/** What is remembered of these entities; with `lock`, held until the end of the transaction, taken in the order of ids. */
export async function readLatest(db: Db, ids: readonly string[], lock: boolean): Promise<Map<string, Latest>> {
  const rows = await db.query<LatestRow>({
    name: lock ? 'ingest-lock' : 'ingest-read',
    text: lock ? `${read} order by entity_id for update` : read,
    values: [`{${ids.join(',')}}`],
  });
  return new Map(rows.map((row) => [row.entity_id, { timestamp: row.at, packetId: row.packet_id, state: row.rule_state ?? {} }]));
}
