/** How a backtest turns hits and silence into matches. Pure: the test supplies past events. */
import { describe, expect, it } from 'vitest';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import type { EvaluationNote, RuleHit } from '../run/evaluate-entity.ts';
import type { PastPacket } from '../past/past-packets.ts';
import { hitAt, indexOf, ruleOf, web } from '../testing/hits.ts';
import { newPacketReplay } from './replay-packets.ts';
import { newOutcomes } from './outcomes.ts';
import { newTally } from './tally.ts';
import type { UnitCourse } from './units.ts';

const call = (ActionDefinitionId: string): ActionCall => ({ ActionDefinitionId, Parameters: {} });
const [unit, mail] = [call(builtInAction.createWorkUnit), call(builtInAction.email)];
const time = (at: number) => new Date(at).toISOString();
const period = { from: 0, to: 120_000 };

const draft = ruleOf({ ruleId: 'draft', lifetimeMs: 10_000, matchActions: [unit, mail], expirationActions: [mail] });
const saved = ruleOf({ ...draft, ruleId: 'saved' });

const outcomesOf = (rule: IngestRule = draft, other?: IngestRule, maintenance: IngestRule[] = [], of = period) =>
  newOutcomes({ draft: compileRule(rule), inForce: other && compileRule(other), maintenance: indexOf(...maintenance) }, of);
const failed = (at: number, rule: IngestRule = draft): EvaluationNote => ({
  outcome: 'failed',
  rule: compileRule(rule),
  entity: web,
  packet: hitAt(at).packet,
  detail: { error: `failed at ${at}` },
});
/** The result after hits of the draft, each evaluated at its own time. */
function after(hits: readonly RuleHit[], outcomes = outcomesOf()) {
  for (const hit of hits) outcomes.take(hit.entity, { hits: [hit], notes: [] }, hit.packet.timestamp);
  return outcomes.finish();
}
const hits = (...times: number[]) => times.map((at) => hitAt(at, draft));

