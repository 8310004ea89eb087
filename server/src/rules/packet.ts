/** The packet type of ingest and rules. */
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';

/** A checked packet. Times are epoch milliseconds. */
export interface IncomingPacket {
  /** Position in the batch. */
  index: number;
  packetId: string;
  entityId: string;
  timestamp: number;
  messageId: string | undefined;
  message: PacketMessage;
  /** `message` as JSON text for the database. */
  json: string;
}
