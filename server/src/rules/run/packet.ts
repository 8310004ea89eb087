/** The packet type of ingest and rules. */
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';

/** A checked packet. Times are epoch milliseconds. */
export interface IncomingPacket {
  /** Position in the batch. */
  index: number;
  packetId: string;
  entityId: string;
  timestamp: number;
  /** When rules evaluate it, if that is decided already: a packet of the past that is evaluated again. */
  evaluated?: number;
  messageId: string | undefined;
  message: PacketMessage;
  /** `message` as JSON text for the database. */
  json: string;
}
