/** Packets in (domain, "Ingest"). */
import { z } from 'zod';
import { defineAction } from '../action.ts';

export const itemAnswer = z.object({
  index: z.number(),
  entityId: z.string().optional(),
  status: z.enum(['stored', 'duplicate', 'refused']),
  message: z.string().optional(),
});

/** Takes one packet, an array of up to 1,000, or NDJSON. The answer has a result per item. */
export const acceptPackets = defineAction({
  name: 'acceptPackets',
  method: 'POST',
  path: '/v1/packets',
  access: { scope: 'ingest' },
  input: z.unknown(),
  output: z.object({ value: z.array(itemAnswer) }),
});