describe('matches of a backtest', () => {
  it('open, repeat and end as those of the rules do', () => {
    const { draft: result } = after(hits(1_000, 5_000, 10_999, 11_000));
    expect(result).toMatchObject({ matches: 2, entities: 1, workUnits: 2, failed: 0, error: null, truncated: false });
    expect(result.list).toEqual([
      {
        entityId: 'web',
        entityName: 'web',
        firstMatch: time(1_000),
        lastMatch: time(10_999),
        expires: time(11_000),
        matchCount: 3,
        inMaintenance: false,
        suppressed: null,
        inBoth: null,
        values: 'Cpu 95 > 90',
      },
      expect.objectContaining({ firstMatch: time(11_000), matchCount: 1 }),
    ]);
    expect(result.actions).toEqual([
      { actionDefinitionId: unit.ActionDefinitionId, phase: 'match', run: 2, suppressed: 0 },
      { actionDefinitionId: mail.ActionDefinitionId, phase: 'match', run: 2, suppressed: 0 },
      { actionDefinitionId: mail.ActionDefinitionId, phase: 'expiration', run: 2, suppressed: 0 },
    ]);
  });

  it('are counted for each entity, those with the most first', () => {
    const of = (id: string, ...times: number[]) =>
      times.map((at) => ({ ...hitAt(at, draft), entity: { ...web, id, name: `name of ${id}` } }));
    const { draft: result } = after([...of('one', 1_000), ...of('two', 1_000, 20_000, 40_000), ...of('late', 2_000)]);
    expect(result.byEntity).toEqual([
      { entityId: 'two', entityName: 'name of two', matches: 3, last: time(40_000) },
      { entityId: 'late', entityName: 'name of late', matches: 1, last: time(2_000) },
      { entityId: 'one', entityName: 'name of one', matches: 1, last: time(1_000) },
    ]);
    const many = Array.from({ length: backtestLimits.ranked + 1 }, (_, i) => of(`many-${i}`, 1_000)).flat();
    expect(after(many).draft).toMatchObject({ entities: backtestLimits.ranked + 1, byEntity: { length: backtestLimits.ranked } });
  });

  it('count within the period only, and end within it', () => {
    const { draft: result } = after(hits(4_999, 20_000, 49_999), outcomesOf(draft, undefined, [], { from: 5_000, to: 50_000 }));
    expect(result.list.map((item) => item.firstMatch)).toEqual([time(20_000), time(49_999)]);
    // The match of 49,999 ends after the period.
    expect(result.actions.find((action) => action.phase === 'expiration')).toMatchObject({ run: 1, suppressed: 0 });
    expect(after(hits(5_000, 50_000), outcomesOf(draft, undefined, [], { from: 5_000, to: 50_000 })).draft.matches).toBe(1);
    const atEnd = after(hits(40_000), outcomesOf(draft, undefined, [], { from: 5_000, to: 50_000 }));
    expect(atEnd.draft.actions.filter((action) => action.phase === 'expiration')).toHaveLength(1);
  });

  it('are suppressed in maintenance, their end by the time of the end', () => {
    const night = ruleOf({
      ruleId: 'night',
      ruleTypeId: 5,
      conditions: [{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'web' }],
      timeConditions: { StartRange: time(0), EndRange: time(11_000), TimeZoneId: 'UTC' },
    });
    const { draft: result } = after(hits(500, 1_000, 20_000), outcomesOf(draft, undefined, [night]));
    expect(result.list.map((item) => [item.suppressed, item.inMaintenance])).toEqual([
      ['maintenance', true],
      [null, false],
    ]);
    expect(result.actions).toMatchObject([
      { phase: 'match', run: 1, suppressed: 1 },
      { phase: 'match', run: 1, suppressed: 1 },
      { phase: 'expiration', run: 1, suppressed: 1 },
    ]);
    expect(result.workUnits).toBe(1);
  });

  it('that come too late run nothing at either end', () => {
    const outcomes = outcomesOf();
    outcomes.take(web, { hits: hits(1_000), notes: [] }, 60_000);
    const { draft: result } = outcomes.finish();
    expect(result.list).toMatchObject([{ suppressed: 'late' }]);
    expect(result.actions.map(({ run, suppressed }) => [run, suppressed])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  describe('of a late buffer', () => {
    const sliding = ruleOf({ ...draft, sliding: true });
    const took = (...batches: [at: number, now: number][]) => {
      const outcomes = outcomesOf(sliding);
      for (const [at, now] of batches) outcomes.take(web, { hits: at < 0 ? [] : [hitAt(at, sliding)], notes: [] }, now);
      const { list, actions } = outcomes.finish().draft;
      return [
        list.map((item) => [Date.parse(item.firstMatch), Date.parse(item.expires), item.matchCount, item.suppressed]),
        actions.map((action) => [action.phase, action.run, action.suppressed]),
      ];
    };

    it('run their actions once they last longer than now', () => {
      expect(took([1_000, 12_000], [10_000, 12_500])).toEqual([
        [[1_000, 20_000, 2, null]],
        [
          ['match', 1, 0],
          ['match', 1, 0],
          ['expiration', 1, 0],
        ],
      ]);
    });

    it('count nothing where they began before the period', () => {
      const outcomes = outcomesOf(sliding, undefined, [], { from: 5_000, to: 120_000 });
      outcomes.take(web, { hits: [hitAt(1_000, sliding)], notes: [] }, 12_000);
      outcomes.take(web, { hits: [hitAt(10_000, sliding)], notes: [] }, 12_500);
      expect(outcomes.finish().draft).toMatchObject({ matches: 0, actions: [] });
    });

    it('stay over while they do not', () => {
      expect(took([1_000, 30_000], [10_000, 30_500])).toEqual([
        [[1_000, 20_000, 2, 'late']],
        [
          ['match', 0, 1],
          ['match', 0, 1],
          ['expiration', 0, 1],
        ],
      ]);
    });

    it('open another one where the match before has ended, which it does once', () => {
      const [list, actions] = took([1_000, 1_000], [-1, 12_000], [-1, 12_500], [10_999, 12_600]);
      expect(list).toEqual([
        [1_000, 11_000, 1, null],
        [10_999, 20_999, 1, null],
      ]);
      expect(actions).toEqual([
        ['match', 2, 0],
        ['match', 2, 0],
        ['expiration', 2, 0],
      ]);
    });
  });

  it('are not repeated within the time of quiet', () => {
    const outcomes = outcomesOf(ruleOf({ ...draft, lifetimeMs: 90_000 }));
    const rule = ruleOf({ ...draft, lifetimeMs: 90_000 });
    for (const at of [1_000, 2_000, 60_999, 61_000]) outcomes.take(web, { hits: [hitAt(at, rule)], notes: [] }, at, () => 60_000);
    expect(outcomes.finish().draft.list).toMatchObject([{ matchCount: 2, lastMatch: time(61_000) }]);
  });

  it('end by recovery, and a later hit opens another', () => {
    const recovery = ruleOf({ ...draft, ruleId: 'draft-recovery', recovers: 'draft' });
    const { draft: result } = after([...hits(1_000), hitAt(3_000, recovery), ...hits(4_000)]);
    expect(result.list.map((item) => [item.firstMatch, item.expires])).toEqual([
      [time(1_000), time(3_000)],
      [time(4_000), time(14_000)],
    ]);
    expect(result.actions.at(-1)).toEqual({ actionDefinitionId: mail.ActionDefinitionId, phase: 'expiration', run: 2, suppressed: 0 });
  });

  it('that are over take late hits, each of its own rule', () => {
    const outcomes = outcomesOf(draft, saved);
    outcomes.take(web, { hits: [hitAt(1_000, draft), hitAt(1_000, saved)], notes: [] }, 1_000);
    outcomes.take(web, { hits: [], notes: [] }, 20_000);
    outcomes.take(web, { hits: [hitAt(9_000, draft), hitAt(9_500, saved)], notes: [] }, 21_000);
    const result = outcomes.finish();
    expect([result.draft, result.inForce].map((item) => item?.list.map(({ matchCount }) => matchCount))).toEqual([[2], [2]]);
  });

  it('are compared with those of the saved rule, by the event that opened them', () => {
    const outcomes = outcomesOf(draft, saved);
    outcomes.take(web, { hits: [hitAt(1_000, draft), hitAt(1_000, saved)], notes: [] }, 1_000);
    outcomes.take(web, { hits: [hitAt(20_000, draft)], notes: [] }, 20_000);
    outcomes.take(web, { hits: [hitAt(40_000, saved)], notes: [] }, 40_000);
    outcomes.take(web, { hits: [hitAt(60_000, saved)], notes: [] }, 60_000);
    const result = outcomes.finish();
    expect(result.difference).toEqual({ same: 1, added: 1, removed: 2 });
    expect(result.draft.list.map((item) => item.inBoth)).toEqual([true, false]);
    expect(result.inForce?.list.map((item) => item.inBoth)).toEqual([true, false, false]);
    expect(after(hits(1_000))).toMatchObject({ inForce: null, difference: null });
  });

  it('are not compared outside the period', () => {
    const outcomes = outcomesOf(draft, saved, [], { from: 5_000, to: 50_000 });
    outcomes.take(web, { hits: [hitAt(1_000, draft)], notes: [] }, 1_000);
    outcomes.take(web, { hits: [hitAt(50_000, saved)], notes: [] }, 50_000);
    expect(outcomes.finish().difference).toEqual({ same: 0, added: 0, removed: 0 });
  });

  it('count failures within the period, with the first error', () => {
    const outcomes = outcomesOf(draft, saved, [], { from: 5_000, to: 50_000 });
    const notes = [failed(4_999), failed(5_000), failed(6_000), failed(50_000), failed(7_000, saved)];
    outcomes.take(web, { hits: [], notes: [...notes, { ...failed(8_000), outcome: 'stale' }] }, 60_000);
    const result = outcomes.finish();
    expect(result.draft).toMatchObject({ failed: 2, error: 'failed at 5000', matches: 0 });
    expect(result.inForce).toMatchObject({ failed: 1, error: 'failed at 7000' });
  });
});

describe('the tally of a rule', () => {
  const past = (firstMatch: number, entity = web) => ({
    entity,
    firstMatch,
    match: {
      ruleMatchId: 'm',
      ruleId: 'draft',
      tenantId: 't1',
      subjectId: entity.id,
      firstMatch,
      expires: firstMatch,
      lastMatch: firstMatch,
      matchCount: 1,
      inMaintenance: false,
    },
    suppressed: undefined,
    inBoth: null,
    isBySilence: false,
  });

  const course: UnitCourse = {
    recurrence: 'New',
    reopenMs: 0,
    resolvedAfterMs: 0,
    groups: { keyOf: undefined, stormLimit: 1_000_000, windowMs: 0, summaryMs: 0, until: period.to + 1 },
    stepsOf: undefined,
  };

  it('spreads matches over as many buckets as a chart shows', () => {
    const tally = newTally(draft, { from: 1_000, to: 1_000 + backtestLimits.buckets * 10 });
    for (const at of [1_000, 1_009, 1_010, 2_199]) tally.opened(past(at), hitAt(at, draft));
    const { timeline } = tally.outcome();
    expect(timeline).toHaveLength(backtestLimits.buckets);
    expect([timeline[0], timeline[1], timeline.at(-1)]).toEqual([
      { from: time(1_000), matches: 2 },
      { from: time(1_010), matches: 1 },
      { from: time(2_190), matches: 1 },
    ]);
    expect(newTally(draft, { from: 0, to: 3 }).outcome().timeline).toHaveLength(3);
    expect(newTally(draft, { from: 0, to: backtestLimits.buckets + 1 }).outcome().timeline).toHaveLength(61);
  });

  it('lists the newest matches of all devices and says that there are more', () => {
    const tally = newTally(draft, period);
    const count = backtestLimits.listed;
    for (let i = 0; i < count; i += 1) tally.opened(past(2 * i), hitAt(2 * i, draft));
    expect(tally.outcome()).toMatchObject({ matches: count, truncated: false });
    for (let i = 0; i < count; i += 1) tally.opened(past(2 * i + 1, { ...web, id: 'other' }), hitAt(2 * i + 1, draft));
    const { list, truncated, entities } = tally.outcome();
    expect([list.length, truncated, entities]).toEqual([count, true, 2]);
    expect(list.map(({ firstMatch }) => firstMatch)).toEqual(Array.from({ length: count }, (_, i) => time(count + i)));
    // One more match is newer than all of these, another one older.
    for (const at of [2 * count, 0]) tally.opened(past(at), hitAt(at, draft));
    expect(tally.outcome().list.map(({ firstMatch }) => firstMatch)).toEqual(Array.from({ length: count }, (_, i) => time(count + i + 1)));
  });

  it('counts one unit for an opening, one for each call at the end, and none where they are suppressed', () => {
    const tally = newTally(ruleOf({ matchActions: [unit, unit, mail], expirationActions: [unit, unit] }), period);
    tally.opened(past(1), hitAt(1, draft));
    expect(tally.outcome().workUnits).toBe(1);
    tally.ended(past(1), false);
    expect(tally.outcome().workUnits).toBe(3);
    tally.ended(past(1), true);
    expect(tally.outcome().workUnits).toBe(3);
    const none = newTally(ruleOf({ matchActions: [mail] }), period);
    none.opened(past(1), hitAt(1, draft));
    expect(none.outcome().workUnits).toBe(0);
  });

  it('adds units up from the matches whose actions run, also once they are revived', () => {
    const tally = newTally(ruleOf({ matchActions: [unit] }), period, { course });
    const inMaintenance = { ...past(2), suppressed: 'maintenance' as const };
    const revived = { ...past(3), suppressed: 'late' as const };
    for (const one of [past(1), inMaintenance, revived]) tally.opened(one, hitAt(one.firstMatch, draft));
    expect(tally.outcome().load).toMatchObject({ workUnits: 1 });
    tally.revived({ ...past(4), suppressed: 'maintenance' });
    expect(tally.outcome().load).toMatchObject({ workUnits: 1 });
    tally.revived(Object.assign(revived, { suppressed: undefined }));
    expect(tally.outcome().load).toMatchObject({ workUnits: 2 });
    expect(newTally(ruleOf({ matchActions: [unit] }), period).outcome().load).toBeNull();
  });

  it('adds up the calls at the end of matches that end within the period, unless they are suppressed', () => {
    const rule = ruleOf({ expirationActions: [mail] });
    const callsAfter = (run: (tally: ReturnType<typeof newTally>) => void) => {
      const tally = newTally(rule, period, { course });
      run(tally);
      return tally.outcome().load?.calls;
    };
    const [within, atEnd] = [past(1), past(period.to)];
    const opened = (tally: ReturnType<typeof newTally>, item = within) => tally.opened(item, hitAt(item.firstMatch, draft));
    expect(callsAfter((tally) => (opened(tally), tally.ended(within, false)))).toBe(1);
    expect(callsAfter((tally) => (opened(tally), tally.ended(within, true)))).toBe(0);
    expect(callsAfter((tally) => (opened(tally), tally.ended(within, true), tally.revived(within)))).toBe(1);
    expect(callsAfter((tally) => opened(tally, atEnd))).toBe(0);
  });

  it('lists the matches of one rule alone only where there is another', () => {
    expect(newTally(draft, period).outcome()).not.toHaveProperty('differing');
    expect(newTally(draft, period, { compares: true }).outcome().differing).toEqual([]);
  });
});

describe('past packets', () => {
  const packet = (timestamp: number, Cpu: number, received = timestamp): PastPacket => ({
    entityId: web.id,
    packetId: `p${timestamp}`,
    timestamp,
    received,
    message: { Metrics: { Cpu } },
  });
  const silence = (seconds: number): Condition => ({ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: String(seconds) });

  interface Replay {
    conditions: Condition[];
    packets: PastPacket[];
    gaps?: Gap[];
    extra?: Partial<IngestRule>;
    to?: number;
    enabled?: boolean;
  }

  /** Returns first match, last match and count of each match that the packets cause. */
  async function matchesOf({ conditions, packets, gaps = [], extra = {}, to = 600_000, enabled = true }: Replay) {
    const rule = compileRule(ruleOf({ ruleId: 'draft', ruleTypeId: 3, lifetimeMs: 300_000, conditions, ...extra }));
    const rules = { draft: rule, inForce: undefined, maintenance: indexOf() };
    const outcomes = newOutcomes(rules, { from: 0, to });
    const replay = newPacketReplay(rules, { from: 0, to }, outcomes, { gaps });
    for (const one of packets) replay.take({ ...web, enabled }, [one]);
    expect(await replay.finish(() => Promise.resolve(true))).toBe(true);
    return outcomes.finish().draft.list.map((item) => [Date.parse(item.firstMatch), Date.parse(item.lastMatch), item.matchCount]);
  }
  const cpuOver90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };

  it('are evaluated as they came, those of one receipt together', async () => {
    const packets = [packet(3_000, 95, 5_000), packet(1_000, 95, 5_000), packet(2_000, 95, 6_000)];
    expect(await matchesOf({ conditions: [cpuOver90], packets, extra: { graceMs: 0 } })).toEqual([[1_000, 3_000, 2]]);
    // The one that came late is evaluated where it belongs.
    expect(await matchesOf({ conditions: [cpuOver90], packets })).toEqual([[1_000, 3_000, 3]]);
    expect(await matchesOf({ conditions: [cpuOver90], packets: [packet(1_000, 5), packet(2_000, 95)] })).toEqual([[2_000, 2_000, 1]]);
  });

  it('are one match until the fault was clear as long as the rule says', async () => {
    const packets = [packet(1_000, 95), packet(10_000, 5), packet(20_000, 95), packet(30_000, 5), packet(95_000, 95)];
    const recoveryConditions = [{ ...cpuOver90, Operator: 4, RightOperand: '50' }];
    const starts = async (clearForMs: number) =>
      (await matchesOf({ conditions: [cpuOver90], packets, extra: { recoveryConditions, clearForMs } })).map(([first]) => first);
    expect(await starts(0)).toEqual([1_000, 20_000, 95_000]);
    expect(await starts(60_000)).toEqual([1_000, 95_000]);
    expect(await starts(66_000)).toEqual([1_000]);
  });

  it('leave silence that matches at the next check, and repeats it in half of the time by which that puts off its end', async () => {
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], to: 130_000 })).toEqual([[65_000, 65_000, 1]]);
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], to: 65_000 })).toEqual([]);
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], to: 65_001 })).toEqual([[65_000, 65_000, 1]]);
    const extra = { sliding: true, lifetimeMs: 150_000 };
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], extra, to: 250_000 })).toEqual([[65_000, 215_000, 3]]);
  });

  it('end silence when they come', async () => {
    const packets = [packet(1_000, 5), packet(64_999, 5), packet(100_000, 5)];
    expect(await matchesOf({ conditions: [silence(60)], packets, to: 120_000 })).toEqual([[64_999, 64_999, 1]]);
  });

  it('leave silence that opens another match as soon as the one before has ended', async () => {
    const extra = { lifetimeMs: 330_000 };
    const matches = await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], extra, to: 800_000 });
    expect(matches.map(([first]) => first)).toEqual([65_000, 395_000, 725_000]);
  });

  it('leave silence that is repeated within the hours of the rule, whenever it began', async () => {
    const extra = {
      sliding: true,
      lifetimeMs: 120_000,
      timeConditions: { DailyStartTime: '00:00', DailyEndTime: '00:30', TimeZoneId: 'UTC' },
    };
    const packets = [packet(1_000, 5)];
    expect(await matchesOf({ conditions: [silence(60)], packets, extra, to: 250_000 })).toEqual([[65_000, 245_000, 4]]);
    const short = { ...extra, timeConditions: { ...extra.timeConditions, DailyEndTime: '00:02' } };
    expect(await matchesOf({ conditions: [silence(60)], packets, extra: short, to: 250_000 })).toEqual([[65_000, 65_000, 1]]);
  });

  it('leave no silence before their receipt, however old they are', async () => {
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5, 200_000)], to: 202_000 })).toEqual([
      [200_000, 200_000, 1],
    ]);
  });

  it('leave no silence while the installation was down, and grace after it', async () => {
    const gaps = [{ from: 30_000, until: 100_000 }];
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], gaps, to: 200_000 })).toEqual([[195_000, 195_000, 1]]);
    const covered = [{ from: 62_000, until: 100_000 }];
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], gaps: covered, to: 104_000 })).toEqual([
      [100_000, 100_000, 1],
    ]);
  });

  const noneWithin = (WindowSeconds: number): Condition => ({
    Type: 'And',
    LeftOperand: 71,
    Operator: 4,
    RightOperand: '1',
    WindowSeconds,
  });

  it('leave a window that empties to the checks every five seconds', async () => {
    const conditions = [silence(60), noneWithin(200)];
    expect(await matchesOf({ conditions, packets: [packet(1_000, 5)], to: 240_000 })).toEqual([[205_000, 205_000, 1]]);
  });

  it('can be stopped after every two thousand checks', async () => {
    const rule = compileRule(ruleOf({ ruleId: 'draft', ruleTypeId: 3, conditions: [silence(60), noneWithin(21_600)] }));
    const rules = { draft: rule, inForce: undefined, maintenance: indexOf() };
    const finishWith = async (answers: boolean[]) => {
      const day = { from: 0, to: 22_000_000 };
      const replay = newPacketReplay(rules, day, newOutcomes(rules, day));
      replay.take(web, [packet(1_000, 5)]);
      const left = [...answers];
      return [await replay.finish(() => Promise.resolve(left.shift() ?? true)), answers.length - left.length];
    };
    expect([await finishWith([true, true, true]), await finishWith([true, false, true])]).toEqual([
      [true, 2],
      [false, 2],
    ]);
  });

  it('leave no silence at a check from the moment at which the installation is down', async () => {
    const gaps = [{ from: 65_000, until: 66_000 }];
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], gaps, to: 130_000 })).toEqual([[70_000, 70_000, 1]]);
  });

  it('may be none: then an entity is silent since its creation, where the rule says so', async () => {
    const of = async (neverReported: boolean, packets: PastPacket[] = []) => {
      const rule = compileRule(ruleOf({ ruleId: 'draft', ruleTypeId: 3, lifetimeMs: 300_000, conditions: [silence(60)], neverReported }));
      const rules = { draft: rule, inForce: undefined, maintenance: indexOf() };
      const outcomes = newOutcomes(rules, { from: 0, to: 130_000 });
      const replay = newPacketReplay(rules, { from: 0, to: 130_000 }, outcomes);
      replay.watch(web, 1_000);
      replay.take(web, packets);
      expect(await replay.finish(() => Promise.resolve(true))).toBe(true);
      return outcomes.finish().draft.list.map((item) => [Date.parse(item.firstMatch), item.matchCount]);
    };
    expect([await of(true), await of(false), await of(true, [packet(10_000, 5)])]).toEqual([[[65_000, 1]], [], [[75_000, 1]]]);
  });

  it('are tried by the draft and by the saved rule, of which one may look at silence', async () => {
    const rules = {
      draft: compileRule(ruleOf({ ruleId: 'draft', ruleTypeId: 3, conditions: [cpuOver90] })),
      inForce: compileRule(ruleOf({ ruleId: 'saved', ruleTypeId: 3, conditions: [silence(60)] })),
      maintenance: indexOf(),
    };
    const outcomes = newOutcomes(rules, { from: 0, to: 70_000 });
    const replay = newPacketReplay(rules, { from: 0, to: 70_000 }, outcomes);
    replay.take(web, [packet(1_000, 95)]);
    await replay.finish(() => Promise.resolve(true));
    const result = outcomes.finish();
    expect([result.draft.list[0]?.firstMatch, result.inForce?.list[0]?.firstMatch]).toEqual([time(1_000), time(65_000)]);
    expect([result.draft.matches, result.inForce?.matches]).toEqual([1, 1]);
  });

  it('leave no silence of a device that is disabled', async () => {
    expect(await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], enabled: false })).toEqual([]);
  });

  it('leave silence that begins with the hours of the rule', async () => {
    const timeConditions = { DailyStartTime: '00:07', TimeZoneId: 'UTC' };
    const [first] = await matchesOf({ conditions: [silence(60)], packets: [packet(1_000, 5)], extra: { timeConditions } });
    expect(first?.[0]).toBe(420_000);
  });

  it('are stopped when they are no longer wanted', async () => {
    const rule = compileRule(ruleOf({ ruleId: 'draft', ruleTypeId: 3, conditions: [silence(60)] }));
    const rules = { draft: rule, inForce: undefined, maintenance: indexOf() };
    const long = { from: 0, to: 2_100 * 60_000 };
    const replay = newPacketReplay(rules, long, newOutcomes(rules, long));
    replay.take(web, [packet(1_000, 5)]);
    let questions = 0;
    expect(await replay.finish(() => Promise.resolve(++questions > 5))).toBe(false);
    expect(questions).toBe(1);
  });
});
