import { describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { recoveryOf } from './compiled-rules.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { EntityState, LatestPacketState, RuleHit } from './evaluate-entity.ts';
import { evaluateEntity, latestAfter } from './evaluate-packets.ts';
import { orderTime } from './order/packet-times.ts';
import { about, indexOf, packetAt, ruleOf, web } from '../testing/hits.ts';

const twiceInRow = ruleOf({
  conditions: [
    {
      Type: 'And',
      LeftOperand: 62,
      LeftOperandFieldName: 'Cpu',
      Operator: 3,
      RightOperand: '90',
      OccurrencePattern: { Kind: 'TimesInRow', Times: 2 },
    },
  ],
});
const plain = indexOf(ruleOf());
const remembering = indexOf(twiceInRow);
const latestAt = (timestamp: number, state: LatestPacketState['state'] = {}): LatestPacketState => ({
  timestamp,
  packetId: `p${timestamp}`,
  state,
});
const timesOf = (some: readonly { packet: { timestamp: number } }[]) => some.map(({ packet }) => packet.timestamp);

describe('the packets of one entity', () => {
  it('are evaluated in the order of time, and the last one is the newest', () => {
    const packets = [packetAt(3_000, 99), packetAt(1_000, 99), packetAt(2_000, 99)];
    const { hits, newest } = evaluateEntity(plain, web, undefined, packets);
    expect(timesOf(hits)).toEqual([1_000, 2_000, 3_000]);
    expect(newest).toBe(packets[0]);
    expect(hits.map((hit) => hit.event.previous?.timestamp)).toEqual([undefined, 1_000, 2_000]);
  });

  it('are stale when they are older than the latest packet, and evaluated when they are as old', () => {
    const older = evaluateEntity(plain, web, latestAt(2_000), [packetAt(1_999, 99)]);
    expect(older).toMatchObject({ newest: undefined, state: undefined, hits: [] });
    expect(older.notes).toMatchObject([{ outcome: 'stale', detail: { latest: '1970-01-01T00:00:02.000Z' } }]);
    const same = evaluateEntity(plain, web, latestAt(2_000), [packetAt(2_000, 99)]);
    expect([timesOf(same.hits), same.notes, same.newest?.timestamp]).toEqual([[2_000], [], 2_000]);
    expect(same.hits[0]?.event.previous).toEqual({ timestamp: 2_000 });
  });
});

describe('a rule that holds', () => {
  it('is remembered from its first hit until a packet misses, which is noted once', () => {
    const first = evaluateEntity(plain, web, undefined, [packetAt(1_000, 99)]);
    expect(first.state).toEqual({ holding: ['r1'] });
    const again = evaluateEntity(plain, web, latestAt(1_000, first.state), [packetAt(2_000, 99)]);
    expect([timesOf(again.hits), again.state]).toEqual([[2_000], undefined]);
    const missed = evaluateEntity(plain, web, latestAt(2_000, first.state), [packetAt(3_000, 5), packetAt(4_000, 5)]);
    expect([missed.hits, missed.state]).toEqual([[], {}]);
    expect(missed.notes).toMatchObject([{ outcome: 'miss', packet: { timestamp: 3_000 }, detail: { conditions: [{ value: 5 }] } }]);
  });

  it('leaves no note when it did not hold before', () => {
    expect(evaluateEntity(plain, web, undefined, [packetAt(1_000, 5)])).toMatchObject({ hits: [], notes: [], state: undefined });
  });

  it('is forgotten with the state once the rule is gone', () => {
    const state = { holding: ['gone', 'r1'], memory: { gone: { x: 1 } as never } };
    expect(evaluateEntity(plain, web, latestAt(1_000, state), [packetAt(2_000, 5)]).state).toEqual({});
    const other = indexOf(ruleOf(), ruleOf({ ruleId: 'r2' }));
    const half = evaluateEntity(other, web, latestAt(1_000, { holding: ['gone', 'r1'] }), [packetAt(2_000, 99)]);
    expect(half.state).toEqual({ holding: ['r1', 'r2'] });
  });
});

describe('a packet from the future', () => {
  const sent = (receivedAt: number, timestamp: number) => ({ ...packetAt(timestamp, 99), packetId: uuidV7(receivedAt) });

  it('is evaluated and hides none of the right ones after it', () => {
    const now = Date.UTC(2026, 5, 1);
    const ahead = evaluateEntity(remembering, web, undefined, [sent(now, now + 240_000)]);
    const latest = ahead.newest && { timestamp: orderTime(ahead.newest), packetId: ahead.newest.packetId, state: ahead.state ?? {} };
    const right = evaluateEntity(remembering, web, latest, [sent(now + 1_000, now + 900)]);
    expect(right.notes).toEqual([]);
    expect(right.hits).toHaveLength(1);
    expect(right.newest?.timestamp).toBe(now + 900);
    // In one batch, the packet with the correct time is evaluated first.
    const together = evaluateEntity(remembering, web, undefined, [sent(now, now + 240_000), sent(now, now - 100)]);
    expect([together.notes, together.newest?.timestamp]).toEqual([[], now + 240_000]);
  });
});

describe('a rule that remembers', () => {
  it('goes on from the state of the latest packet, and a hit carries what it was before', () => {
    const first = evaluateEntity(remembering, web, undefined, [packetAt(1_000, 99)]);
    expect([first.hits, Object.keys(first.state?.memory ?? {})]).toEqual([[], ['r1']]);
    const second = evaluateEntity(remembering, web, latestAt(1_000, first.state), [packetAt(2_000, 99)]);
    expect(timesOf(second.hits)).toEqual([2_000]);
    expect(second.hits[0]?.before).toEqual(first.state?.memory?.['r1']);
    expect(second.state).toMatchObject({ holding: ['r1'], memory: { r1: expect.anything() } });
    const missed = evaluateEntity(remembering, web, latestAt(2_000, second.state), [packetAt(3_000, 5)]);
    expect([missed.hits, missed.state]).toEqual([[], {}]);
  });

  it('begins again after a packet that it does not select', () => {
    const hits = evaluateEntity(remembering, web, undefined, [packetAt(1_000, 99), packetAt(2_000, 5), packetAt(3_000, 99)]);
    expect([hits.hits, Object.keys(hits.state?.memory ?? {})]).toEqual([[], ['r1']]);
  });
});

describe('what a rule knows besides the packet', () => {
  it('is which rules match for the entity and what its metrics usually are, at the time of the packet', () => {
    const requests: [string, string, number][] = [];
    const [matching, usual] = [() => true, () => undefined];
    const { hits } = evaluateEntity(plain, web, undefined, [packetAt(1_000, 99)], {
      gaps: [],
      matchingAt: (entity, at) => (requests.push(['matching', entity.id, at]), matching),
      usualAt: (entity, at) => (requests.push(['usual', entity.id, at]), usual),
    });
    expect(hits[0]?.event).toMatchObject({ matching, usual });
    expect(requests).toEqual([
      ['matching', 'web', 1_000],
      ['usual', 'web', 1_000],
    ]);
  });
});

describe('a rule that recovers', () => {
  const low: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Load', Operator: 4, RightOperand: '50' };
  const recovering = (extra: Partial<IngestRule> = {}) => {
    const rule = ruleOf({ recoveryConditions: [low], ...extra });
    return indexOf(rule, ...[recoveryOf(rule)].filter((item) => item !== undefined));
  };
  const packet = (timestamp: number, Metrics: Record<string, number>) => ({ ...packetAt(timestamp, 0), message: { Metrics } });
  const run = (state: EntityState | undefined, Metrics: Record<string, number>, rules = recovering()) =>
    evaluateEntity(rules, web, latestAt(1_000, state), [packet(2_000, Metrics)]);
  const ids = (hits: readonly RuleHit[]) => hits.map(({ rule }) => rule.rule.recovers ?? rule.ruleId);

  it('remembers that it was hit until its recovery conditions hold', () => {
    const hit = run(undefined, { Cpu: 95 });
    expect([ids(hit.hits), hit.state]).toEqual([['r1'], { holding: ['r1'], unrecovered: ['r1'] }]);
    expect(run(hit.state, { Cpu: 96 }).state).toBeUndefined();
    const middling = run(hit.state, { Cpu: 5 });
    expect([middling.hits, middling.state]).toEqual([[], { unrecovered: ['r1'] }]);
    const recovered = run(middling.state, { Load: 10 });
    expect([recovered.hits.map(({ rule }) => rule.rule.recovers), recovered.state]).toEqual([['r1'], {}]);
  });

  it('does not recover by a packet that it matches, nor without a hit before', () => {
    expect(run({ unrecovered: ['r1'] }, { Cpu: 95, Load: 10 }).hits.map(({ rule }) => rule.rule.recovers)).toEqual([undefined]);
    expect(run(undefined, { Load: 10 })).toMatchObject({ hits: [], state: undefined });
    // Silence opens matches without a packet.
    const history = recovering({ ruleTypeId: 3 });
    expect(ids(run(undefined, { Load: 10 }, history).hits)).toEqual(['r1']);
    expect(run(undefined, { Load: 10 }, history).state).toBeUndefined();
  });

  const up: Condition = { Type: 'And', LeftOperand: 63, LeftOperandFieldName: 'svc', Operator: 1, RightOperand: 'up' };
  const onCpu = about(62, 3, '90', { LeftOperandFieldName: 'Cpu' });
  const forms: [string, Condition[]][] = [
    ['plain', [onCpu]],
    ['a rate', [{ ...onCpu, LeftOperand: 65, RightOperand: '50' }]],
    ['in a row', [{ ...onCpu, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }]],
    ['during', [{ ...onCpu, OccurrencePattern: { Kind: 'EveryTimeDuring', Seconds: 1 } }]],
    ['within', [{ ...onCpu, OccurrencePattern: { Kind: 'TimesWithin', Times: 2, Seconds: 60 } }]],
    ['changed', [{ ...onCpu, OccurrencePattern: { Kind: 'Changed' } }]],
    ['two readings', [onCpu, { ...onCpu, LeftOperandFieldName: 'Load' }]],
    ['a state', [about(63, 1, 'bad', { LeftOperandFieldName: 'Health' })]],
    ['a value', [about(60, 3, '90')]],
  ];
  it.each(forms)('recovers by a packet without the readings of its own conditions: %s', (_, conditions) => {
    const rule = ruleOf({ conditions, recoveryConditions: [up] });
    const rules = indexOf(rule, ...[recoveryOf(rule)].filter((item) => item !== undefined));
    const bad = (at: number, value: number) => {
      const message = { Value: value, Metrics: { Cpu: value, Load: value }, States: { Health: 'bad' } };
      return { ...packetAt(at, 0), message };
    };
    const satisfied = evaluateEntity(rules, web, undefined, [bad(1_000, 5), bad(2_000, 150), bad(3_000, 250)]);
    expect(satisfied.hits.at(-1)?.packet.timestamp).toBe(3_000);
    const ends = { ...packetAt(4_000, 0), message: { States: { svc: 'up' } } };
    const recovered = evaluateEntity(rules, web, latestAt(3_000, satisfied.state), [ends]);
    expect(recovered.hits.map((hit) => hit.rule.rule.recovers)).toEqual(['r1']);
    const again = evaluateEntity(rules, web, latestAt(4_000, recovered.state), [bad(5_000, 350)]);
    expect(again.hits.map((hit) => hit.rule.ruleId)).toEqual(['r1']);
  });

  it('recovers with others by the same packet', () => {
    const both = ['a1', 'b1'].map((ruleId) => ruleOf({ ruleId, recoveryConditions: [low] }));
    const rules = indexOf(...both, ...both.flatMap((rule) => recoveryOf(rule) ?? []));
    expect(ids(run({ unrecovered: ['a1', 'b1'] }, { Load: 10 }, rules).hits)).toEqual(['a1', 'b1']);
  });

  it('goes on while its recovery conditions do not hold', () => {
    const twice = recovering({ recoveryConditions: [{ ...low, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }] });
    expect(run({ unrecovered: ['r1'] }, { Load: 10 }, twice).hits).toEqual([]);
    expect(run({ unrecovered: ['r1'] }, { Load: 60 })).toMatchObject({ hits: [], state: undefined });
  });

  it('forgets that rules which are gone were hit', () => {
    expect(run({ unrecovered: ['gone', 'r1'] }, { Cpu: 95 }).state).toEqual({ holding: ['r1'], unrecovered: ['r1'] });
    expect(run({ unrecovered: ['gone'] }, { Cpu: 95 }, indexOf(ruleOf())).state).toEqual({ holding: ['r1'] });
  });

  it('is named in the record when its recovery fails, and once for a stale packet', () => {
    const rules = recovering();
    const recovery = [...rules.all()].find(({ rule }) => rule.recovers !== undefined);
    if (!recovery) throw new Error('The recovery is missing.');
    recovery.simple = undefined;
    recovery.inTimeWindow = () => {
      throw new Error('No such time zone.');
    };
    expect(run(undefined, { Load: 10 }, rules).notes).toMatchObject([{ outcome: 'failed', rule: { ruleId: 'r1' } }]);
    const stale = evaluateEntity(recovering(), web, latestAt(5_000), [packet(2_000, { Cpu: 95, Load: 10 })]);
    expect(stale.notes.map(({ outcome, rule }) => [outcome, rule.ruleId])).toEqual([['stale', 'r1']]);
  });

  it('knows the packet before, if there was one', () => {
    const [first] = evaluateEntity(indexOf(ruleOf()), web, undefined, [packetAt(1_000, 95)]).hits;
    const [second] = evaluateEntity(indexOf(ruleOf()), web, latestAt(500), [packetAt(1_000, 95)]).hits;
    expect([first?.event.previous, second?.event.previous]).toEqual([undefined, { timestamp: 500 }]);
  });
});

describe('a rule that fails', () => {
  it('is noted with its error and stops no other', () => {
    const broken = indexOf(ruleOf(), ruleOf({ ruleId: 'r2' }));
    const rule = broken.get('r2');
    if (!rule) throw new Error('The rule is missing.');
    rule.simple = undefined;
    rule.inTimeWindow = () => {
      throw new Error('No such time zone.');
    };
    const { hits, notes } = evaluateEntity(broken, web, undefined, [packetAt(1_000, 99)]);
    expect(hits.map((hit) => hit.rule.ruleId)).toEqual(['r1']);
    expect(notes).toMatchObject([{ outcome: 'failed', rule: { ruleId: 'r2' }, detail: { error: 'No such time zone.' } }]);
  });
});

describe('a sender that is late from its first packet', () => {
  const begun = 1_780_000_000_000;
  /** Receives a packet every ten seconds, each six minutes late; returns the times of the hits, in seconds. */
  function hitsOf(condition: Condition, count = 5, ruleTypeId = 1): number[] {
    const rules = indexOf(ruleOf({ conditions: [condition], ruleTypeId }));
    let latest: LatestPacketState | undefined;
    return Array.from({ length: count }, (_, i) => begun + i * 10_000).flatMap((received) => {
      const sent = { ...packetAt(received - 360_000, 95), packetId: uuidV7(received) };
      const result = evaluateEntity(rules, web, latest, [sent]);
      latest = latestAfter(latest, result) ?? latest;
      return result.hits.map(({ packet }) => (packet.timestamp - begun) / 1_000);
    });
  }
  const cpuHigh = about(62, 3, '90', { LeftOperandFieldName: 'Cpu' });

  it('is evaluated as of its receipt from the third packet on', () => {
    expect(hitsOf(cpuHigh)).toEqual([-360, -350, 20, 30, 40]);
  });

  it('has not been silent, nor held or counted, for the time by which it is corrected', () => {
    expect(hitsOf(about(70, 3, '60'), 5, 3)).toEqual([]);
    expect(hitsOf({ ...cpuHigh, OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 60 } })).toEqual([]);
    expect(hitsOf({ ...cpuHigh, OccurrencePattern: { Kind: 'EveryTimeDuring', Seconds: 60 } }, 8)).toEqual([]);
    expect(hitsOf(about(71, 4, '2', { WindowSeconds: 30 }), 5, 3)).toEqual([]);
  });
});

