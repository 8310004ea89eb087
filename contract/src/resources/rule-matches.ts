import { z } from 'zod/mini';
import { defineResource, f, many, one, optional } from '../resource.ts';

/** The value of a metric that a rule compared with its baseline, and the metric's usual value. */
export const usualReading = z.object({
  metric: z.string(),
  value: z.number(),
  mean: z.number(),
  deviation: z.number(),
  /** The number of past readings, and the number of weeks that they come from. */
  readings: z.int(),
  weeks: z.int(),
});
export type UsualReading = z.infer<typeof usualReading>;

/** One match of a rule for one subject; `Active` until `expires` (MATCH-010..012). */
export const ruleMatches = defineResource({
  name: 'ruleMatches',
  label: 'Rule Match',
  plural: 'Rule Matches',
  key: 'ruleMatchId',
  title: 'label',
  area: 'Rules',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    ruleMatchId: f.key('Rule match ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    ruleId: f.ref('Rule', 'rules', { write: 'never' }),
    subjectId: f.ref('Subject', 'devices', { write: 'never' }),
    label: f.text('Label', { write: 'never', search: true, max: 500 }),
    created: f.timestamp('Created', { write: 'never' }),
    expires: f.timestamp('Expires', { write: 'never' }),
    closed: optional(f.timestamp('Closed', { write: 'never' })),
    matchCount: f.int('Match count', { write: 'never' }),
    firstMatch: f.timestamp('First match', { write: 'never' }),
    lastMatch: f.timestamp('Last match', { write: 'never' }),
    inMaintenance: f.boolean('In maintenance', { write: 'never' }),
    recovered: optional(f.timestamp('Recovered', { write: 'never' })),
    heldSince: optional(f.timestamp('Actions held since', { write: 'never' })),
    heldUntil: optional(f.timestamp('Actions held until', { write: 'never' })),
    completionProcessed: f.boolean('Completion processed', { write: 'never' }),
    rulePacket: f.json('Packet', () => z.json(), { write: 'never' }),
    /** For a rule with a baseline: each compared value with its usual value. */
    usual: optional(f.json('Usual values', () => z.array(usualReading), { write: 'never' })),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    rule: one('rules', 'ruleId'),
    device: one('devices', 'subjectId', 'deviceId'),
    actionHistories: many('actionHistories', 'correlationId'),
  },
});
