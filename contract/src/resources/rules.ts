import { z } from 'zod/mini';
import { blockColors, countGroups, groupings, recurrences, ruleTypes, whileMatching } from '../enums.ts';
import { actionCall, condition, timeConditions } from '../rules/schema.ts';
import { defineResource, durationSchema, f, many, once, one, optional, type Field } from '../resource.ts';

const noLifetime = 'Lifetime is required';
const noConditions = 'Condtions are required for rules.';

const matchLifetime: Field<string> = {
  ...f.duration('Lifetime', { required: true, initial: '00:05:00' }),
  schema: once(() => z.pipe(z.string({ error: noLifetime }).check(z.minLength(1, noLifetime)), durationSchema)),
};

const graceSchema = durationSchema.check(
  z.regex(/^0+:00:([0-2]\d|30)$/, 'The grace for packets out of order is at most 30 seconds (00:00:30).'),
);

/**
 * After this many new matches of all rules of a tenant in a minute, further matches of each rule become one group, except for
 * rules whose own limit is higher.
 */
export const tenantStormLimit = 500;

/** A rule of a tenant or of one subscription (RULE-011..017), of a group of tenants, or of all: without a tenant. */
export const rules = defineResource({
  name: 'rules',
  label: 'Rule',
  plural: 'Rules',
  key: 'ruleId',
  title: 'name',
  area: 'Rules',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: {
    by: ['tenantId', 'tenantGroupId', 'subscriptionId', 'name'],
    after: ['actionDefinitions', 'protocols', 'locations', 'onCallSchedules', 'workUnitCategories'],
  },
  fields: {
    ruleId: f.key('Rule ID'),
    name: f.text('Name', { required: true, search: true, message: 'Please enter a rule name' }),
    enabled: f.boolean('Enabled', { initial: true }),
    description: optional(f.text('Description', { max: 4_000 })),
    ruleTypeId: f.code('Rule type', ruleTypes, { required: true, message: 'Please select a Rule Type' }),
    tenantId: optional(f.ref('Tenant', 'tenants')),
    /** Without a tenant: the group for whose tenants the rule holds; null for all tenants. */
    tenantGroupId: optional(f.ref('Tenant group', 'tenantGroups')),
    subscriptionId: optional(f.ref('Subscription', 'subscriptions')),
    color: optional(f.choice('Color', blockColors)),
    matchLifetime,
    useSlidingExpiration: f.boolean('Sliding expiration'),
    /** How much older than the latest packet a packet may be that is still evaluated where it belongs in time; 0 seconds for none. */
    lateGrace: { ...f.duration('Grace for packets out of order', { initial: '00:00:10' }), schema: once(() => graceSchema) },
    /** Whether match actions run although the match had ended before its packet was received, as for events that happen once. */
    tellLate: f.boolean('Tell however late'),
    /** For rules on silence: whether entities that have never reported count as silent. */
    neverReported: f.boolean('Also what never reported', { initial: true }),
    timeConditions: optional(f.json('Time limitations', () => timeConditions)),
    /** For rules about many entities: the kind of group for which entities are counted separately. */
    countBy: f.choice('Counted for each', countGroups, { initial: 'Subscription' }),
    countTag: optional(f.text('Tags that begin with', { max: 100 })),
    conditions: f.json(
      'Conditions',
      () => z.array(condition, { error: noConditions }).check(z.minLength(1, noConditions), z.maxLength(50)),
      {
        required: true,
      },
    ),
    /** How long there must be no hit before a match ends, by its recovery conditions or its lifetime. */
    clearFor: f.duration('Clear for', { initial: '00:00:00' }),
    /** Conditions that end a match when they hold, before the lifetime of the match is over. */
    recoveryConditions: optional(f.json('Recovery conditions', () => z.array(condition).check(z.maxLength(20)))),
    matchActions: f.json('Match actions', () => z.array(actionCall).check(z.maxLength(20)), { initial: [] }),
    expirationActions: f.json('Expiration actions', () => z.array(actionCall).check(z.maxLength(20)), { initial: [] }),
    protocolId: optional(f.ref('Protocol', 'protocols')),
    runbookId: optional(f.ref('Runbook', 'knowledgeArticles')),
    recurrence: f.choice('When the fault comes back', recurrences, { initial: 'Append' }),
    reopenHours: optional(f.int('Reopen within hours', { min: 1, max: 8_760 })),
    /** What happens when somebody ends the work unit while the match goes on. */
    whileMatching: f.choice('When ended while it matches', whileMatching, { initial: 'Reopen' }),
    reopenAfter: f.duration('After further hits for', { initial: '00:05:00' }),
    /** Its messages and calls run again so long after they ran, while its match is open and its work unit is not acknowledged. */
    repeatEvery: optional(f.duration('Repeat while nobody works on it')),
    /** After so long without a change or note by a person, its acknowledged work unit is New again. */
    acknowledgedFor: optional(f.duration('An acknowledgement runs out after')),
    groupBy: f.choice('One work unit for each', groupings, { initial: 'Subject' }),
    /** For groups by a tag: the beginning of the tag. */
    groupTag: optional(f.text('Tag begins with', { max: 100 })),
    groupWindow: f.duration('Joins within', { initial: '00:30:00' }),
    groupSummary: f.duration('Summary every', { initial: '00:15:00' }),
    /** The new matches of the rule above this number in a minute become one work unit. */
    stormLimit: f.int('Storm above', { min: 1, max: 10_000, initial: 100 }),
    /** Since when conditions count that need a whole window, by the key of their memory. */
    watchedSince: optional(f.json('Counting since', () => z.record(z.string(), z.string()), { write: 'never' })),
    evaluationFailure: optional(f.text('Failed to evaluate', { write: 'never', max: 1_000 })),
    evaluationFailed: optional(f.timestamp('Failed', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    tenantGroup: one('tenantGroups', 'tenantGroupId'),
    subscription: one('subscriptions', 'subscriptionId'),
    protocol: one('protocols', 'protocolId'),
    runbook: one('knowledgeArticles', 'runbookId', 'knowledgeArticleId'),
    ruleMatches: many('ruleMatches', 'ruleId'),
  },
});
