/** The past as rules saw it, from recorded data. Pure: the test supplies the database's answers. */
import { describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Entity } from '../run/entity.ts';
import { indexOf, ruleOf, web } from '../testing/hits.ts';
import { newCountPast } from './past-counts.ts';
import { matchEventsOf, newMatchPast } from './past-matches.ts';
import { staleOnes, type PastPacket } from './past-packets.ts';

const packet = (timestamp: number, received: number, Cpu?: number): PastPacket => ({
  entityId: web.id,
  packetId: `p${timestamp}-${received}`,
  timestamp,
  received,
  message: Cpu === undefined ? {} : { Metrics: { Cpu } },
});

describe('packets that were older than the latest when they came', () => {
  const stale = (packets: PastPacket[], laterReceived?: number) =>
    [...staleOnes(packets, laterReceived)].map((staleOne) => staleOne.timestamp);

  it('are those before one that came earlier', () => {
    expect(stale([packet(1, 10), packet(2, 20), packet(3, 30)])).toEqual([]);
    expect(stale([packet(1, 25), packet(2, 20), packet(3, 30)])).toEqual([1]);
    expect(stale([packet(1, 40), packet(2, 50), packet(3, 30)])).toEqual([2, 1]);
    expect(stale([packet(1, 10), packet(2, 10)])).toEqual([]);
  });

  it('are not those of the same moment', () => {
    expect(stale([packet(1, 20), packet(1, 10)])).toEqual([]);
    expect(stale([packet(1, 30), packet(1, 10), packet(2, 20)])).toEqual([1]);
  });

  it('are judged by what came after them in another portion', () => {
    expect(stale([packet(1, 10), packet(2, 20)], 15)).toEqual([2]);
    expect(stale([packet(1, 10), packet(2, 20)], 20)).toEqual([]);
  });
});

interface MatchTimes {
  created?: number;
  lastMatch?: number;
  closed?: number | null;
  matchCount?: number;
}

const match = (ruleMatchId: string, { created = 1_000, lastMatch = created, closed = null, matchCount = 1 }: MatchTimes = {}) => ({
  ruleMatchId,
  ruleId: 'r1',
  subjectId: web.id,
  created,
  firstMatch: created,
  lastMatch,
  closed,
  matchCount,
});

describe('the changes of matches', () => {
  const changes = (...matches: ReturnType<typeof match>[]) => matchEventsOf(matches).map(({ at, match: of }) => `${at} ${of.ruleMatchId}`);

  it('are their opening, latest hit and end, in order of time', () => {
    const long = match('long', { created: 1_000, lastMatch: 3_000, closed: 9_000, matchCount: 3 });
    expect(changes(long, match('short', { created: 2_000, closed: 4_000 }))).toEqual([
      '1000 long',
      '2000 short',
      '3000 long',
      '4000 short',
      '9000 long',
    ]);
  });

  it('have no hit besides the first where it was the only one, came with the opening, or ended the match', () => {
    expect(changes(match('one', { lastMatch: 2_000, matchCount: 1 }))).toEqual(['1000 one']);
    expect(changes(match('early', { lastMatch: 500, matchCount: 2 }))).toEqual(['1000 early']);
    expect(changes(match('same', { lastMatch: 1_000, matchCount: 2 }))).toEqual(['1000 same']);
    expect(changes(match('ended', { lastMatch: 5_000, closed: 5_000, matchCount: 2 }))).toEqual(['1000 ended', '5000 ended']);
    expect(changes(match('before', { lastMatch: 4_999, closed: 5_000, matchCount: 2 }))).toEqual([
      '1000 before',
      '4999 before',
      '5000 before',
    ]);
  });

  it('are none of a match that was over when it was written', () => {
    expect(changes(match('late', { created: 1_000, closed: 1_000 }))).toEqual([]);
    expect(changes(match('short', { created: 1_000, closed: 1_001 }))).toEqual(['1000 short', '1001 short']);
  });
});

describe('the matches of a subject at a time', () => {
  const entities = new Map([[web.id, web]]);
  const factsAt = (matches: ReturnType<typeof match>[], ...times: number[]) => {
    const past = newMatchPast(matches, entities, (entity) => entity.id, 5_000);
    return times.map((at) => past.factsAt(web.id, at).map(({ open, lastMatch }) => `${open ? 'open' : 'closed'} ${lastMatch}`));
  };

  it('are there from when they were written, open until they end, and for a window after their last hit', () => {
    const one = match('m', { created: 1_000, lastMatch: 2_000, closed: 4_000 });
    expect(factsAt([one], 999, 1_000, 3_999, 4_000, 6_999, 7_000)).toEqual([
      [],
      ['open 2000'],
      ['open 2000'],
      ['closed 2000'],
      ['closed 2000'],
      [],
    ]);
    expect(factsAt([match('open')], 100_000)).toEqual([['open 1000']]);
  });

  it('are all that were written by then', () => {
    const matches = [match('a', { created: 1_000 }), match('b', { created: 2_000 }), match('c', { created: 3_000 })];
    expect(factsAt(matches, 2_000, 2_500, 3_000).map((facts) => facts.length)).toEqual([2, 2, 3]);
  });

  it('are asked for by their subject, and left out without one', () => {
    const of = (subjectOf: (entity: Entity) => string | null | undefined, id: string) =>
      newMatchPast([match('m'), { ...match('gone'), subjectId: 'gone' }], entities, subjectOf, 5_000).factsAt(id, 2_000);
    expect(of(() => 's1', 's1')).toEqual([{ ruleId: 'r1', entity: web, open: true, lastMatch: 1_000 }]);
    expect([of(() => 's1', web.id), of(() => null, web.id)]).toEqual([[], []]);
  });
});

