/** Tries a rule that is not saved: on stored packets by backtests, and on the latest packets at once. */
import { z } from 'zod';
import { countGroups, groupings, recurrences } from '../enums.ts';
import { defineAction } from '../action.ts';
import { backtestLimits, packetsOfTenants } from '../limits.ts';
import { durationSchema, guidSchema } from '../resource.ts';
import { actionCall, condition, timeConditions } from '../rules/schema.ts';

const instant = (message: string) => z.iso.datetime({ offset: true, error: message });

/** A rule in the form in which it is saved; further fields are allowed. The lifetime is hh:mm:ss. */
export const backtestRule = z
  .object({
    name: z.string().min(1).max(200).default('Draft'),
    ruleTypeId: z.int({ error: 'Please select a Rule Type' }),
    tenantId: guidSchema,
    subscriptionId: z.nullish(guidSchema),
    matchLifetime: z._default(durationSchema, '00:05:00'),
    useSlidingExpiration: z.boolean().default(false),
    clearFor: z._default(durationSchema, '00:00:00'),
    lateGrace: z._default(durationSchema, '00:00:10'),
    tellLate: z.boolean().default(false),
    neverReported: z.boolean().default(false),
    countBy: z.enum(countGroups).default('Subscription'),
    countTag: z.nullish(z.string()),
    timeConditions: z.nullish(timeConditions),
    conditions: z.array(condition, { error: 'Condtions are required for rules.' }).min(1, 'Condtions are required for rules.').max(50),
    recoveryConditions: z.nullish(z.array(condition).max(20)),
    matchActions: z.array(actionCall).max(20).default([]),
    expirationActions: z.array(actionCall).max(20).default([]),
    protocolId: z.nullish(guidSchema),
    recurrence: z.enum(recurrences).default('Append'),
    reopenHours: z.nullish(z.int()),
    groupBy: z.enum(groupings).default('Subject'),
    groupTag: z.nullish(z.string()),
    groupWindow: z._default(durationSchema, '00:30:00'),
    groupSummary: z._default(durationSchema, '00:15:00'),
    stormLimit: z.nullish(z.int()),
  })
  .meta({ additionalProperties: true });

export type BacktestRule = z.infer<typeof backtestRule>;

export const backtestInput = z.object({
  rule: backtestRule,
  /** The saved rule with which the draft is compared; absent for no comparison. */
  ruleId: z.nullish(guidSchema),
  from: instant('The start must be an ISO 8601 time with a zone.'),
  /** Default: now. */
  to: instant('The end must be an ISO 8601 time with a zone.').optional(),
  /** The assumed time from the opening of a work unit to its resolution, because the past does not show it. */
  resolvedAfter: z._default(durationSchema, '04:00:00'),
  /** Default: the entities of the tenant that the rule concerns, up to `backtestLimits.entities`. */
  entityIds: z.array(guidSchema).min(1).max(backtestLimits.entities).optional(),
});

const match = z.object({
  entityId: z.string(),
  entityName: z.string(),
  firstMatch: z.string(),
  lastMatch: z.string(),
  expires: z.string(),
  matchCount: z.int(),
  inMaintenance: z.boolean(),
  /** The reason why the actions would not have run. */
  suppressed: z.enum(['late', 'maintenance']).nullable(),
  /** Whether the other rule opened a match at the same time; null without another rule. */
  inBoth: z.boolean().nullable(),
  /** The conditions that held, with the values that they compared: `Cpu 93 > 90`; missing in results of earlier versions. */
  values: z.string().optional(),
});

/**
 * The work that the matches would cause, if each unit is resolved `resolvedAfter` its opening. Calls are mails, messages and
 * calls of endpoints.
 */
const load = z.object({
  /** Work units that the matches would open. */
  workUnits: z.int(),
  /** Matches that are added to an open unit, so that nobody is called again. */
  added: z.int(),
  reopened: z.int(),
  /** Calls of the rule's actions and of the protocol's steps. */
  calls: z.int(),
  /** Calls of the protocol's steps. */
  steps: z.int(),
  /** Summaries of groups; each counts as one call per receiver. */
  summaries: z.int().default(0),
  /** Matches above the limit of a storm, which become one unit. */
  braked: z.int().default(0),
  /** The number of units whose protocol was simulated: the first ones, up to a limit. */
  simulated: z.int(),
  /** Work units and calls per day in UTC; days without either are left out. */
  days: z.array(z.object({ day: z.string(), workUnits: z.int(), calls: z.int() })),
});

export type BacktestLoad = z.infer<typeof load>;

/** The outcome that the draft or the saved rule would have had in the period. */
export const backtestOutcome = z.object({
  matches: z.int(),
  entities: z.int(),
  /** The number of matches that opened in each of equal parts of the period. */
  timeline: z.array(z.object({ from: z.string(), matches: z.int() })),
  actions: z.array(z.object({ actionDefinitionId: z.string(), phase: z.enum(['match', 'expiration']), run: z.int(), suppressed: z.int() })),
  /** The number of units if no match were added to an open unit or a group: one for each match whose actions open a unit. */
  workUnits: z.int(),
  /**
   * The work that the matches would cause; null in results of earlier versions, and when there are too many matches to add
   * up.
   */
  load: z.nullish(load),
  failed: z.int(),
  /** The first failure of the evaluation. */
  error: z.string().nullable(),
  /** The entities with the most matches first; missing in results of earlier versions. */
  byEntity: z.array(z.object({ entityId: z.string(), entityName: z.string(), matches: z.int(), last: z.string() })).optional(),
  /** The newest matches in the order in which they began, up to `backtestLimits.listed`. */
  list: z.array(match),
  truncated: z.boolean(),
  /** As in `list`: matches that the other rule did not open. Missing without another rule and in results of old versions. */
  differing: z.array(match).optional(),
});

