/** Calls on one block beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { packetMessage } from '../resources/packets.ts';

export const blockHistory = defineAction({
  name: 'blockHistory',
  method: 'GET',
  path: '/v1/blocks/{id}/history',
  access: { area: 'Blocks', verb: 'view' },
  about: 'The values that the block showed, newest first; `pageNumber` counts from 0.',
  input: z
    .object({
      id: guidSchema,
      pageNumber: z.coerce.number().int().min(0, 'pageNumber counts from 0.').default(0),
      rowCount: z.coerce
        .number()
        .int()
        .min(1, 'rowCount is at least 1.')
        .max(limits.pageMax, `rowCount is at most ${limits.pageMax}.`)
        .default(100),
    })
    .refine((v) => v.pageNumber * v.rowCount <= limits.skipMax, {
      path: ['pageNumber'],
      error: `History goes back ${limits.skipMax} rows at most.`,
    }),
  output: z.object({
    historyItems: z.array(
      z.object({
        receivedTimestamp: z.string(),
        /** The packet's Value; null for a packet without one, such as a heartbeat. */
        value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
        timestamp: z.string(),
        /** The whole report: a heartbeat has metrics instead of a value. */
        message: packetMessage,
      }),
    ),
    totalCount: z.number(),
  }),
});

export const blockLogEntries = defineAction({
  name: 'blockLogs',
  method: 'GET',
  path: '/v1/blocks/{id}/logs',
  access: { area: 'Blocks', verb: 'view' },
  about: 'The log of a block, newest first.',
  input: z.object({ id: guidSchema }),
  output: z.object({ logs: z.array(z.object({ logEntryId: z.number(), created: z.string(), detail: z.string() })) }),
});

export const postBlockValue = defineAction({
  name: 'postBlockValue',
  method: 'POST',
  path: '/v1/blocks/{id}/value',
  access: { scope: 'ingest' },
  about: 'Posts a value to a numeric or smallText block, for outside systems that send one value.',
  input: z.object({
    id: guidSchema,
    value: z.union([z.string(), z.number(), z.boolean()], { error: 'value must be a number or a text.' }),
  }),
  output: z.object({ entityId: z.string(), status: z.literal('stored') }),
});