describe('sums of the past', () => {
  const subscription: Entity = { ...web, subscriptionId: 's1' };
  const cpu: Condition = { Type: 'And', LeftOperand: 75, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '1', WindowSeconds: 10 };
  const rules = indexOf(ruleOf({ ruleTypeId: 6, conditions: [cpu] }));
  const name = `r1 ${rules.get('r1')?.conditions[0]?.key ?? ''}`;
  const totals = (past: ReturnType<typeof newCountPast>) => past.totalsOf('s1')[name];

  it('hold at a check what was received before it', () => {
    const past = newCountPast(rules);
    past.take(subscription, [packet(9_000, 9_999, 4), packet(8_000, 9_000, 2), packet(9_500, 10_000, 7)]);
    past.moveTo(5_000);
    expect(totals(past)).toBeUndefined();
    past.moveTo(10_000);
    expect(totals(past)).toEqual({ count: 2, sum: 6, min: 2, max: 4 });
    past.moveTo(15_000);
    expect(totals(past)).toEqual({ count: 3, sum: 13, min: 2, max: 7 });
  });

  it('drop what no window covers', () => {
    const past = newCountPast(rules);
    past.take(subscription, [packet(10_000, 10_000, 1), packet(11_000, 11_000, 5)]);
    past.moveTo(15_000);
    expect(totals(past)?.count).toBe(2);
    // A window of ten steps of one second: at 20 s it begins with step 11.
    past.moveTo(20_000);
    expect(totals(past)).toEqual({ count: 1, sum: 5, min: 5, max: 5 });
    past.moveTo(25_000);
    expect(past.totalsOf('s1')).toEqual({});
  });

  it('count what is handed in late at the next check', () => {
    const past = newCountPast(rules);
    past.moveTo(20_000);
    past.take(subscription, [packet(19_000, 5_000, 3)]);
    past.moveTo(25_000);
    expect(totals(past)).toEqual({ count: 1, sum: 3, min: 3, max: 3 });
  });

  it('are the same whether checks are many or few', () => {
    const packets = Array.from({ length: 40 }, (_, i) => packet(60_000 + i * 500, 60_000 + i * 700, i));
    const sums = (...checks: number[]) => {
      const past = newCountPast(rules);
      past.take(subscription, packets);
      for (const at of checks) past.moveTo(at);
      return totals(past);
    };
    expect(sums(80_000)).toEqual(sums(65_000, 70_000, 75_000, 80_000));
    expect(sums(80_000)?.count).toBeGreaterThan(0);
  });

  it('count each packet once, also after a long time without checks', () => {
    const hour = indexOf(ruleOf({ ruleTypeId: 6, conditions: [{ ...cpu, WindowSeconds: 3_600 }] }));
    const past = newCountPast(hour);
    past.take(subscription, [packet(1_000, 1_000, 4)]);
    for (const at of [5_000, 10_000, 300_000]) past.moveTo(at);
    expect(Object.values(past.totalsOf('s1'))).toEqual([{ count: 1, sum: 4, min: 4, max: 4 }]);
  });

  it('are those of each condition, of which one may have none', () => {
    const memory: Condition = { ...cpu, LeftOperandFieldName: 'Memory' };
    const both = newCountPast(indexOf(ruleOf({ ruleTypeId: 6, conditions: [cpu, memory] })));
    both.take(subscription, [packet(9_000, 9_000, 4), { ...packet(9_500, 9_500), message: { Metrics: { Cpu: 1 } } }]);
    both.moveTo(10_000);
    both.moveTo(15_000);
    expect(Object.values(both.totalsOf('s1'))).toEqual([{ count: 2, sum: 5, min: 1, max: 4 }]);
  });

  it('are those of each subscription', () => {
    const past = newCountPast(rules);
    past.take(subscription, [packet(1_000, 1_000, 1)]);
    past.take({ ...subscription, subscriptionId: 's2' }, [packet(1_000, 1_000, 5)]);
    past.moveTo(5_000);
    expect([totals(past)?.sum, past.totalsOf('s2')[name]?.sum, past.totalsOf('s3')]).toEqual([1, 5, {}]);
  });
});
