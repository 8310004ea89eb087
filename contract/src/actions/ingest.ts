/** Packets in (domain, "Ingest"). */
import { z } from 'zod';
import { defineAction } from '../action.ts';

/** Why an item of a batch is refused. Codes may be added. */
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
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

export const itemAnswer = z.object({
  index: z.number(),
  entityId: z.string().optional(),
  status: z.enum(['stored', 'duplicate', 'refused']),
  /** Only of refused items, for programs; `message` says the same to people. */
  code: z.enum(refusalCodes).optional(),
  message: z.string().optional(),
});

export const acceptPackets = defineAction({
  name: 'acceptPackets',
  method: 'POST',
  path: '/v1/packets',
  access: { scope: 'ingest' },
  about: 'Takes one packet, an array of up to 1,000, or NDJSON. The answer has a result per item.',
  input: z.unknown(),
  output: z.object({ value: z.array(itemAnswer) }),
});
