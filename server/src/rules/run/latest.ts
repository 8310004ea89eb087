/** Reads the memory of rules, which the latest packets of entities contain. */
import type { Db } from '../../db/db.ts';
import type { EntityState, LatestPacketState } from './evaluate-entity.ts';
import { orderedAt } from './order/packet-times.ts';

interface LatestRow {
  entity_id: string;
  at: number;
  sent: number;
  packet_id: string;
  revision: number;
  rule_state: EntityState | null;
}

const read = `select entity_id, (extract(epoch from ${orderedAt('l')}) * 1000)::float8 as at, (extract(epoch from timestamp) * 1000)::float8 as sent,
  packet_id, revision, rule_state
from latest_packet l where entity_id = any($1)`;

/** Reads the latest packets. `lock` locks them in the order of ids until the end of the transaction. */
export async function readLatest(db: Db, ids: readonly string[], lock: boolean): Promise<Map<string, LatestPacketState>> {
  const rows = await db.query<LatestRow>({
    name: lock ? 'ingest-lock' : 'ingest-read',
    text: lock ? `${read} order by entity_id for update` : read,
    values: [`{${ids.join(',')}}`],
  });
  return new Map(
    rows.map(({ entity_id, at, sent, packet_id, revision, rule_state }) => [
      entity_id,
      { timestamp: at, sent, packetId: packet_id, revision, state: rule_state ?? {} },
    ]),
  );
}
