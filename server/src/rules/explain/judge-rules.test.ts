/** What a rule did with one packet, according to the record. Pure. */
import { describe, expect, it } from 'vitest';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { iso } from '../past/past-packets.ts';
import { about, ruleOf, web } from '../testing/hits.ts';
import { englishWords } from '../../platform/rule-words.ts';
import { byInterest, judge as judgeIn, type JudgedPacket, type Judgement } from './judge-rules.ts';
import type { ExplainedMatch } from './on-record.ts';

const judge = (rule: Judgement['rule'], circumstances: JudgedPacket) => judgeIn(rule, circumstances, englishWords);

const at = Date.parse('2026-01-14T12:00:00.000Z');
const isWeb = about(31, 1, 'web');
const isDb = about(31, 1, 'db');
const over = (limit: number, extra: Partial<Condition> = {}) => about(62, 3, String(limit), { LeftOperandFieldName: 'Cpu', ...extra });
const inRow = over(90, { OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } });
const counted = about(71, 6, '1', { WindowSeconds: 60 });
const atNight = { DailyStartTime: '22:00', DailyEndTime: '06:00', TimeZoneId: 'UTC' };

const packetOf = (Cpu: number): RuleEvent => ({ entity: web, packet: { timestamp: at, message: { Metrics: { Cpu } } } });
const tickAt = (after: number): RuleEvent => ({
  kind: 'tick',
  entity: web,
  packet: { timestamp: at + after, message: {} },
  previous: { timestamp: at },
  gaps: [],
});
/** A match with its first and last hit, in milliseconds after the packet. */
const matchAt = (first: number, last = first) =>
  ({ ruleMatchId: 'm1', firstMatch: iso(at + first), lastMatch: iso(at + last) }) as ExplainedMatch;
const around = (extra: Partial<JudgedPacket> = {}): JudgedPacket => ({
  event: packetOf(95),
  tick: undefined,
  memoryOf: () => undefined,
  isStale: false,
  recordOf: () => undefined,
  matchOf: () => undefined,
  ...extra,
});
const ruleWith = (conditions: Condition[], extra: Partial<IngestRule> = {}) => compileRule(ruleOf({ conditions, ...extra }));
const silence = (extra: Partial<IngestRule> = {}) => ruleWith([isWeb, about(70, 3, '60')], { ruleTypeId: 3, ...extra });

