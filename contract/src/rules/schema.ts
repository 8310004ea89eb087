/** What a rule is made of: conditions, time conditions and the actions it calls (RULE-013..017). */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';

/** How often a condition must hold before it counts (`/occuranceoptions`). */
export const occurrencePattern = z.discriminatedUnion('Kind', [
  z.object({ Kind: z.literal('EveryTime') }),
  z.object({ Kind: z.literal('TimesInRow'), Times: z.int().min(2).max(1_000) }),
  z.object({ Kind: z.literal('TimesWithin'), Times: z.int().min(2).max(1_000), Seconds: z.int().min(1).max(86_400) }),
  z.object({ Kind: z.literal('EveryTimeDuring'), Seconds: z.int().min(1).max(86_400) }),
  z.object({ Kind: z.literal('Changed') }),
  z.object({ Kind: z.literal('NotSeenFor'), Seconds: z.int().min(1).max(604_800) }),
]);

export type OccurrencePattern = z.infer<typeof occurrencePattern>;

export const condition = z.object({
  Type: z.enum(['And', 'Or']),
  LeftOperand: z.int(),
  LeftOperandFieldName: z.string().max(200).nullish(),
  Operator: z.int().min(1).max(14),
  RightOperand: z.string().max(limits.regexLength).nullish(),
  OccurrencePattern: occurrencePattern.nullish(),
  /** How far back operands that count look. */
  WindowSeconds: z.int().min(1).max(86_400).nullish(),
});

export type Condition = z.infer<typeof condition>;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'Please enter a time as hh:mm.');

/** Narrows any rule; a daily end before its start wraps past midnight. Days of week: 0 is Sunday. */
export const timeConditions = z.object({
  StartRange: z.iso.datetime({ offset: true }).nullish(),
  EndRange: z.iso.datetime({ offset: true }).nullish(),
  DaysOfWeek: z.array(z.int().min(0).max(6)).max(7).nullish(),
  DaysOfMonth: z.array(z.int().min(1).max(31)).max(31).nullish(),
  DailyStartTime: timeOfDay.nullish(),
  DailyEndTime: timeOfDay.nullish(),
  TimeZoneId: z.string({ error: 'A timezone is required.' }).min(1, 'A timezone is required.').max(100),
});

export type TimeConditions = z.infer<typeof timeConditions>;

/** An action that a rule runs, with the values of its parameters. */
export const actionCall = z.object({
  ActionDefinitionId: guidSchema,
  Parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
});

export type ActionCall = z.infer<typeof actionCall>;
