/** The form of a message of the stream: packets of one request that belong to one partition. */
import { crc32 } from 'node:zlib';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { IncomingPacket } from '../../rules/run/packet.ts';

/** More partitions than processes that will write them. A change of this number would mix the order of packets that wait. */
export const partitionCount = 16;

/** The partition of an entity: its packets are written in the order in which they were accepted. */
export const partitionOf = (tenantId: string, entityId: string): number => crc32(entityId, crc32(tenantId)) % partitionCount;

/** A packet of the stream, with the tenant for which it was accepted. */
export interface StreamedPacket extends Pick<IncomingPacket, 'entityId' | 'timestamp' | 'messageId' | 'message' | 'json'> {
  tenantId: string;
}

export interface PacketEnvelope {
  /** When the packets were accepted, in epoch milliseconds. */
  at: number;
  /** Through how many rules and actions their cause has passed (see `Ctx`). */
  hops: number;
  packets: readonly StreamedPacket[];
}

/** Later versions of the server read messages of earlier ones, which may wait in the stream during an upgrade. */
const version = 1;

/** Writes a line for the whole, then two for each packet: JSON has no line breaks, and the text of the packet goes on to the database as it is. */
export function writeEnvelope({ at, hops, packets }: PacketEnvelope): string {
  const lines = [JSON.stringify([version, at, hops])];
  for (const { entityId, tenantId, timestamp, messageId = null, json } of packets)
    lines.push(JSON.stringify([tenantId, entityId, timestamp, messageId]), json);
  return lines.join('\n');
}

/** Whether a later version of the server has written the message: then one of its processes can read it. */
export const isLaterEnvelope = (text: string): boolean => Number(/^\[(\d{1,9}),/.exec(text)?.[1] ?? 0) > version;

/** Reads what `writeEnvelope` has written; throws for any other text. */
export function readEnvelope(text: string): PacketEnvelope {
  const [head = '', ...lines] = text.split('\n');
  const [written, at, hops] = JSON.parse(head) as [number, number, number];
  if (written !== version || !Number.isFinite(at) || !Number.isFinite(hops) || lines.length % 2 !== 0)
    throw new Error(`This server does not know messages of the form ${head.slice(0, 50)}.`);
  const packets: StreamedPacket[] = [];
  for (let line = 0; line < lines.length; line += 2) {
    const [tenantId, entityId, timestamp, messageId] = JSON.parse(lines[line] ?? '') as [string, string, number, string | null];
    const json = lines[line + 1] ?? '';
    packets.push({ tenantId, entityId, timestamp, messageId: messageId ?? undefined, message: JSON.parse(json) as PacketMessage, json });
  }
  return { at, hops, packets };
}
