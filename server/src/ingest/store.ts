/** The statements that store a batch. Each statement writes many packets at once. */
import type { Db, Statement } from '../db/db.ts';
import type { EntityState } from '../rules/run/evaluate-entity.ts';
import type { IncomingPacket } from '../rules/run/packet.ts';

/** A packet with the tenant of its entity. */
export interface PacketToStore {
  packet: IncomingPacket;
  tenantId: string;
  /** Whether it becomes the latest packet of its entity. */
  newest: boolean;
  /** Id of the packet that was the latest when the rules ran; null when there was none. */
  builtOn: string | null;
  /** How often other packets had changed the memory of the rules since `builtOn`. */
  revision: number;
  /** What the column `evaluated` gets; -Infinity for a packet that was not evaluated. */
  evaluated: number | null;
  /** The memory of the rules after this packet; undefined leaves the stored state as it is. */
  state: EntityState | undefined;
}

let isoOf = { at: 0, text: '1970-01-01T00:00:00.000Z' };

/** Formats a time. Remembers the last result, because the packets of a batch often share their time. */
function iso(at: number): string {
  if (isoOf.at !== at) isoOf = { at, text: new Date(at).toISOString() };
  return isoOf.text;
}

/** Returns the PostgreSQL array literal of ids, times or booleans, which need no quoting. */
const array = (items: readonly (string | boolean)[]) => `{${items.join(',')}}`;

/** Identifies a packet by its sender's message id; a repeated packet has the same key. */
export function receiptKey(packet: IncomingPacket): string {
  return `${packet.entityId} ${packet.messageId}`;
}

