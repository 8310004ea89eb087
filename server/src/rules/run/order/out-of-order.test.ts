/** Packets that arrive out of order, within the grace of a rule, lead to the same as in order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { receive, type Arrival } from '../../testing/arrivals.ts';
import { about, ruleOf } from '../../testing/hits.ts';

const start = 1_780_000_000_000;
const high = (OccurrencePattern?: OccurrencePattern): Condition => about(62, 3, '90', { LeftOperandFieldName: 'Cpu', OccurrencePattern });
const low = about(62, 4, '50', { LeftOperandFieldName: 'Cpu' });
const fiveMinutes = { lifetimeMs: 300_000 };
const arrival = (seconds: number, cpu: number, delaySeconds = 0): Arrival => ({
  at: start + seconds * 1_000,
  received: start + (seconds + delaySeconds) * 1_000 + 1,
  cpu,
});
const inOrder = (arrivals: readonly Arrival[]) => arrivals.map((arrival) => ({ ...arrival, received: arrival.at + 1 }));

/** Packets a second or more apart, each received up to five seconds late. */
const arrivals = (values: readonly number[]) =>
  fc
    .array(
      fc.record({
        gap: fc.constantFrom(1, 1, 2, 3, 7, 40),
        cpu: fc.constantFrom(...values),
        delay: fc.constantFrom(0, 0, 0.5, 1.5, 2.5, 4.5),
      }),
      { minLength: 1, maxLength: 14 },
    )
    .map((steps) => {
      let at = 0;
      return steps.map(({ gap, cpu, delay }) => arrival((at += gap), cpu, delay));
    });

const patterns: (OccurrencePattern | undefined)[] = [
  { Kind: 'TimesInRow', Times: 2 },
  { Kind: 'TimesWithin', Times: 2, Seconds: 5 },
  { Kind: 'EveryTimeDuring', Seconds: 3 },
  { Kind: 'Changed' },
  { Kind: 'NotSeenFor', Seconds: 5 },
];

describe('a packet that arrives two seconds late', () => {
  const late = [arrival(0, 5), arrival(2, 97, 2.5), arrival(4, 5)];

  it('opens a match, which a newer packet has ended where the rule recovers, and calls', () => {
    const at = start + 2_000;
    const match = { first: at, last: at, count: 1, isTold: true };
    expect(receive(ruleOf({ conditions: [high()], ...fiveMinutes }), late).matches).toEqual([{ ...match, expires: at + 300_000 }]);
    expect(receive(ruleOf({ conditions: [high()], recoveryConditions: [low], ...fiveMinutes }), late).matches).toEqual([
      { ...match, expires: at + 2_000 },
    ]);
  });

  it('is only stored where the grace of the rule is shorter', () => {
    const rule = ruleOf({ conditions: [high()], ...fiveMinutes, graceMs: 1_000 });
    expect(receive(rule, late)).toMatchObject({ matches: [], stale: [start + 2_000] });
    expect(receive({ ...rule, graceMs: 0 }, late).stale).toEqual([start + 2_000]);
    const longest = { ...rule, graceMs: 30_000 };
    expect(receive(longest, [arrival(0, 5), arrival(2, 97, 60), arrival(32, 5)]).matches).toHaveLength(1);
    expect(receive(longest, [arrival(0, 5), arrival(2, 97, 60), arrival(33, 5)]).stale).toEqual([start + 2_000]);
  });

  it('is the packet before the next one only for rules that evaluate it', () => {
    const rule = ruleOf({ conditions: [high({ Kind: 'NotSeenFor', Seconds: 10 })], ...fiveMinutes, graceMs: 0 });
    const packets = [arrival(1, 10, 23), arrival(12, 91), arrival(23, 91)];
    expect(receive(rule, packets)).toMatchObject({ matches: [{ first: start + 23_000, count: 1 }], stale: [start + 1_000] });
    expect(receive({ ...rule, graceMs: 30_000 }, packets)).toMatchObject({ matches: [{ first: start + 12_000, count: 2 }], stale: [] });
  });

  it('after a restart is evaluated by rules that remember nothing, and by others only stored', () => {
    expect(receive(ruleOf({ conditions: [high()], ...fiveMinutes }), late, true).matches).toHaveLength(1);
    const inRow = ruleOf({ conditions: [high({ Kind: 'TimesInRow', Times: 2 })], ...fiveMinutes });
    expect(receive(inRow, late, true)).toMatchObject({ matches: [], stale: [start + 2_000] });
  });
});

describe('packets in any order within the grace', () => {
  it('lead to the same matches as in order, also after restarts', () => {
    fc.assert(
      fc.property(arrivals([5, 95]), fc.boolean(), fc.boolean(), (packets, sliding, forgets) => {
        const rule = ruleOf({ conditions: [high()], ...fiveMinutes, sliding });
        expect(receive(rule, packets, forgets)).toMatchObject({ matches: receive(rule, inOrder(packets)).matches, stale: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  it('lead to the same hits and the same memory where the rule recovers, though a late recovery divides no match', () => {
    fc.assert(
      fc.property(arrivals([5, 70, 95, 95]), fc.boolean(), (packets, sliding) => {
        const rule = ruleOf({ conditions: [high()], ...fiveMinutes, sliding, recoveryConditions: [low] });
        const [received, expected] = [receive(rule, packets), receive(rule, inOrder(packets))];
        const hits = ({ matches }: typeof received) => matches.reduce((sum, { count }) => sum + count, 0);
        expect([hits(received), received.matches[0]?.first]).toEqual([hits(expected), expected.matches[0]?.first]);
        expect([received.state, received.stale]).toEqual([expected.state, []]);
        expect(received.matches.every(({ isTold }) => isTold)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(patterns)('leave the memory that they leave in order, and tell what they tell in order: %j', (pattern) => {
    const rule = ruleOf({ conditions: [high(pattern)], ...fiveMinutes });
    fc.assert(
      fc.property(arrivals([5, 95, 96]), (packets) => {
        const [received, expected] = [receive(rule, packets), receive(rule, inOrder(packets))];
        expect(received.state.memory).toEqual(expected.state.memory);
        expect(received.matches.length).toBeGreaterThanOrEqual(expected.matches.length);
        expect(received.stale).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
