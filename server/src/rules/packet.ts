/** A packet as rules read it. */
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';

/** A checked packet. Times are epoch milliseconds. */
export interface IncomingPacket {
  /** Place in the batch. */
  index: number;
  packetId: string;
  entityId: string;
  timestamp: number;
  messageId: string | undefined;
  message: PacketMessage;
  /** `message` as it is stored. */
  json: string;
}
