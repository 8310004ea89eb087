/** What an evaluation shows about a rule, for each way in which it can end. Pure. */
import { describe, expect, it } from 'vitest';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { web } from '../testing/hits.ts';
import { englishWords } from '../../platform/rule-words.ts';
import { fromLook, fromRecord, fromTrace, isInScope, none, notInForce, ofMaintenanceRule } from './findings.ts';
import type { ReplayedPacket } from './replay-packet.ts';
import type { ExplainedMatch } from './on-record.ts';
import type { WireRule } from '../past/rule-versions.ts';

const traceOf = (extra: Partial<Trace> = {}): Trace => ({
  at: 1_000,
  inScope: true,
  inTimeWindow: null,
  groups: [true],
  conditions: [],
  outcome: 'hit',
  ...extra,
});
const match = { ruleMatchId: 'm1' } as ExplainedMatch;
const rule: WireRule = {
  ruleId: 'r1',
  name: 'Hot',
  enabled: true,
  ruleTypeId: 1,
  tenantId: 't1',
  matchLifetime: '00:01:00',
  conditions: [{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'web' }],
  created: '2026-01-01T00:00:00.000Z',
};

describe('a recorded evaluation', () => {
  const recorded = (outcome: string, detail: unknown = null) =>
    fromRecord({ outcome, detail, ruleMatchId: null, at: '2026-01-01T00:00:00.000Z' }, englishWords);

  it('has its outcome, and none that is not known', () => {
    for (const outcome of ['hit', 'late', 'suppressed', 'miss', 'stale', 'failed'])
      expect(recorded(outcome)).toEqual({ outcome, basis: 'recorded', trace: undefined, reasons: [] });
    expect(recorded('other').outcome).toBe('notEvaluated');
  });

  it('was outside of the times when the conditions of a group held', () => {
    const outcome = (extra: Partial<Trace>, of = 'miss') => recorded(of, traceOf({ outcome: 'miss', ...extra })).outcome;
    expect(outcome({ inTimeWindow: false, groups: [false, true] })).toBe('outsideTime');
    expect(outcome({ inTimeWindow: false, groups: [false] })).toBe('miss');
    expect(outcome({ inTimeWindow: false, groups: [true], inScope: false })).toBe('miss');
    expect([outcome({ inTimeWindow: true }), outcome({ inTimeWindow: null })]).toEqual(['miss', 'miss']);
    expect(outcome({ inTimeWindow: false }, 'hit')).toBe('hit');
  });

  it('has the error that was recorded', () => {
    expect(recorded('failed', { error: 'It cannot be compared.' }).reasons).toEqual(['It cannot be compared.']);
    for (const detail of [null, 'error', {}, { error: 5 }, undefined]) expect(recorded('failed', detail).reasons).toEqual([]);
  });
});

describe('a rule', () => {
  it('is in force while it is there and enabled', () => {
    expect(notInForce({ rule: null })).toEqual(none('absent'));
    expect(notInForce({ from: 0, rule: { ...rule, enabled: false } })).toEqual({ outcome: 'disabled', basis: 'none', reasons: [] });
    expect(notInForce({ from: 0, rule })).toBeUndefined();
  });

  it('reaches entities of its tenant, and of its subscription if it has one', () => {
    const entity = { ...web, subscriptionId: 's1' };
    expect(isInScope(rule, entity)).toBe(true);
    expect(isInScope({ ...rule, subscriptionId: null }, entity)).toBe(true);
    expect(isInScope({ ...rule, subscriptionId: 's1' }, entity)).toBe(true);
    expect(isInScope({ ...rule, subscriptionId: 's2' }, entity)).toBe(false);
    expect(isInScope({ ...rule, tenantId: 't2', subscriptionId: 's1' }, entity)).toBe(false);
  });
});