describe('a rule that looks at the packet alone', () => {
  const rule = ruleWith([isWeb, over(90)]);
  const judged = (match?: ExplainedMatch, of = rule) => judge(of, around({ matchOf: () => match }));

  it('opened the match that is not about the packet, or repeated the one that is', () => {
    const match = matchAt(-10, 10);
    expect(judged(match)).toMatchObject({ rule, outcome: 'repeated', event: 'packet', basis: 'evaluatedAgain', nearness: 1, reasons: [] });
    expect(judged(match).match).toBe(match);
    expect([matchAt(0), matchAt(-1, 0), matchAt(0, 1)].map((item) => judged(item).outcome)).toEqual(['repeated', 'repeated', 'repeated']);
    const [later, earlier] = [matchAt(1), matchAt(-5, -1)];
    for (const one of [later, earlier]) expect(judged(one)).toMatchObject({ outcome: 'hit', match: one, reasons: [] });
    expect(judged()).toMatchObject({
      outcome: 'hit',
      match: undefined,
      reasons: ['Its match is not on record: the rule may have been changed in the same moment.'],
    });
    expect(judged().trace()).toMatchObject({ outcome: 'hit', conditions: [{ satisfied: true }, { value: 95 }] });
  });

  it('missed by so many of its conditions, in the group that came closest', () => {
    const nearness = (...conditions: Condition[]) => judged(undefined, ruleWith(conditions)).nearness;
    expect([nearness(isWeb, over(99)), nearness(isWeb, over(90), over(99)), nearness(isDb, over(99)), nearness(isWeb)]).toEqual([
      0, 0.5, -1, 1,
    ]);
    expect(nearness(isDb, over(90), { ...isWeb, Type: 'Or' }, over(90), over(99))).toBe(0.5);
    expect(judged(matchAt(0), ruleWith([isWeb, over(99)]))).toMatchObject({ outcome: 'miss', match: undefined, reasons: [] });
    expect(judged(undefined, ruleWith([isDb, over(90)]))).toMatchObject({ outcome: 'miss', nearness: -1 });
  });

  it('missed, and its recovery conditions ended a match by the same packet', () => {
    const missing = ruleWith([isWeb, over(99)], { recoveryConditions: [over(1)] });
    const match = { ...matchAt(-5, -1), recovered: iso(at) };
    expect(judged(match, missing)).toMatchObject({
      outcome: 'miss',
      match,
      reasons: ['Its recovery conditions held and ended the match.'],
    });
    expect(judged({ ...match, recovered: iso(at + 1) }, missing)).toMatchObject({ outcome: 'miss', match: undefined, reasons: [] });
    const reported = 'The entity reported again, which ended the match.';
    expect(judged(match, ruleWith([isWeb, over(99)]))).toMatchObject({ outcome: 'miss', reasons: [reported] });
    // The packet that ends the silence is a hit.
    expect(judged({ ...match, lastMatch: iso(at) })).toMatchObject({ outcome: 'repeated', reasons: [reported] });
  });

  it('held outside of its times, unless it missed anyway', () => {
    const outcome = (limit: number) => judged(undefined, ruleWith([isWeb, over(limit)], { timeConditions: atNight })).outcome;
    expect([outcome(90), outcome(99)]).toEqual(['outsideTime', 'miss']);
  });

  it('was not asked about a stale packet, nor about one of another tenant', () => {
    expect(judge(rule, around({ isStale: true })).outcome).toBe('stale');
    expect(judge(ruleWith([isDb]), around({ isStale: true })).outcome).toBe('miss');
    expect(judge(ruleWith([isWeb], { tenantId: 't2' }), around({ recordOf: () => undefined }))).toMatchObject({
      outcome: 'outOfScope',
      basis: 'none',
      nearness: -1,
    });
  });

  it('has the outcome on record, with the match that is recorded', () => {
    const match = matchAt(0);
    const detail = { conditions: [], groups: [] };
    const recorded = (ruleMatchId: string | null) => ({ outcome: 'suppressed', detail, ruleMatchId, at: iso(at) });
    const of = (ruleMatchId: string | null) =>
      judge(rule, around({ isStale: true, recordOf: (id) => (id === 'r1' ? recorded(ruleMatchId) : undefined), matchOf: () => match }));
    expect(of('m1')).toMatchObject({ outcome: 'suppressed', basis: 'recorded', match, nearness: 1 });
    expect(of(null).match).toBeUndefined();
    expect(of(null).trace()).toBe(detail);
  });

  it('failed with the message of its error', () => {
    const broken = {
      ...rule,
      simple: undefined,
      inTimeWindow: () => {
        throw new Error('No such time zone.');
      },
    };
    const failed = judge(broken, around({ matchOf: () => matchAt(0) }));
    expect(failed).toMatchObject({
      rule: broken,
      outcome: 'failed',
      event: 'packet',
      basis: 'evaluatedAgain',
      match: undefined,
      nearness: 1,
    });
    expect([failed.reasons, failed.trace()]).toEqual([['No such time zone.'], undefined]);
  });
});

describe('a rule that remembers', () => {
  const pattern = ruleWith([isWeb, inRow]);

  it('repeated a match that counts the packet, and says otherwise that it counted too little', () => {
    expect(judge(pattern, around({ matchOf: () => matchAt(0) }))).toMatchObject({ outcome: 'repeated', match: matchAt(0) });
    const tooFew = { outcome: 'miss', nearness: 1, reasons: ['What the rule counts was not there often or long enough.'] };
    for (const match of [undefined, matchAt(1), matchAt(-2, -1)])
      expect(judge(pattern, around({ matchOf: () => match }))).toMatchObject({ ...tooFew, match: undefined });
    expect(judge(pattern, around({ event: packetOf(50), matchOf: () => matchAt(0) }))).toMatchObject({
      outcome: 'miss',
      nearness: 0,
      reasons: [],
    });
  });

  it('repeated the match of a window, which no packet alone shows', () => {
    const window = ruleWith([isWeb, counted], { ruleTypeId: 3 });
    expect(judge(window, around({ matchOf: () => matchAt(0) }))).toMatchObject({ outcome: 'repeated', nearness: 0 });
    expect(judge(window, around())).toMatchObject({ outcome: 'miss', reasons: [] });
  });

  it('held outside of its times', () => {
    const outcome = (of: Condition[], Cpu = 95) =>
      judge(ruleWith([isWeb, ...of], { timeConditions: atNight }), around({ event: packetOf(Cpu) })).outcome;
    expect([outcome([inRow]), outcome([inRow], 50)]).toEqual(['outsideTime', 'miss']);
  });
});

