/** Calls of sources beyond those of every entity: a new token, what was refused, and a payload on trial. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';
import { packetMessage } from '../resources/packets.ts';

export const newSourceToken = defineAction({
  name: 'newSourceToken',
  method: 'PUT',
  path: '/v1/sources/{id}/token',
  access: { area: 'Sources', verb: 'edit' },
  about: 'Gives a source a new token, which the answer alone contains. The one before is dead at once on every server.',
  input: z.object({ id: guidSchema }),
  output: z.object({ sourceId: z.string(), generatedToken: z.string() }),
  noStore: true,
});

export const sourceRefusals = defineAction({
  name: 'sourceRefusals',
  method: 'GET',
  path: '/v1/sources/{id}/refusals',
  access: { area: 'Sources', verb: 'view' },
  about: 'The last reasons for which items of a source were refused, each with a sample and how often.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    value: z.array(
      z.object({ code: z.string(), message: z.string(), sample: z.string(), count: z.number(), first: z.string(), last: z.string() }),
    ),
  }),
});

/** What an item of a payload would become. */
export const triedItem = z.object({
  /** Of a device or a block; absent when the item is refused before its name is known. */
  entity: z.object({ kind: z.enum(['device', 'block']), name: z.string(), is: z.enum(['known', 'pending', 'new', 'unknown']) }).optional(),
  timestamp: z.string().optional(),
  messageId: z.string().optional(),
  message: z.optional(packetMessage),
  /** Why it would be refused. */
  refusal: z.string().optional(),
});

export const trySource = defineAction({
  name: 'trySource',
  method: 'POST',
  path: '/v1/sources/{id}/try',
  access: { area: 'Sources', verb: 'view' },
  about: 'Says what a payload of a source would become: for each item the device or block, and the packet. Nothing is stored.',
  input: z.object({ id: guidSchema, body: z.string().max(200_000) }),
  output: z.object({ value: z.array(triedItem), more: z.number() }),
  reads: true,
});
