/** Writes messages of the stream by the same code as packets that come directly. */
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { currentTime } from '../../platform/clock.ts';
import { meters } from '../../platform/meters.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import type { Entities } from '../../rules/run/entities.ts';
import type { AcceptedPacket } from '../batch.ts';
import { refusalByEntity } from '../refusal-by-entity.ts';
import { refusals, type PacketRefusal } from '../refusals.ts';
import { receiptKey } from '../store.ts';
import { writeBatch, type BatchWriter } from '../write-batch.ts';
import type { PacketEnvelope, StreamedPacket } from './envelope.ts';
import { advance, type Advance } from './partitions.ts';

export interface MessageWriter {
  database: Pick<Database, 'scoped'>;
  log: Logger;
  entities: Entities;
  writer: BatchWriter;
  /** The process that owns the partitions. */
  process: string;
  /** Called with the tenants of stored packets. */
  stored: (tenants: readonly string[]) => void;
}

/** Messages that are written together, and how far they advance their partitions. */
export interface MessageBatch {
  envelopes: readonly PacketEnvelope[];
  advances: readonly Advance[];
}

/** What of a refused packet its record shows. */
const shownLength = 2_000;

interface RefusedPacket {
  packet: StreamedPacket;
  refusal: PacketRefusal | { code: 'NotWritten'; message: string };
}

/**
 * Records packets that were accepted and cannot be written, in the transaction that advances their partitions: what is tried again is
 * recorded once. The audit of their tenants shows why, and the packets as far as they are short: there the administrators of the tenant find
 * refusals.
 */
async function recordRefusals(tx: Db, refused: readonly RefusedPacket[]): Promise<void> {
  for (const { packet, refusal } of refused) {
    const { tenantId, entityId, messageId, timestamp, json } = packet;
    await recordAudit(tx, {
      actor: { kind: 'system', id: null, name: 'Stream' },
      verb: 'refused',
      entity: 'packets',
      entityId,
      tenantId,
      after: {
        reason: refusal.message,
        code: refusal.code,
        messageId,
        timestamp: new Date(timestamp).toISOString(),
        message: json.slice(0, shownLength),
      },
      correlationId: uuidV7(),
    });
  }
}

/** Counts and logs refusals, once they are recorded. */
function noteRefusals({ log }: MessageWriter, refused: readonly RefusedPacket[]): void {
  meters.packetsRefused += refused.length;
  for (const { packet, refusal } of refused) {
    const { tenantId, entityId, messageId } = packet;
    log.warn({ tenantId, entityId, messageId, ...refusal }, 'A packet of the stream was refused.');
  }
}

const tenantsOf = (packets: readonly { tenantId: string }[]): string[] => [...new Set(packets.map(({ tenantId }) => tenantId))].toSorted();

/**
 * Writes a batch in one transaction, with the positions of its partitions. Entities are looked at again: one may have been
 * disabled or removed since its packet was accepted, or belong to another tenant.
 */
export async function writeMessages(parts: MessageWriter, { envelopes, advances }: MessageBatch): Promise<void> {
  const { database, entities, writer, process } = parts;
  const sent = envelopes.flatMap(({ packets }) => packets);
  const byId = await entities.find(new Set(sent.map(({ entityId }) => entityId)));
  // The packets are taken as received together, within what `MessageBatch` spans; so their ids say one time.
  const received = Math.max(...envelopes.map(({ at }) => at));
  const accepted: AcceptedPacket[] = [];
  const refused: RefusedPacket[] = [];
  const keys = new Set<string>();
  let repeated = 0;
  for (const one of sent) {
    const entity = byId.get(one.entityId);
    const refusal = entity?.tenantId === one.tenantId ? refusalByEntity(entity, one.message) : refusals.unknownEntity;
    if (refusal || !entity) {
      refused.push({ packet: one, refusal: refusal ?? refusals.unknownEntity });
      continue;
    }
    const { tenantId, ...fields } = one;
    const packet = { ...fields, index: accepted.length, packetId: uuidV7(received) };
    const key = packet.messageId === undefined ? undefined : receiptKey(packet);
    if (key !== undefined && keys.has(key)) repeated += 1;
    else accepted.push({ packet, entity, tenantId });
    if (key !== undefined) keys.add(key);
  }
  const along = async (tx: Db): Promise<void> => {
    await recordRefusals(tx, refused);
    await advance(tx, process, advances);
  };
  if (accepted.length === 0) await database.scoped('all').transaction(along);
  else {
    const { hops = 0 } = envelopes[0] ?? {};
    const scope = tenantsOf([...accepted, ...refused.map(({ packet }) => packet)]);
    const { stored } = await writeBatch(writer, database.scoped(scope), accepted, { now: currentTime(), received, hops, along });
    meters.packetsStored += stored.length;
    meters.packetsDuplicate += repeated + accepted.length - stored.length;
    parts.stored(tenantsOf(accepted));
  }
  noteRefusals(parts, refused);
}

/** Records that a message cannot be written, however often it is tried, and advances its partition. */
export async function skipMessage(
  parts: MessageWriter,
  envelope: PacketEnvelope | undefined,
  step: Advance,
  error: unknown,
): Promise<void> {
  parts.log.error(
    { err: error, partition: step.partition, sequence: step.to },
    'A message of the stream cannot be written and is set aside.',
  );
  const message = 'The packet was accepted, and the server failed to write it. Its log says why.';
  const refused = (envelope?.packets ?? []).map((packet): RefusedPacket => ({ packet, refusal: { code: 'NotWritten', message } }));
  await parts.database.scoped('all').transaction(async (tx) => {
    await recordRefusals(tx, refused);
    await advance(tx, parts.process, [step]);
  });
  noteRefusals(parts, refused);
}

/** Whether a failure passes by itself, such as a database that is away; another one is the fault of a message. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'Unavailable' || error.code === 'Timeout');
}