export const backtestResult = z.object({
  draft: backtestOutcome,
  inForce: backtestOutcome.nullable(),
  /** Compares the matches that opened within the period; null without a saved rule. */
  difference: z.object({ same: z.int(), added: z.int(), removed: z.int() }).nullable(),
  /** Limitations of the result, in words: what the backtest takes from the present, and what it does not know. */
  notes: z.array(z.string()),
});

export type BacktestMatch = z.infer<typeof match>;
export type BacktestOutcome = z.infer<typeof backtestOutcome>;
export type BacktestResult = z.infer<typeof backtestResult>;

export const backtestStates = ['queued', 'running', 'done', 'stopped', 'failed'] as const;

export const backtestRun = z.object({
  id: z.string(),
  tenantId: z.string(),
  /** The backtest over tenants that it belongs to. */
  batchId: z.nullable(z.string()),
  state: z.enum(backtestStates),
  /** Progress from 0 to 1. */
  progress: z.number(),
  packets: z.number(),
  error: z.string().nullable(),
  createdBy: z.string(),
  created: z.string(),
  modified: z.string(),
  /** The rule as it was tested, and the saved rule that it was compared with. */
  rule: z.unknown(),
  inForce: z.unknown(),
  result: backtestResult.nullable(),
});

const access = { area: 'Rules', verb: 'view' } as const;
const ofRun = z.object({ id: guidSchema });

export const startBacktest = defineAction({
  name: 'startBacktest',
  method: 'POST',
  path: '/v1/rules/backtest',
  access,
  about: 'Starts a backtest: what a rule would have done with stored packets. Answers its id.',
  input: backtestInput,
  output: z.object({ id: z.string() }),
});

export const getBacktest = defineAction({
  name: 'getBacktest',
  method: 'GET',
  path: '/v1/rules/backtest/{id}',
  access,
  about: 'How far a backtest is, and what it found; it is stored for a week.',
  input: ofRun,
  output: backtestRun,
});

export const stopBacktest = defineAction({
  name: 'stopBacktest',
  method: 'POST',
  path: '/v1/rules/backtest/{id}/stop',
  access,
  about: 'Stops a running backtest. A finished one does not change.',
  input: ofRun,
  output: backtestRun,
});

/** A field that a condition reads, but that no latest packet of the condition's entities has. */
const unreportedField = z.object({
  /** Index of the condition. */
  condition: z.int(),
  /** Example: `Metric Disk` */
  field: z.string(),
});

export const matchingNowResult = z.object({
  /** The number of devices, operations and blocks that have sent a packet and that the rule concerns. */
  entities: z.int(),
  /** The number of these entities that satisfy the rule; null for conditions that one packet cannot answer. */
  matching: z.nullable(z.int()),
  first: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Whether a condition must hold several times. One packet cannot show that, so the condition counts if it holds once. */
  ignoresRepeats: z.boolean(),
  unreported: z.array(unreportedField),
  /** A device that reports every field of the rule, as does an operation of it: one fault of the device is two matches. */
  twice: z.nullable(z.object({ device: z.string(), operation: z.string() })),
  /** Whether the tenant has more latest packets than are read. */
  truncated: z.boolean(),
});

export type MatchingNow = z.infer<typeof matchingNowResult>;

export const matchingNow = defineAction({
  name: 'matchingNow',
  method: 'POST',
  path: '/v1/rules/matchingNow',
  reads: true,
  access,
  about:
    'How many devices, operations and blocks satisfy a rule that is not saved on their latest packets, which fields of its conditions none of them reports, and whether a device and its operation report the same. Only for the types that look at packets: Ingestion and History.',
  /** `ruleId`: the saved rule, whose exceptions hold for the draft too. */
  input: z.object({ rule: backtestRule, ruleId: z.nullish(guidSchema) }),
  output: matchingNowResult,
});

export const matchingOfTenants = defineAction({
  name: 'matchingOfTenants',
  method: 'POST',
  path: '/v1/rules/matchingNow/tenants',
  reads: true,
  access,
  about: `How many devices, operations and blocks satisfy a rule of several tenants that is not saved, on their latest packets: those of the tenants where the caller may view rules, by name, until ${packetsOfTenants} packets are read. \`ruleId\` is the saved rule, whose exceptions hold.`,
  input: z.object({
    rule: backtestRule.omit({ tenantId: true, subscriptionId: true }).meta({ additionalProperties: true }),
    /** The group of the rule; null or absent for all tenants. */
    tenantGroupId: z.nullish(guidSchema),
    ruleId: z.nullish(guidSchema),
  }),
  output: z.object({
    /** The number of tenants that were read. */
    tenants: z.int(),
    /** The number of those with something that satisfies the rule. */
    tenantsMatching: z.int(),
    entities: z.int(),
    /** Null for conditions that one packet cannot answer. */
    matching: z.nullable(z.int()),
    /** The tenants with the largest numbers. */
    largest: z.array(z.object({ tenantId: z.string(), name: z.string(), entities: z.int(), matching: z.int() })),
    /** Whether there are more packets than were read. */
    truncated: z.boolean(),
  }),
});
