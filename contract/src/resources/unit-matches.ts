import { z } from 'zod/mini';
import { defineResource, f, one, optional } from '../resource.ts';
import { usualReading } from './rule-matches.ts';

export const unitMatchStates = ['Open', 'Ended'] as const;

/** A match that a work unit stands for: a match of the unit's group, or one that opened the unit or was added to it. */
export const unitMatches = defineResource({
  name: 'unitMatches',
  label: 'Match of a work unit',
  plural: 'Matches of work units',
  key: 'ruleMatchId',
  title: 'label',
  area: 'Rules',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'firstMatch desc',
  fields: {
    ruleMatchId: f.key('Rule match ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    workUnitId: f.refNumber('Work unit', 'workUnits', { write: 'never' }),
    ruleId: f.ref('Rule', 'rules', { write: 'never' }),
    subjectId: f.ref('Subject', 'devices', { write: 'never' }),
    label: f.text('Label', { write: 'never', search: true, max: 500 }),
    state: f.choice('State', unitMatchStates, { write: 'never' }),
    firstMatch: f.timestamp('Since', { write: 'never' }),
    lastMatch: f.timestamp('Last match', { write: 'never' }),
    closed: optional(f.timestamp('Ended', { write: 'never' })),
    matchCount: f.int('Match count', { write: 'never' }),
    /**
     * What the matches of the group share: a value of `groupings`, Storm, Silence or Outage; `Subject` when the match is
     * alone in its unit.
     */
    kind: f.text('Kind of group', { write: 'never' }),
    shared: f.text('Group', { write: 'never', max: 500 }),
    /** Why the match belongs to the group although it does not have the group's key; null if it has the key. */
    reason: optional(f.text('Reason', { write: 'never', max: 500 })),
    joined: optional(f.timestamp('Joined', { write: 'never' })),
    /** Whether this is the match whose actions ran. */
    isFirst: f.boolean('First', { write: 'never' }),
    rulePacket: f.json('Packet', () => z.json(), { write: 'never' }),
    /** When the ended work unit is opened again, or another one is opened, if the match goes on until then. */
    opensAgainAt: optional(f.timestamp('Opens again', { write: 'never' })),
    usual: optional(f.json('Usual values', () => z.array(usualReading), { write: 'never' })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    rule: one('rules', 'ruleId'),
    device: one('devices', 'subjectId', 'deviceId'),
    workUnit: one('workUnits', 'workUnitId'),
  },
});