describe('a rule on silence', () => {
  const judged = (after: number, match?: ExplainedMatch, of = silence()) =>
    judge(of, around({ tick: tickAt(after), matchOf: () => match }));

  it('holds once the silence is longer, as an event of that moment', () => {
    expect(judged(60_000)).toMatchObject({ event: 'packet', outcome: 'miss' });
    expect(judged(60_001)).toMatchObject({
      outcome: 'hit',
      event: 'silence',
      basis: 'evaluatedAgain',
      match: undefined,
      nearness: 1,
      reasons: ['It has only just begun to hold, or its match has ended: no match of it is open.'],
    });
    expect(judged(60_001).trace()).toMatchObject({ at: at + 60_001, outcome: 'hit' });
    expect(judge(silence(), around()).event).toBe('packet');
    expect(judged(60_001, undefined, silence({ timeConditions: atNight })).event).toBe('packet');
    expect(judged(60_001, undefined, ruleWith([isWeb, over(90)])).event).toBe('packet');
  });

  it('opened the match of the last seconds, and repeated an older one', () => {
    const [recent, old] = [matchAt(65_000), matchAt(64_999)];
    expect(judged(70_000, recent)).toMatchObject({ outcome: 'hit', match: recent, reasons: [] });
    expect(judged(70_000, old)).toMatchObject({ outcome: 'repeated', match: old, reasons: [] });
  });

  it('holds by what it remembered of the packets before', () => {
    const few = ruleWith([about(71, 4, '3', { WindowSeconds: 60 })], { ruleTypeId: 3 });
    const key = few.conditions[0]?.key ?? '';
    const step = Math.floor(at / 2_000);
    const memory = { [key]: { window: { since: 0, steps: [step, 1, 0, 0] } } };
    const event = (id: string) =>
      judge(few, around({ tick: tickAt((few.silenceMs ?? 0) + 1), memoryOf: (ruleId) => (ruleId === id ? memory : undefined) }));
    expect([event('r1').event, event('r1').outcome, event('r2').event]).toEqual(['silence', 'hit', 'packet']);
    expect(event('r1').trace()).toMatchObject({ outcome: 'hit' });
  });
});

describe('the order of judgements', () => {
  const one = (name: string, outcome: Judgement['outcome'], nearness = 1) =>
    ({ rule: ruleWith([isWeb], { name }), outcome, nearness }) as Judgement;
  const sorted = (...all: Judgement[]) => all.sort(byInterest).map(({ rule }) => rule.rule.name);

  it('has those that held first, then the nearest, then names', () => {
    const outcomes = ['hit', 'suppressed', 'late', 'repeated', 'failed', 'stale', 'disabled', 'outsideTime', 'miss'] as const;
    expect(sorted(...outcomes.map((outcome) => one(outcome, outcome, 0)).toReversed())).toEqual(outcomes);
    expect(sorted(one('b', 'miss', 0.5), one('a', 'miss', 0.5), one('near', 'miss'), one('hit', 'hit', 0))).toEqual([
      'hit',
      'near',
      'a',
      'b',
    ]);
    expect(sorted(one('a', 'miss', 0), one('b', 'miss', 0), one('no', 'disabled', -1))).toEqual(['a', 'b', 'no']);
    expect(sorted(one('b', 'hit'), one('a', 'hit'), one('c', 'hit'))).toEqual(['a', 'b', 'c']);
  });
});
