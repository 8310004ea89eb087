/** The form of refusals of items, and the refusals for invalid JSON and for too large items. */
import type { RefusalCode } from '@cloudfit/contract/actions/ingest.ts';
import { limits } from '@cloudfit/contract/limits.ts';

export interface PacketRefusal {
  code: RefusalCode;
  message: string;
}

export const refusals = {
  notJson: { code: 'InvalidJson', message: 'This packet is not valid JSON.' },
  poisoned: { code: 'InvalidPacket', message: 'A property of a packet must not be named __proto__ or constructor.' },
  tooLarge: { code: 'PacketTooLarge', message: 'A packet has at most 1 MB; send it in parts.' },
  tooManyKeys: {
    code: 'TooManyKeys',
    message: `A packet has at most ${limits.packetKeys} keys in Metrics, Properties, States and Diagnostics together; send the rest in further packets.`,
  },
  tooManyValues: {
    code: 'TooManyValues',
    message: `A packet has at most ${limits.packetValues.toLocaleString('en')} values, those in lists included; send the rest in further packets.`,
  },
  tooDeep: { code: 'TooDeep', message: `A packet nests at most ${limits.jsonDepth} levels deep.` },
  notStored: {
    code: 'NotStored',
    message: 'The server could not store this item, but others of the request. Send it again, without them.',
  },
  unknownEntity: {
    code: 'UnknownEntity',
    message: 'Unknown entity. Send the id of a device or device operation, or the entityId of a block, of this tenant.',
  },
} as const satisfies Record<string, PacketRefusal>;
