/**
 * Silence across restarts, by a model of servers and senders on a clock of its own: nobody who lives is reported silent, and who
 * died is reported in time.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import { graceMsOf, packetsOfBeat, usualBeatMs } from './beats.ts';
import { evaluateSilence } from './silence.ts';
import { indexOf, ruleOf, web } from '../testing/hits.ts';

const [pulseMs, sweepMs, longMs] = [5_000, 5_000, 10_000];

interface Up {
  from: number;
  until: number;
}

/** The outages by the pulses of one server that is killed and started again. */
function gapsOf(ups: readonly Up[]): Gap[] {
  const gaps: Gap[] = [];
  for (const [i, { from: until }] of ups.entries()) {
    const before = ups[i - 1];
    if (!before) continue;
    const from = before.from + Math.floor((before.until - before.from) / pulseMs) * pulseMs;
    const last = gaps.at(-1);
    if (last && last.until >= from - longMs) last.until = until;
    else gaps.push({ from, until });
  }
  return gaps;
}

const downtime = fc.record({
  upMs: fc.constantFrom(3_000, 9_000, 31_000, 200_000),
  downMs: fc.constantFrom(2_000, 5_000, 20_000, 40_000, 90_000),
});
const scenario = fc.record({
  restarts: fc.array(downtime, { minLength: 1, maxLength: 6 }),
  beatMs: fc.constantFrom(4_000, 10_000, 30_000, 60_000, 300_000),
  phase: fc.double({ min: 0, max: 1, noNaN: true }),
  times: fc.constantFrom(1.2, 1.5, 3),
  resends: fc.boolean(),
  /** When the sender dies, as a share of the time; not at all above 1. */
  dies: fc.double({ min: 0.2, max: 2, noNaN: true }),
});

it('reports no sender that lives, and one that died within its limit and its grace', () => {
  fc.assert(
    fc.property(scenario, ({ restarts, beatMs, phase, times, resends, dies }) => {
      const ups: Up[] = [];
      let at = 0;
      for (const [i, { upMs, downMs }] of restarts.entries()) {
        const from = at;
        // First, the sender becomes known.
        at += i === 0 ? 14 * beatMs + upMs : upMs;
        ups.push({ from, until: at });
        at += downMs;
      }
      const lastStart = at;
      const end = lastStart + 4 * beatMs + 60_000 + beatMs * times;
      ups.push({ from: lastStart, until: end + 1 });
      const isUp = (when: number) => ups.some((up) => up.from <= when && when < up.until);
      const gaps = gapsOf(ups);

      // When which packets arrive: one that is lost comes again with the next beat, or is sent again each second.
      const death = dies > 1 ? Infinity : end * dies;
      const arrivals: { at: number; timestamp: number }[] = [];
      for (let timestamp = phase * beatMs; timestamp < Math.min(end, death); timestamp += beatMs) {
        let arrives = timestamp;
        while (resends && !isUp(arrives) && arrives < death) arrives += 1_000;
        if (isUp(arrives)) arrivals.push({ at: arrives, timestamp });
      }
      const limitMs = beatMs * times;
      const rules = indexOf(
        ruleOf({ ruleTypeId: 3, conditions: [{ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: String(limitMs / 1_000) }] }),
      );
      const hitTimes: number[] = [];
      for (let sweep = Math.ceil((10 * beatMs) / sweepMs) * sweepMs; sweep < end; sweep += sweepMs) {
        if (!isUp(sweep)) continue;
        const received = arrivals.filter((arrival) => arrival.at <= sweep).map(({ timestamp }) => timestamp);
        const latest = Math.max(...received);
        const begun = gaps.filter((gap) => gap.from < sweep);
        const row = { at: latest, memory: null, beatMs: usualBeatMs(received.toSorted((a, b) => a - b).slice(-packetsOfBeat)) };
        if (evaluateSilence(rules, web, row, { gaps: begun }, sweep, []).length > 0) hitTimes.push(sweep);
      }
      const last = Math.max(...arrivals.map(({ timestamp }) => timestamp));
      expect(hitTimes.filter((sweep) => sweep < Math.min(death, last + limitMs))).toEqual([]);
      if (dies > 1) expect(hitTimes).toEqual([]);
      const grace = graceMsOf(2 * beatMs, limitMs);
      const due = Math.max(last, lastStart) + limitMs + grace + sweepMs;
      if (dies <= 1 && due < end) expect(hitTimes[0]).toBeLessThanOrEqual(due);
    }),
    { numRuns: 600 },
  );
});

it('the beat of an entity is what is usual, also with bursts, lost packets and repeated times', () => {
  const every = (seconds: number) => Array.from({ length: packetsOfBeat }, (_, i) => i * seconds * 1_000);
  expect(usualBeatMs(every(30))).toBe(30_000);
  expect(usualBeatMs(every(30).filter((_, i) => i !== 4 && i !== 8))).toBe(30_000);
  expect(
    usualBeatMs(
      every(30)
        .flatMap((at) => [at, at + 100])
        .slice(0, packetsOfBeat),
    ),
  ).toBe(29_900);
  expect(usualBeatMs(every(30).flatMap((at) => [at, at]))).toBe(30_000);
  expect([usualBeatMs([]), usualBeatMs([1]), usualBeatMs([1, 5_001])]).toEqual([undefined, undefined, 5_000]);
});

it('the grace is a beat, within bounds; of an unknown beat the limit of the rule', () => {
  expect([4_000, 60_000, 7_200_000].map((beat) => graceMsOf(beat, 1))).toEqual([10_000, 60_000, 3_600_000]);
  expect([1, 90_000, 86_400_000].map((limit) => graceMsOf(undefined, limit))).toEqual([10_000, 90_000, 3_600_000]);
});
