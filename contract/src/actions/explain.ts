/** Why did a rule match, or why did it not: the calls and their one answer. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/**
 * What became of the evaluation. `hit` opened a match, `repeated` counted in one that was open, `late` and `suppressed`
 * opened one whose actions do not run. The others say why nothing happened.
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
 * What the rule looked at: a packet, the silence after the last one, what became of a match, the sums of a subscription,
 * a change of a work unit, or the time alone.
 */
export const explainedEvent = z.enum(['packet', 'silence', 'match', 'count', 'workUnit', 'time']);

export type ExplainedEvent = z.infer<typeof explainedEvent>;

/** One condition of the rule, in its order. */
export const explainedCondition = z.object({
  index: z.int(),
  /** Conditions of one group are joined by And, groups by Or. */
  group: z.int(),
  /** `Metric Cpu > 90, 3 times in a row` */
  text: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  /** False when the packet does not carry the reading, or the group is not about this entity. */
  observed: z.boolean(),
  /** The operator held for the value. */
  held: z.boolean(),
  /** It counts, its occurrence pattern included. */
  satisfied: z.boolean(),
  /** What its pattern remembered before and after. */
  before: z.unknown(),
  after: z.unknown(),
  /** In words: `saw 95, which holds` */
  saw: z.string(),
});

export const explainedAction = z.object({
  messageId: z.string(),
  actionDefinitionId: z.string(),
  name: z.string().nullable(),
  phase: z.string().nullable(),
  resultStatusId: z.int(),
  result: z.string(),
  processed: instant,
  /** Null for callers who may not view actions. */
  detail: z.unknown(),
});

export const explanation = z.object({
  ruleId: z.string(),
  ruleName: z.string().nullable(),
  entityId: z.string(),
  entityName: z.string().nullable(),
  /** The time that was asked for. */
  at: instant,
  outcome: explainedOutcome,
  /** Null: nothing happened by then that the rule looks at. */
  event: explainedEvent.nullable(),
  /** When that was; null with `event`. */
  eventAt: instant.nullable(),
  /** One sentence. */
  summary: z.string(),
  /** Further sentences: what failed, what is not known. */
  reasons: z.array(z.string()),
  /** `recorded`: kept when it happened; `evaluatedAgain`: from history, by the rule as it stood then; `none`: nothing was evaluated. */
  basis: z.enum(['recorded', 'evaluatedAgain', 'none']),
  rule: z
    .object({ ruleTypeId: z.int(), enabled: z.boolean(), since: instant, conditions: z.string(), changedSince: z.boolean() })
    .nullable(),
  packet: z.object({ packetId: z.string(), timestamp: instant, received: instant, message: z.unknown() }).nullable(),
  conditions: z.array(explainedCondition),
  /** Null: the rule has no time limitations. */
  inTimeWindow: z.boolean().nullable(),
  maintenance: z.object({ inMaintenance: z.boolean(), rules: z.array(z.object({ ruleId: z.string(), name: z.string() })) }),
  match: z
    .object({
      ruleMatchId: z.string(),
      firstMatch: instant,
      lastMatch: instant,
      expires: instant,
      closed: instant.nullable(),
      matchCount: z.int(),
      inMaintenance: z.boolean(),
    })
    .nullable(),
  actions: z.array(explainedAction),
  /** Empty for callers who may not view work units. */
  workUnits: z.array(z.object({ workUnitId: z.number(), publicWorkUnitId: z.number(), title: z.string(), stateId: z.string() })),
});

export type Explanation = z.infer<typeof explanation>;
export type ExplainedCondition = z.infer<typeof explainedCondition>;

/** Why a match opened, and what it led to. */
export const explainMatch = defineAction({
  name: 'explainRuleMatch',
  method: 'GET',
  path: '/v1/rulematches/{id}/explain',
  access: { area: 'Rules', verb: 'view' },
  input: z.object({ id: guidSchema }),
  output: explanation,
});

/**
 * What a rule made of the latest event of a subject at a time (default: now), also when that was nothing. The subject is an entity;
 * of a rule of type Aggregation a subscription, or that of the entity; of one of type WorkUnit a work unit by its number.
 */
export const explainRule = defineAction({
  name: 'explainRule',
  method: 'GET',
  path: '/v1/rules/{id}/explain',
  access: { area: 'Rules', verb: 'view' },
  input: z.object({
    id: guidSchema,
    entityId: z.optional(guidSchema),
    workUnitId: z.coerce.number({ error: 'workUnitId is a number.' }).int('workUnitId is a number.').positive().optional(),
    at: z.iso.datetime({ offset: true, error: 'at must be an ISO 8601 time with a zone.' }).optional(),
  }),
  output: explanation,
});
