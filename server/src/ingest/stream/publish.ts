/** Stores accepted packets in the stream. Their order within an entity is that of their requests. */
import { createHash } from 'node:crypto';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { AcceptedPacket } from '../batch.ts';
import { receiptKey } from '../store.ts';
import { partitionOf, writeEnvelope } from './envelope.ts';
import type { PacketStream } from './stream.ts';

/** An accepted packet and the request that sent it. */
export interface PacketOfRequest extends AcceptedPacket {
  sender: Ctx;
}

/** The characters after which a message of several packets ends, well below the longest that the stream takes. */
const messageLength = 262_144;

/** Divides packets into messages: of one request and one partition each, so that a request that is repeated has the same messages. */
function messagesOf(packets: readonly PacketOfRequest[]): { partition: number; packets: PacketOfRequest[] }[] {
  const open = new Map<Ctx, Map<number, { packets: PacketOfRequest[]; length: number }>>();
  const messages: { partition: number; packets: PacketOfRequest[] }[] = [];
  for (const one of packets) {
    const partition = partitionOf(one.tenantId, one.packet.entityId);
    let ofRequest = open.get(one.sender);
    if (!ofRequest) open.set(one.sender, (ofRequest = new Map()));
    let message = ofRequest.get(partition);
    if (!message || message.length + one.packet.json.length > messageLength) {
      message = { packets: [], length: 0 };
      ofRequest.set(partition, message);
      messages.push({ partition, packets: message.packets });
    }
    message.packets.push(one);
    message.length += one.packet.json.length;
  }
  return messages;
}

/** The id by which the stream knows a message again: that of its packets, if all have one. */
function idOf(packets: readonly PacketOfRequest[]): string | undefined {
  if (packets.some(({ packet }) => packet.messageId === undefined)) return undefined;
  return createHash('sha256')
    .update(packets.map(({ packet }) => receiptKey(packet)).join('\n'))
    .digest('base64url');
}

/**
 * Returns of each packet whether the stream has stored it now (false: it had it before), or why it could not. It does not throw for all:
 * packets of other requests are stored, and must not be sent again.
 */
export async function publishPackets(
  stream: PacketStream,
  packets: readonly PacketOfRequest[],
  { now, hops }: { now: number; hops: number },
): Promise<Map<PacketOfRequest, boolean | ApiError>> {
  const outcomes = new Map<PacketOfRequest, boolean | ApiError>();
  await Promise.all(
    messagesOf(packets).map(async (message) => {
      const text = writeEnvelope({ at: now, hops, packets: message.packets.map(({ packet, tenantId }) => ({ ...packet, tenantId })) });
      const outcome = await stream.publish(message.partition, text, idOf(message.packets)).catch((error: unknown) => {
        if (error instanceof ApiError) return error;
        throw error;
      });
      for (const packet of message.packets) outcomes.set(packet, outcome);
    }),
  );
  return outcomes;
}
