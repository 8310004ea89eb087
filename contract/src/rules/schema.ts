/** The parts of a rule: conditions, time conditions and actions (RULE-013..017). */
import { z } from 'zod/mini';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';

/** The longest window in seconds. */
export const longestWindowSeconds = 86_400;
export const longestBaselineWeeks = 8;

/** The default window in seconds; equals the default lifetime of a match. */
export const defaultWindowSeconds = 300;

/**
 * Returns the length of a condition's window. By default, a forecast looks back as far as it looks ahead (from the default
 * window to the longest), because a line through a few minutes cannot predict hours.
 */
export function windowSecondsOf(
  measure: string | undefined,
  { WindowSeconds, AheadSeconds }: { WindowSeconds?: number | null | undefined; AheadSeconds?: number | null | undefined },
): number {
  if (typeof WindowSeconds === 'number') return WindowSeconds;
  if (measure !== 'forecast') return defaultWindowSeconds;
  return Math.min(longestWindowSeconds, Math.max(defaultWindowSeconds, AheadSeconds ?? 0));
}

/** How often a condition must hold before it counts (`/occuranceoptions`). */
export const occurrencePattern = z.discriminatedUnion('Kind', [
  z.object({ Kind: z.literal('EveryTime') }),
  z.object({ Kind: z.literal('TimesInRow'), Times: z.int().check(z.gte(2), z.lte(1_000)) }),
  z.object({
    Kind: z.literal('TimesWithin'),
    Times: z.int().check(z.gte(2), z.lte(1_000)),
    Seconds: z.int().check(z.gte(1), z.lte(86_400)),
  }),
  z.object({ Kind: z.literal('EveryTimeDuring'), Seconds: z.int().check(z.gte(1), z.lte(86_400)) }),
  z.object({ Kind: z.literal('Changed') }),
  z.object({ Kind: z.literal('NotSeenFor'), Seconds: z.int().check(z.gte(1), z.lte(604_800)) }),
]);

export type OccurrencePattern = z.infer<typeof occurrencePattern>;

/** A right side that is read like a left operand, in place of a fixed value: `0.9 × Metric Total`. */
const rightReading = z.object({
  Operand: z.int(),
  FieldName: z.nullish(z.string().check(z.maxLength(200))),
  /** The factor by which the reading is multiplied. */
  Factor: z.nullish(z.number()),
});

export type RightReading = z.infer<typeof rightReading>;

/** The hours from which a baseline is computed: the same hour of the week, or of each day, in the last weeks. */
const baseline = z.object({ Weeks: z.int().check(z.gte(1), z.lte(longestBaselineWeeks)), Hour: z.enum(['OfWeek', 'OfDay']) });

export type Baseline = z.infer<typeof baseline>;

export const condition = z.object({
  Type: z.enum(['And', 'Or']),
  LeftOperand: z.int(),
  LeftOperandFieldName: z.nullish(z.string().check(z.maxLength(200))),
  Operator: z.int().check(z.gte(1), z.lte(14)),
  RightOperand: z.nullish(z.string().check(z.maxLength(limits.regexLength))),
  /** In place of `RightOperand`. */
  RightReading: z.nullish(rightReading),
  OccurrencePattern: z.nullish(occurrencePattern),
  /** The window of operands that look back over packets or matches. */
  WindowSeconds: z.nullish(z.int().check(z.gte(1), z.lte(longestWindowSeconds))),
  /** How far a forecast looks ahead. */
  AheadSeconds: z.nullish(z.int().check(z.gte(1), z.lte(2_592_000))),
  /** For operands that compare with a baseline. Default: the same hour of the last four weeks. */
  Baseline: z.nullish(baseline),
});

export type Condition = z.infer<typeof condition>;

const timeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'Please enter a time as hh:mm.'));

/** When a rule can hold. A daily end at or before the daily start is on the next day. Days of the week: 0 is Sunday. */
export const timeConditions = z.object({
  StartRange: z.nullish(z.iso.datetime({ offset: true })),
  EndRange: z.nullish(z.iso.datetime({ offset: true })),
  DaysOfWeek: z.nullish(z.array(z.int().check(z.gte(0), z.lte(6))).check(z.maxLength(7))),
  DaysOfMonth: z.nullish(z.array(z.int().check(z.gte(1), z.lte(31))).check(z.maxLength(31))),
  /** Whether the last day of each month counts, beside the days of the month that are named. */
  LastDayOfMonth: z.nullish(z.boolean()),
  DailyStartTime: z.nullish(timeOfDay),
  DailyEndTime: z.nullish(timeOfDay),
  TimeZoneId: z.string({ error: 'A timezone is required.' }).check(z.minLength(1, 'A timezone is required.'), z.maxLength(100)),
});

export type TimeConditions = z.infer<typeof timeConditions>;

/** An action that a rule runs, with the values of its parameters. */
export const actionCall = z.object({
  ActionDefinitionId: guidSchema,
  Parameters: z._default(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])), {}),
});

export type ActionCall = z.infer<typeof actionCall>;
