/** What administrators have to know of: one list, which the home page shows. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const notice = z.discriminatedUnion('kind', [
  /** Mails of the tenant that are kept because no mail server is set. For who may edit its settings. */
  z.object({ kind: z.literal('keptMails'), count: z.number() }),
  /** Little or no space is left on the disk of the data folder. For who may edit the settings of all tenants. */
  z.object({ kind: z.literal('storage'), level: z.enum(['low', 'full']), freeBytes: z.number(), sizeBytes: z.number() }),
]);

export type Notice = z.infer<typeof notice>;

/** Empty for who is no administrator. */
export const notices = defineAction({
  name: 'notices',
  method: 'GET',
  path: '/v1/notices',
  access: 'signed-in',
  input: z.object({ tenantId: guidSchema }),
  output: z.object({ value: z.array(notice) }),
});
