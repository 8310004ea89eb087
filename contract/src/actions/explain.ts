/** Calls that explain why rules matched or did not match. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';
import { backtestRule } from './backtest.ts';

/**
 * The result of the evaluation. `hit` opened a match and `repeated` counted in an open one; `late` opened a match whose actions
 * do not run, `suppressed` one whose actions wait for the end of a maintenance. Other values say why nothing happened.
 */
export const explainedOutcome = z.enum([
  'hit',
  'repeated',
  'late',
  'suppressed',
  'miss',
  'outsideTime',
  'stale',
  'failed',
  'disabled',
  'absent',
  'outOfScope',
  'noPacket',
  'notEvaluated',
]);

export type ExplainedOutcome = z.infer<typeof explainedOutcome>;

const instant = z.string();

/**
 * The event that the rule evaluated: a packet, the silence after the latest packet, a change of a match, the counts over many
 * entities, a change of a work unit, or the time alone.
 */
export const explainedEvent = z.enum(['packet', 'silence', 'match', 'count', 'workUnit', 'time']);

export type ExplainedEvent = z.infer<typeof explainedEvent>;

/** A condition of the rule; conditions are listed in the order of the rule. */
const explainedCondition = z.object({
  index: z.int(),
  /** Conditions of one group are joined by And, groups by Or. */
  group: z.int(),
  /** The condition in words, such as `Metric Cpu > 90, 3 times in a row`. */
  text: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  /** The value of the right side, if the condition reads it from the event; null if the event does not have it. */
  right: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  /**
   * For a condition on a baseline: the reading, and the baseline with which it was compared; null when the event does not have
   * both.
   */
  /** For a condition without a value because it needs a whole window: since when it counts, and for how many seconds it must. */
  fills: z.object({ since: z.int(), seconds: z.number() }).optional(),
  usual: z.nullable(z.object({ value: z.number(), mean: z.number(), deviation: z.number(), readings: z.int(), weeks: z.int() })).optional(),
  /** False when the packet lacks the reading, or when the group does not concern this entity. */
  observed: z.boolean(),
  /** Whether the operator holds for the value. */
  held: z.boolean(),
  /** Whether the condition is satisfied, including its occurrence pattern. */
  satisfied: z.boolean(),
  /** The stored state of the condition's occurrence pattern before and after the event. */
  before: z.unknown(),
  after: z.unknown(),
  /** Example: `saw 95, which holds`. */
  saw: z.string(),
  /** Progress of the occurrence pattern, such as `2 of 3 in a row`; null for a condition that does not count. */
  progress: z.string().nullable(),
});

export const explainedAction = z.object({
  messageId: z.string(),
  actionDefinitionId: z.string(),
  name: z.string().nullable(),
  phase: z.string().nullable(),
  resultStatusId: z.int(),
  result: z.string(),
  processed: instant,
  /** Since when the mail of the action has waited, because no mail server is set. */
  keptSince: instant.nullable(),
  /** When the action is tried again; null when it does not wait for a try. */
  nextTry: instant.nullable(),
  /** Until when calls to the action's receiver pause after repeated failures; null when they do not pause. */
  pausedUntil: instant.nullable(),
  /** Null when the caller may not view actions. */
  detail: z.unknown(),
});

const explainedMatch = z.object({
  ruleMatchId: z.string(),
  firstMatch: instant,
  lastMatch: instant,
  expires: instant,
  closed: instant.nullable(),
  matchCount: z.int(),
  inMaintenance: z.boolean(),
  /** When recovery conditions of the rule ended the match; null when they did not. */
  recovered: instant.nullable(),
  /**
   * When the actions of the match began to wait for the end of a maintenance, and in `heldUntil` when the wait ended; null
   * if the actions never waited.
   */
  heldSince: instant.nullable(),
  heldUntil: instant.nullable(),
});

