/** The call that says how much each rule costs people: its matches and units. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const ruleNoise = z.object({
  ruleId: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  matches: z.number(),
  /** Matches with a single packet, or with a single check of a window. */
  single: z.number(),
  /** Matches that began less than a lifetime after the previous match of the same subject had ended. */
  returning: z.number(),
  subjects: z.number(),
  /** Work units that the rule opened, and how often a fault came back into one of them. */
  units: z.number(),
  repeats: z.number(),
  /** Units that have ended, and those of them on which nobody worked: never In Progress or On Hold, and without a note of a person. */
  ended: z.number(),
  idle: z.number(),
  /** From acknowledged to ended, at most eight hours of each unit. */
  minutes: z.number(),
});

export type RuleNoise = z.infer<typeof ruleNoise>;

export const ruleNoiseReport = defineAction({
  name: 'ruleNoise',
  method: 'GET',
  path: '/v1/rules/noise',
  access: { area: 'Rules', verb: 'view' },
  about: 'Rules of a tenant with matches in the last `days`, those that cost people most first.',
  input: z.object({
    tenantId: guidSchema,
    days: z.coerce.number({ error: 'days is a number.' }).int('days is a whole number.').min(1).max(90).default(28),
  }),
  output: z.object({ value: z.array(ruleNoise) }),
});
