/** The ledger: what is stuck, late or failed and, on request, what waits, is held or was suppressed. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { ledgerKinds, ledgerStates } from '../ledger.ts';
import { guidSchema } from '../resource.ts';

export const ledgerEntry = z.object({
  kind: z.enum(ledgerKinds),
  state: z.enum(ledgerStates),
  /** Identifies the entry within its kind, such as the `messageId` of an action, or the name of periodic work. */
  id: z.string(),
  /** Null for entries of the installation. */
  tenantId: z.string().nullable(),
  since: z.string(),
  ageSeconds: z.number(),
  cause: z.string(),
  ruleId: z.string().nullable(),
  /** The id of the entity, action definition or work unit, or the name of the job or periodic work. */
  subject: z.string().nullable(),
  /** The name of the rule of `ruleId`; without a rule, that of the action, work unit, job or periodic work. */
  title: z.string().nullable(),
  /** The name of the rule's entity, or of the work unit with its number; for an action, of the unit or else the entity that it is about. */
  subjectName: z.string().nullable(),
  /** For an action, the number of its execution. */
  actionHistoryId: z.number().nullable(),
  nextTry: z.string().nullable(),
  /** Whether the entry is a job in the dead letters; such a job can be replayed. */
  isDead: z.boolean(),
  correlationId: z.string().nullable(),
});

export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const ledger = defineAction({
  name: 'ledger',
  method: 'GET',
  path: '/v1/ledger',
  access: { area: 'Settings', verb: 'view' },
  about:
    'Failures of the last `hours` and everything that waits too long; with `waiting` also what waits for its next try, for a mail server or for the end of a maintenance, and what was suppressed. Up to `top` entries per kind, newest first.',
  input: z.object({
    tenantId: z.optional(guidSchema),
    kind: z.enum(ledgerKinds, { error: `kind is one of ${ledgerKinds.join(', ')}.` }).optional(),
    hours: z.coerce.number({ error: 'hours is a number.' }).int('hours is a whole number.').min(1).max(720).default(24),
    waiting: z
      .enum(['true', 'false'], { error: 'waiting is true or false.' })
      .transform((text) => text === 'true')
      .default(false),
    top: z.coerce.number({ error: 'top is a number.' }).int('top is a whole number.').min(1).max(500).default(100),
  }),
  output: z.object({ value: z.array(ledgerEntry) }),
});