/** Stores message ids and returns the indexes of packets whose id is new. Sorts the rows, so that batches cannot deadlock. */
export async function storeReceipts(db: Db, packets: readonly { packet: IncomingPacket; tenantId: string }[]): Promise<Set<number>> {
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

/** SQLSTATEs of a batch that conflicts with another batch: over a latest packet, or over a message id. */
export const conflictCodes = { latest: '40001', receipt: '23505' } as const;

// The lists are unnested in the select list, because PostgreSQL would materialize each table function in `from`. `late`: for
// packets of an hour that is over by the database's clock, requests that the series of the hour are computed again. `over`: what the
// sweeps of silence must look at although it was not due. Nearly all
// batches are plain; the others have a packet that was not evaluated at its own time, or that changes the memory of the rules
// without being the newest (`revised`). `partly` is for plain batches: what concerns entities with another latest packet than when the rules
// ran is left out, and these entities are returned, instead of failing the batch.
function statement(isPlain: boolean, withReceipts: boolean, partly = false): string {
  const isFresh = 'entity_id <> all(array(select entity_id from stale))';
  return `with batch as materialized (
  select unnest($1::uuid[]) as tenant_id, unnest($2::uuid[]) as entity_id, unnest($3::timestamptz[]) as at, unnest($4::uuid[]) as packet_id,
    unnest($5::boolean[]) as newest, unnest($6::uuid[]) as built_on,
    jsonb_array_elements($7::jsonb) as message, jsonb_array_elements($8::jsonb) as state${
      isPlain ? '' : ', unnest($11::timestamptz[]) as evaluated, unnest($12::int[]) as revision'
    }${withReceipts ? `, unnest(${isPlain ? '$11' : '$13'}::text[]) as message_id` : ''}
), changed as (
  update latest_packet l set timestamp = b.at, received_timestamp = $9, packet_id = b.packet_id, message = b.message, evaluated = ${isPlain ? 'null' : 'b.evaluated'}, revision = 0,
    rule_state = coalesce(nullif(b.state, 'null'), l.rule_state)
  from batch b where b.newest and l.entity_id = b.entity_id and l.packet_id = b.built_on and l.revision = ${isPlain ? '0' : 'b.revision'}
  returning l.tenant_id, l.entity_id, old.told_packet = old.packet_id as was_told
), added as (
  insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message, evaluated, rule_state)
  select entity_id, tenant_id, at, $9, packet_id, message, ${isPlain ? 'null' : 'b.evaluated'}, nullif(state, 'null') from batch b where newest and built_on is null
  on conflict (entity_id) do nothing returning tenant_id, entity_id
)${
    isPlain
      ? ''
      : `, revised as (
  update latest_packet l set rule_state = b.state, revision = l.revision + 1,
    received_timestamp = case when l.timestamp > l.received_timestamp then l.received_timestamp else $9 end
  from batch b where not b.newest and b.state <> 'null' and l.entity_id = b.entity_id and l.packet_id = b.built_on and l.revision = b.revision
  returning l.tenant_id, l.entity_id, l.told_packet = l.packet_id as was_told
)`
  }${
    partly
      ? `, stale as materialized (
  select entity_id from batch where newest and (select count(*) from changed) + (select count(*) from added) < $10::int
    and entity_id <> all(array(select entity_id from changed union all select entity_id from added))
)`
      : ''
  }, history as (
  insert into packet (tenant_id, entity_id, timestamp, received_timestamp, packet_id, message${isPlain ? '' : ', evaluated'})
  select tenant_id, entity_id, at, $9, packet_id, message${isPlain ? '' : ', evaluated'} from batch${partly ? ` where ${isFresh}` : ''}
), over as (
  insert into silence_over (tenant_id, entity_id) select tenant_id, entity_id from changed where was_told union all select tenant_id, entity_id from added${
    isPlain ? '' : ' union all select tenant_id, entity_id from revised where was_told'
  }
), late as (
  insert into series_due (tenant_id, entity_id, hour)
  select distinct tenant_id, entity_id, date_trunc('hour', at) from batch where at < date_trunc('hour', now())${partly ? ` and ${isFresh}` : ''}
)${
    withReceipts
      ? `, receipts as (
  insert into packet_receipt (tenant_id, entity_id, message_id)
  select tenant_id, entity_id, message_id from batch where message_id is not null${partly ? ` and ${isFresh}` : ''} on conflict do nothing returning 1
)`
      : ''
  }
select ${
    partly
      ? 'array(select entity_id from stale) as stale'
      : `expect_rows((select count(*) from changed) + (select count(*) from added)${isPlain ? '' : ' + (select count(*) from revised)'}, $10, '${conflictCodes.latest}')`
  }${
    withReceipts
      ? `, expect_rows((select count(*) from receipts), ${isPlain ? '$12' : '$14'}${partly ? ` - (select count(*)::int from batch where message_id is not null and not (${isFresh}))` : ''}, '${conflictCodes.receipt}')`
      : ''
  }`;
}

const [plain, plainReceipts] = [statement(true, false), statement(true, true)];
const [partly, partlyReceipts] = [statement(true, false, true), statement(true, true, true)];
const [timed, timedReceipts] = [statement(false, false), statement(false, true)];

/**
 * Writes packets, latest packets and (with `receipts`) message ids. A large batch takes several statements; a single statement
 * is sent with the commit. Fails with one of `conflictCodes` when an entity has another latest packet than when the rules ran,
 * or when a message id is stored already.
 */
export async function storePackets(db: Db, packets: readonly PacketToStore[], received: number, receipts: boolean): Promise<void> {
  const parts = partsOf(packets);
  const [only] = parts;
  if (only && parts.length === 1) return db.defer(storeStatement(only, received, receipts));
  await db.transaction(async (tx) => {
    for (const part of parts) await tx.query(storeStatement(part, received, receipts));
  });
}

/**
 * Writes packets as `storePackets` does, as the last statement of `db`, but leaves out those of entities with another latest packet than when
 * the rules ran, and returns these entities. A batch that is large or has packets out of order is written whole or not at all.
 */
export async function storeCurrent(
  db: Db,
  packets: readonly PacketToStore[],
  received: number,
  receipts: boolean,
): Promise<ReadonlySet<string>> {
  const parts = partsOf(packets);
  const [only] = parts;
  if (!only || parts.length > 1 || !only.every(isPlain)) {
    await storePackets(db, packets, received, receipts);
    return new Set();
  }
  const values = plainValues(only, received);
  const [row] = await db.last<{ stale: string[] | null }>(
    receipts
      ? { name: 'ingest-store-current-receipts', text: partlyReceipts, values: [...values, ...receiptValues(only)] }
      : { name: 'ingest-store-current', text: partly, values },
  );
  return new Set(row?.stale);
}

/** Writes packets in a transaction as `storePackets` does. The statement of `next` is sent along with the last one, to run after it. */
export async function storePacketsThen<T>(
  tx: Db,
  packets: readonly PacketToStore[],
  received: number,
  { receipts, next }: { receipts: boolean; next: () => Promise<T> },
): Promise<T> {
  const statements = partsOf(packets).map((part) => () => tx.query(storeStatement(part, received, receipts)));
  const last = statements.pop();
  for (const send of statements) await send();
  const [, result] = await Promise.all([last?.(), next()]);
  return result;
}

/**
 * The maximum length of the messages in one statement, in characters. Building and sending a statement blocks other requests,
 * at this length for some milliseconds.
 */
const statementLength = 1_048_576;

/** Sorts the packets by entity, so that two batches cannot deadlock, and divides them into statements. */
function partsOf(packets: readonly PacketToStore[]): PacketToStore[][] {
  const rows = packets.toSorted((a, b) => (a.packet.entityId < b.packet.entityId ? -1 : a.packet.entityId > b.packet.entityId ? 1 : 0));
  const parts: PacketToStore[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    length += row.packet.json.length;
    if (length > statementLength) {
      parts.push([row]);
      length = row.packet.json.length;
    } else parts.at(-1)?.push(row);
  }
  return parts;
}

/** Whether a packet was evaluated at its own time and changes the memory of the rules only as the newest one. */
const isPlain = (p: PacketToStore): boolean => p.evaluated === null && p.revision === 0 && (p.newest || !p.state);

const plainValues = (rows: readonly PacketToStore[], received: number): unknown[] => [
  array(rows.map((p) => p.tenantId)),
  array(rows.map((p) => p.packet.entityId)),
  array(rows.map((p) => iso(p.packet.timestamp))),
  array(rows.map((p) => p.packet.packetId)),
  array(rows.map((p) => p.newest)),
  array(rows.map((p) => p.builtOn ?? 'NULL')),
  `[${rows.map((p) => p.packet.json).join(',')}]`,
  `[${rows.map((p) => (p.state ? JSON.stringify(p.state) : 'null')).join(',')}]`,
  iso(received),
  rows.filter((p) => p.newest || p.state).length,
];

function receiptValues(rows: readonly PacketToStore[]): [(string | null)[], number] {
  const messageIds = rows.map((p) => p.packet.messageId ?? null);
  return [messageIds, messageIds.filter((id) => id !== null).length];
}

function storeStatement(rows: readonly PacketToStore[], received: number, receipts: boolean): Statement {
  const values = plainValues(rows, received);
  const isPlainBatch = rows.every(isPlain);
  if (isPlainBatch && !receipts) return { name: 'ingest-store', text: plain, values };
  if (isPlainBatch) return { name: 'ingest-store-receipts', text: plainReceipts, values: [...values, ...receiptValues(rows)] };
  const evaluated = array(rows.map((p) => (p.evaluated === null ? 'NULL' : p.evaluated === -Infinity ? '-infinity' : iso(p.evaluated))));
  const revisions = array(rows.map((p) => String(p.revision)));
  if (!receipts) return { name: 'ingest-store-timed', text: timed, values: [...values, evaluated, revisions] };
  return { name: 'ingest-store-timed-receipts', text: timedReceipts, values: [...values, evaluated, revisions, ...receiptValues(rows)] };
}
