/** The statements of one batch: each takes the whole batch, whatever its size. */
import type { Db } from '../db/connection.ts';
import type { EntityState, Latest } from './evaluate-entity.ts';
import type { Packet } from './parse-packet.ts';

/** A packet with the tenant of its entity. */
export interface StoredPacket {
  packet: Packet;
  tenantId: string;
  /** It becomes its entity's latest. */
  newest: boolean;
  /** What the rules remember after it; undefined leaves it as it is. */
  state: EntityState | undefined;
}

const iso = (at: number) => new Date(at).toISOString();
/** A list of ids, times or booleans as PostgreSQL reads it; nothing in it needs quoting. */
const array = (items: readonly (string | boolean)[]) => `{${items.join(',')}}`;

/** Keeps the senders' own ids; answers the indexes of those that are new. Sorted, so that two batches cannot wait for each other. */
export async function keepReceipts(db: Db, packets: readonly { packet: Packet; tenantId: string }[]): Promise<Set<number>> {
  const sent = packets.toSorted((a, b) => (receiptKey(a.packet) < receiptKey(b.packet) ? -1 : 1));
  const rows = await db.query<{ entity_id: string; message_id: string }>({
    name: 'ingest-receipts',
    text: `insert into packet_receipt (tenant_id, entity_id, message_id)
select tenant_id, entity_id, message_id from unnest($1::uuid[], $2::uuid[], $3::text[]) as r (tenant_id, entity_id, message_id)
on conflict do nothing returning entity_id, message_id`,
    values: [array(sent.map((p) => p.tenantId)), array(sent.map((p) => p.packet.entityId)), sent.map((p) => p.packet.messageId)],
  });
  const fresh = new Set(rows.map((row) => `${row.entity_id} ${row.message_id}`));
  return new Set(packets.filter((p) => fresh.has(receiptKey(p.packet))).map((p) => p.packet.index));
}

/** One sender's id of one packet; the same for a repeat. */
export function receiptKey(packet: Packet): string {
  return `${packet.entityId} ${packet.messageId}`;
}

interface LatestRow {
  entity_id: string;
  at: number;
  rule_state: EntityState | null;
}

// No packet is this old: the time of a row that waits for its first packet.
const never = 0;

const lock = `select entity_id, (extract(epoch from timestamp) * 1000)::float8 as at, rule_state
from latest_packet where entity_id = any($1) order by entity_id for update`;

function toLatest(rows: readonly LatestRow[]): Map<string, Latest> {
  return new Map(rows.filter((row) => row.at !== never).map((row) => [row.entity_id, { timestamp: row.at, state: row.rule_state ?? {} }]));
}

/**
 * Locks the entities of a batch in the order of their ids and reads what is remembered of them. An
 * entity without a row gets an empty one first, so that two batches with its first packet take turns too.
 */
export async function lockLatest(db: Db, tenants: ReadonlyMap<string, string>): Promise<Map<string, Latest>> {
  const ids = [...tenants.keys()].toSorted();
  const rows = await db.query<LatestRow>({ name: 'ingest-lock', text: lock, values: [array(ids)] });
  if (rows.length === ids.length) return toLatest(rows);
  const there = new Set(rows.map((row) => row.entity_id));
  const missing = ids.filter((id) => !there.has(id));
  await db.query({
    name: 'ingest-first',
    text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select entity_id, tenant_id, 'epoch', 'epoch', '00000000-0000-0000-0000-000000000000', '{}' from unnest($1::uuid[], $2::uuid[]) as r (entity_id, tenant_id)
on conflict do nothing`,
    values: [array(missing), array(missing.map((id) => tenants.get(id) ?? ''))],
  });
  const added = await db.query<LatestRow>({ name: 'ingest-lock', text: lock, values: [array(missing)] });
  return toLatest([...rows, ...added]);
}

const store = `with batch as materialized (
  select * from rows from (
    unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::timestamptz[]), unnest($4::uuid[]), unnest($5::boolean[]),
    jsonb_array_elements($6::jsonb), jsonb_array_elements($7::jsonb)
  ) as b (tenant_id, entity_id, at, packet_id, newest, message, state)
), history as (
  insert into packet (tenant_id, entity_id, timestamp, received_timestamp, packet_id, message)
  select tenant_id, entity_id, at, $8, packet_id, message from batch
)
update latest_packet l set timestamp = b.at, received_timestamp = $8, packet_id = b.packet_id, message = b.message,
  rule_state = coalesce(nullif(b.state, 'null'), l.rule_state)
from batch b where b.newest and l.entity_id = b.entity_id`;

/** History and latest in one statement. */
export async function storePackets(db: Db, packets: readonly StoredPacket[], received: number): Promise<void> {
  await db.query({
    name: 'ingest-store',
    text: store,
    values: [
      array(packets.map((p) => p.tenantId)),
      array(packets.map((p) => p.packet.entityId)),
      array(packets.map((p) => iso(p.packet.timestamp))),
      array(packets.map((p) => p.packet.packetId)),
      array(packets.map((p) => p.newest)),
      `[${packets.map((p) => p.packet.json).join(',')}]`,
      `[${packets.map((p) => (p.state ? JSON.stringify(p.state) : 'null')).join(',')}]`,
      iso(received),
    ],
  });
}