/** A maintenance that a person started, or the maintenance of an approved change. */
const explainedWindow = z.object({
  maintenanceWindowId: z.string(),
  reason: z.string(),
  until: instant,
  isChange: z.boolean(),
  /** The work unit: the approved change, or the unit from which a person started the maintenance. */
  workUnitId: z.number().nullable(),
  publicWorkUnitId: z.number().nullable(),
  /** The name of the selection whose devices it holds; null for other devices. */
  selection: z.string().nullable(),
});

/**
 * Whether the entity is in maintenance, and by which rules and windows. `until`: the first moment after `at` at which nothing
 * holds the entity's matches; null if there is none within a month.
 */
const explainedMaintenance = z.object({
  inMaintenance: z.boolean(),
  rules: z.array(z.object({ ruleId: z.string(), name: z.string() })),
  windows: z.array(explainedWindow),
  until: instant.nullable(),
});

const explainedPacket = z.object({ packetId: z.string(), timestamp: instant, received: instant, message: z.unknown() });

/** A newer packet that was stored before the explained packet, so that the explained one was stale. */
const newerPacket = z.object({ packetId: z.string(), timestamp: instant, received: instant });

/** Who disabled or deleted the rule, by the name in the audit, and when. */
const ruleChange = z.object({ by: z.string(), at: instant });

const explainedUnit = z.object({
  workUnitId: z.number(),
  publicWorkUnitId: z.number(),
  title: z.string(),
  stateId: z.string(),
  /** When the ended unit opens again if its match goes on; missing when it does not. */
  opensAgainAt: z.string().optional(),
});

const basis = z.enum(['recorded', 'evaluatedAgain', 'none']);

export const explanation = z.object({
  ruleId: z.string(),
  ruleName: z.string().nullable(),
  entityId: z.string(),
  entityName: z.string().nullable(),
  /** The time that the explanation is about. */
  at: instant,
  outcome: explainedOutcome,
  /** Null if no event of the rule's kind happened up to `at`. */
  event: explainedEvent.nullable(),
  /** The time of `event`; null when `event` is null. */
  eventAt: instant.nullable(),
  /** One sentence. */
  summary: z.string(),
  /** More sentences: failed conditions, missing knowledge. */
  reasons: z.array(z.string()),
  /** `recorded`: stored at the time; `evaluatedAgain`: from history with the rule's version of that time; `none`: not evaluated. */
  basis,
  rule: z
    .object({ ruleTypeId: z.int(), enabled: z.boolean(), since: instant, conditions: z.string(), changedSince: z.boolean() })
    .nullable(),
  /** Who disabled or deleted the rule before `at`, and when; null if it was enabled at `at`, or if nothing is on record. */
  disabled: ruleChange.nullable(),
  packet: explainedPacket.nullable(),
  newerPacket: newerPacket.nullable(),
  conditions: z.array(explainedCondition),
  /** Null for a rule without time limitations. */
  inTimeWindow: z.boolean().nullable(),
  maintenance: explainedMaintenance,
  match: explainedMatch.nullable(),
  actions: z.array(explainedAction),
  /** Empty when the caller may not view work units. */
  workUnits: z.array(explainedUnit),
  /** When the messages and calls of the match run again, if nobody works on its work unit; missing when they do not. */
  repeatsAt: instant.optional(),
});

export type Explanation = z.infer<typeof explanation>;

export const explainMatch = defineAction({
  name: 'explainRuleMatch',
  method: 'GET',
  path: '/v1/rulematches/{id}/explain',
  access: { area: 'Rules', verb: 'view' },
  about: 'Explains why a match opened and what followed.',
  input: z.object({ id: guidSchema }),
  output: explanation,
});

