/** Who calls: what earlier work units say about a phone number or an email address. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { severities, workUnitStates } from '../../enums.ts';
import { minPhoneDigits } from '../../phones.ts';

const openUnit = z.object({
  workUnitId: z.number(),
  publicWorkUnitId: z.number(),
  title: z.string(),
  severityId: z.enum(severities),
  stateId: z.enum(workUnitStates),
  created: z.string(),
});

const caller = z.object({
  tenantId: z.string(),
  tenant: z.string(),
  /** From their latest work unit that says it; empty if none does. */
  name: z.string(),
  phone: z.string(),
  email: z.string(),
  /** The category of most of their latest incidents, if it is still offered. */
  category: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** The newest first. */
  open: z.array(openUnit),
});
export type RecognizedCaller = z.infer<typeof caller>;

export const callersBy = defineAction({
  name: 'callersBy',
  method: 'POST',
  path: '/v1/workunits/callers',
  access: { area: 'WorkUnits', verb: 'view' },
  about: `Who calls, by phone number (at least ${minPhoneDigits} digits; country codes and what stands between digits do not count) or email address: for each tenant in which the caller may view work units, their name, usual category and open work units, from the latest 100.`,
  input: z.object({
    phone: z.string().max(60, 'At most 60 characters.').default(''),
    email: z.string().max(320, 'At most 320 characters.').default(''),
  }),
  output: z.object({ value: z.array(caller) }),
  reads: true,
});