describe('a packet after one of the future', () => {
  it('is evaluated, without the memory of the future', () => {
    const now = 1_780_000_000_000;
    const during = ruleOf({
      conditions: [about(62, 3, '90', { LeftOperandFieldName: 'Cpu', OccurrencePattern: { Kind: 'EveryTimeDuring', Seconds: 60 } })],
    });
    let latest: LatestPacketState | undefined;
    const hits = [7_200, 10, 40, 80].flatMap((seconds) => {
      const at = now + seconds * 1_000;
      const result = evaluateEntity(indexOf(during), web, latest, [{ ...packetAt(at, 95), packetId: uuidV7(at) }]);
      latest = latestAfter(latest, result) ?? latest;
      return result.hits.map(({ packet }) => (packet.timestamp - now) / 1_000);
    });
    expect(hits).toEqual([80]);
  });
});

describe('a packet whose clock is ahead', () => {
  const received = 1_780_000_000_000;
  const stamped = (ahead: number) => ({ ...packetAt(received + ahead, 95), packetId: uuidV7(received) });
  const judged = (ahead: number) => evaluateEntity(indexOf(ruleOf()), web, undefined, [stamped(ahead)]).hits[0]?.packet.timestamp;

  it('is judged at its receipt when it is more than five seconds ahead', () => {
    expect([0, 5_000, 5_001, 240_000].map((ahead) => (judged(ahead) ?? 0) - received)).toEqual([0, 5_000, 0, 0]);
  });
});