export const explainRule = defineAction({
  name: 'explainRule',
  method: 'GET',
  path: '/v1/rules/{id}/explain',
  access: { area: 'Rules', verb: 'view' },
  about:
    'Explains what a rule did with the latest event of a subject at a time (default: now). The subject is an entity. For a rule of type Aggregation it is a subscription, or an entity of it; for type WorkUnit it is the number of a work unit.',
  input: z.object({
    id: guidSchema,
    entityId: z.optional(guidSchema),
    workUnitId: z.coerce.number({ error: 'workUnitId is a number.' }).int('workUnitId is a number.').positive().optional(),
    at: z.iso.datetime({ offset: true, error: 'at must be an ISO 8601 time with a zone.' }).optional(),
  }),
  output: explanation,
});

export const explainDraft = defineAction({
  name: 'explainDraft',
  method: 'POST',
  path: '/v1/rules/explain',
  reads: true,
  access: { area: 'Rules', verb: 'view' },
  about:
    'Explains what a rule that is not saved would have made of the latest packet of an entity at a time. Only for the types that look at packets: Ingestion and History.',
  input: z.object({
    rule: backtestRule,
    /** The saved rule, whose exceptions hold for the draft too. */
    ruleId: z.nullish(guidSchema),
    entityId: guidSchema,
    at: z.iso.datetime({ offset: true, error: 'at must be an ISO 8601 time with a zone.' }),
  }),
  output: explanation,
});

/** A short explanation of one rule for the entity. Another call returns the whole explanation of a rule. */
const explainedRule = z.object({
  ruleId: z.string(),
  ruleName: z.string(),
  ruleTypeId: z.int(),
  outcome: explainedOutcome,
  event: explainedEvent.nullable(),
  basis,
  summary: z.string(),
  reasons: z.array(z.string()),
  /** Whether a condition holds, but not often enough yet. */
  nearly: z.boolean(),
  /** The rule's conditions in words. */
  conditions: z.string(),
  disabled: ruleChange.nullable(),
  match: explainedMatch.nullable(),
  actions: z.array(explainedAction),
  workUnits: z.array(explainedUnit),
  /** When the messages and calls of the match run again, if nobody works on its work unit; missing when they do not. */
  repeatsAt: instant.optional(),
});

export type RuleOfEntity = z.infer<typeof explainedRule>;

/** What all rules of an entity's tenant did about the entity at a time: with a packet, or with its silence. */
export const entityExplanation = z.object({
  entityId: z.string(),
  entityName: z.string(),
  entityKind: z.string(),
  tenantId: z.string(),
  at: instant,
  packet: explainedPacket.nullable(),
  newerPacket: newerPacket.nullable(),
  /** Seconds between the packet and `at`; null without a packet. */
  silentSeconds: z.number().nullable(),
  maintenance: explainedMaintenance,
  /** One sentence: who was notified, or why nobody was. */
  summary: z.string(),
  reasons: z.array(z.string()),
  /** The actions of the listed matches: run, waiting for a try, failed, and recorded but not run. */
  actions: z.object({ run: z.int(), waiting: z.int(), failed: z.int(), suppressed: z.int() }),
  /** The number of rules per outcome, including those that are not listed. */
  counts: z.partialRecord(explainedOutcome, z.int()),
  /** Rules with a match first, then other rules by how close they came to holding; at most `explainedRules`. */
  rules: z.array(explainedRule),
  /** The number of rules that `counts` includes and `rules` does not list. */
  leftOut: z.int(),
});

export type EntityExplanation = z.infer<typeof entityExplanation>;

/** The number of rules that one explanation of an entity lists. */
export const explainedRules = 50;

export const explainEntity = defineAction({
  name: 'explainEntity',
  method: 'GET',
  path: '/v1/explain',
  access: { area: 'Rules', verb: 'view' },
  about: 'Why somebody was notified, or nobody: one packet, entity and moment over all rules at once.',
  input: z.object({
    /** A device, block or device operation. */
    entityId: guidSchema,
    /** Default: the latest packet up to `at`. */
    packetId: z.optional(guidSchema),
    at: z.iso.datetime({ offset: true, error: 'at must be an ISO 8601 time with a zone.' }).optional(),
  }),
  output: entityExplanation,
});