describe('an evaluation again', () => {
  it('is a hit that opened a match, or one that was counted in it', () => {
    expect(fromTrace({ trace: traceOf() }, match, true, englishWords)).toEqual({
      outcome: 'hit',
      basis: 'evaluatedAgain',
      trace: traceOf(),
      reasons: [],
    });
    expect(fromTrace({ trace: traceOf() }, match, false, englishWords)).toMatchObject({ outcome: 'repeated', reasons: [] });
    expect(fromTrace({ trace: traceOf() }, undefined, false, englishWords).reasons).toEqual([
      'Its match is not on record: it may have opened a moment later, or the rule was changed in the same moment.',
    ]);
  });

  it('is a miss, one outside of the times, or not about the entity', () => {
    const outcome = (extra: Partial<Trace>) => fromTrace({ trace: traceOf({ outcome: 'miss', ...extra }) }, undefined, false, englishWords);
    expect(outcome({ groups: [false] })).toMatchObject({ outcome: 'miss', reasons: [] });
    expect(outcome({ inTimeWindow: false }).outcome).toBe('outsideTime');
    expect(outcome({ inScope: false }).outcome).toBe('outOfScope');
  });

  it('failed with its reason, or without one', () => {
    expect(fromTrace({ trace: undefined, error: 'It is broken.' }, match, true, englishWords)).toEqual({
      outcome: 'failed',
      basis: 'evaluatedAgain',
      reasons: ['It is broken.'],
    });
    expect(fromTrace({ trace: traceOf(), error: 'It is broken.' }, match, true, englishWords).outcome).toBe('failed');
    expect(fromTrace({ trace: undefined }, match, true, englishWords)).toMatchObject({ outcome: 'failed', reasons: [] });
  });
});

describe('a packet that is evaluated again', () => {
  const look = (extra: Partial<ReplayedPacket>) =>
    ({ stale: false, trace: traceOf(), error: undefined, cut: false, ...extra }) as ReplayedPacket;
  const cut = 'Looked back at the last 2,000 packets only: what a pattern remembers may reach further.';

  it('was stale, or is what its trace says', () => {
    expect(fromLook(look({ stale: true }), match, true, englishWords)).toEqual({ outcome: 'stale', basis: 'evaluatedAgain', reasons: [] });
    expect(fromLook(look({}), match, true, englishWords)).toMatchObject({ outcome: 'hit', reasons: [] });
    expect(fromLook(look({}), match, false, englishWords).outcome).toBe('repeated');
  });

  it('says first that packets before it were not read', () => {
    expect(fromLook(look({ cut: true, stale: true }), match, true, englishWords).reasons).toEqual([cut]);
    expect(fromLook(look({ cut: true }), undefined, true, englishWords).reasons).toEqual([cut, expect.stringContaining('not on record')]);
  });
});

describe('a maintenance rule', () => {
  const noon = Date.parse('2026-01-14T12:00:00Z');
  const during = (DailyStartTime: string, extra: Partial<WireRule> = {}) =>
    ofMaintenanceRule(
      {
        ...rule,
        ruleTypeId: ruleTypeId.maintenance,
        timeConditions: { DailyStartTime, DailyEndTime: '13:00', TimeZoneId: 'UTC' },
        ...extra,
      },
      web,
      noon,
      englishWords,
    );

  it('holds an entity that it selects within its times', () => {
    expect(during('11:00')).toMatchObject({
      outcome: 'hit',
      basis: 'evaluatedAgain',
      trace: { at: noon },
      reasons: ['It keeps the entity in maintenance.'],
    });
    expect(during('12:30')).toMatchObject({ outcome: 'outsideTime', reasons: [] });
    const conditions = [{ Type: 'And' as const, LeftOperand: 31, Operator: 1, RightOperand: 'db' }];
    expect(during('11:00', { conditions })).toMatchObject({ outcome: 'miss', reasons: [] });
  });

  it('that does not compile failed for the reason', () => {
    expect(during('11:00', { conditions: [] })).toEqual({
      outcome: 'failed',
      basis: 'evaluatedAgain',
      reasons: ['Condtions are required for rules.'],
    });
  });
});
