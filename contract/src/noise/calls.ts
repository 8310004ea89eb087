/** The call that reports how much work each rule causes: its matches and work units. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const ruleNoise = z.object({
  ruleId: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  matches: z.number(),
  /** Matches with a single hit. */
  single: z.number(),
  /** Matches that began less than a lifetime after the previous match of the same subject had ended. */
  returning: z.number(),
  subjects: z.number(),
  /**
   * Subjects that flapped: `flappingMatches` or more matches within an hour. Their most changes in an hour, and the share of the time in
   * which they matched, from their first to their last match (0 to 1).
   */
  flapping: z.number(),
  changesPerHour: z.number(),
  timeMatching: z.number(),
  /** Minutes without a hit that would have joined most of the matches of these subjects, and how many of all matches would have remained. */
  clearMinutes: z.number(),
  clearMatches: z.number(),
  /** Work units that the rule opened, and further occurrences that were added to these work units. */
  units: z.number(),
  repeats: z.number(),
  /** Ended units, and the ended units on which nobody worked: never In Progress or On Hold, without a note of a person. */
  ended: z.number(),
  idle: z.number(),
  /** Minutes from the acknowledgement of units to their end (or until now), at most eight hours per unit; summed up. */
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
