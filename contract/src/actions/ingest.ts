/** The call by which programs send packets. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { packetMessage } from '../resources/packets.ts';

/** Reasons why an item of a batch is refused. Later versions may add codes. */
export const refusalCodes = [
  'InvalidJson',
  'InvalidText',
  'PropertyTwice',
  'PacketTooLarge',
  'TooManyKeys',
  'TooManyValues',
  'TooDeep',
  'InvalidPacket',
  'InvalidEntityId',
  'InvalidTimestamp',
  'TimestampTooOld',
  'TimestampAhead',
  'InvalidMessageId',
  'InvalidMessage',
  'UnknownEntity',
  'OtherDevice',
  'TenantDisabled',
  'EntityDisabled',
  'InvalidBlockValue',
  'NotStored',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

export const itemAnswer = z.object({
  index: z.number(),
  entityId: z.string().optional(),
  status: z.enum(['stored', 'duplicate', 'refused']),
  /** Why the item was refused, for programs; `message` says the same for people. Absent for other items. */
  code: z.enum(refusalCodes).optional(),
  message: z.string().optional(),
});

/** The description of a packet that programs send. The server parses each item separately, to refuse only invalid items. */
const packet = z.object({
  entityId: guidSchema,
  timestamp: z.iso.datetime({ offset: true }).optional().describe('When it was measured; left out, the time of receipt.'),
  messageId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The same id for the same entity is stored once, so that sending can be repeated.'),
  message: packetMessage,
});

export const acceptPackets = defineAction({
  name: 'acceptPackets',
  method: 'POST',
  path: '/v1/packets',
  access: { scope: 'ingest' },
  about:
    'Takes one packet, an array of up to 1,000, or NDJSON. `entityId` is the id of a device or device operation, or the `entityId` of a block. Answers a result per item, and the number of each outcome in the header `cloudfit-packets`: 200 when at least one is stored, now or before; 400 when all are refused.',
  input: z.union([packet, z.array(packet).max(limits.packetsPerBatch)]),
  output: z.object({ value: z.array(itemAnswer) }),
});
