/** A backtest over packets that arrived out of order gives the matches of the run that received them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { inReceipt, type PastPacket } from '../past/past-packets.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { receive, type Arrival } from '../testing/arrivals.ts';
import { about, indexOf, ruleOf, web } from '../testing/hits.ts';
import { newOutcomes } from './outcomes.ts';
import { newPacketReplay } from './replay-packets.ts';

const start = 1_780_000_000_000;
const end = start + 3_600_000;
const high = (OccurrencePattern?: OccurrencePattern): Condition => about(62, 3, '90', { LeftOperandFieldName: 'Cpu', OccurrencePattern });
const low = about(62, 4, '50', { LeftOperandFieldName: 'Cpu' });
const arrival = (seconds: number, cpu: number, delaySeconds = 0): Arrival => ({
  at: start + seconds * 1_000,
  received: start + (seconds + delaySeconds) * 1_000 + 1,
  cpu,
});

const arrivals = fc
  .array(
    fc.record({
      gap: fc.constantFrom(1, 1, 2, 3, 7, 40),
      cpu: fc.constantFrom(5, 70, 95, 96),
      // Longer ones would look like a clock that is behind.
      delay: fc.constantFrom(0, 0, 0.5, 1.5, 2.5, 4.5),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((steps) => {
    let at = 0;
    // Those of one receipt would be one request.
    return steps.map(({ gap, cpu, delay }, i) => ({ ...arrival((at += gap), cpu, delay), received: start + (at + delay) * 1_000 + 1 + i }));
  });

/** The matches of a backtest, whose packets are read in portions of so many seconds. */
async function tried(rule: IngestRule, received: readonly Arrival[], stale: readonly number[], portion: number) {
  const draft = compileRule({ ...rule, ruleId: 'draft' });
  const rules = { draft, inForce: undefined, maintenance: indexOf() };
  const outcomes = newOutcomes(rules, { from: start, to: end });
  const replay = newPacketReplay(rules, { from: start, to: end }, outcomes);
  const past = received.map(({ at, received: receipt, cpu }): PastPacket => {
    const isLate = received.some((other) => other.at > at && other.received < receipt);
    const evaluated = stale.includes(at) ? -Infinity : isLate ? at : null;
    const message = { Metrics: { Cpu: cpu } };
    return { entityId: web.id, packetId: uuidV7(receipt), timestamp: at, received: receipt, evaluated, message };
  });
  for (let from = start; from < start + 600_000; from += portion * 1_000) {
    const to = from + portion * 1_000;
    const later = Math.min(...past.filter((item) => item.timestamp >= to).map((item) => item.received));
    const packets = past.filter((item) => item.timestamp >= from && item.timestamp < to);
    if (packets.length > 0) replay.take(web, inReceipt(packets, later, to), to);
  }
  await replay.finish(() => Promise.resolve(true));
  return outcomes.finish().draft.list.map((item) => ({
    first: Date.parse(item.firstMatch),
    last: Date.parse(item.lastMatch),
    count: item.matchCount,
    expires: Date.parse(item.expires),
    isTold: item.suppressed !== 'late',
  }));
}

const patterns: (OccurrencePattern | undefined)[] = [
  undefined,
  { Kind: 'TimesInRow', Times: 2 },
  { Kind: 'TimesWithin', Times: 2, Seconds: 5 },
  { Kind: 'EveryTimeDuring', Seconds: 3 },
  { Kind: 'Changed' },
  { Kind: 'NotSeenFor', Seconds: 5 },
];

describe('a backtest of packets out of order', () => {
  it.each(patterns)('makes the matches of the run, whatever the grace of the rule: %j', async (pattern) => {
    const graces = fc.constantFrom(0, 1_000, 2_000, 30_000);
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        graces,
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(3, 20, 600),
        async (of, graceMs, sliding, recovers, portion) => {
          const more = recovers ? { recoveryConditions: [low] } : {};
          const rule = ruleOf({ conditions: [high(pattern)], lifetimeMs: 300_000, sliding, graceMs, ...more });
          const run = receive(rule, of);
          expect(await tried(rule, of, run.stale, portion)).toEqual(run.matches);
        },
      ),
      { numRuns: runs(50, 150) },
    );
  });

  it('evaluates by the grace of its draft what the run only stored', async () => {
    const of = [arrival(0, 5), arrival(2, 97, 2.5), arrival(4, 5)];
    const rule = ruleOf({ conditions: [high()], lifetimeMs: 300_000, graceMs: 1_000 });
    const { stale, matches } = receive(rule, of);
    expect([matches, await tried(rule, of, stale, 600)]).toEqual([[], []]);
    expect(await tried({ ...rule, graceMs: 2_000 }, of, stale, 600)).toMatchObject([{ first: start + 2_000, count: 1 }]);
  });
});
