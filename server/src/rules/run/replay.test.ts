/**
 * A buffer that is sent after an outage gives the same matches however it is split into requests, and nobody is called for
 * matches that are over.
 */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notify } from '../../db/notify.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { cpu, cpuOver90, createFlow, createUnit, send, until, type Flow } from '../testing/flow.ts';
import { matchesFromScratch, type ScratchEvent } from '../testing/matches-from-scratch.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const cpuUnder50 = { ...cpuOver90, Operator: 4, RightOperand: '50' };
const isDevice = (id: string) => ({ Type: 'And' as const, LeftOperand: 30, Operator: 1, RightOperand: id });

interface Buffer {
  lifetimeMinutes: number;
  sliding: boolean;
  recovers: boolean;
  clearForMinutes: number;
  /** Whether the recovery conditions are about a reading that other packets carry than those with the rule's reading. */
  apart: boolean;
  /**
   * Minutes since the previous packet, value, and whether the packet begins a new request (`cut`) or a new process (`restart`).
   */
  packets: { gap: number; value: number; cut: boolean; restart: boolean }[];
}

const buffer: fc.Arbitrary<Buffer> = fc.record({
  lifetimeMinutes: fc.constantFrom(5, 20, 60, 240),
  sliding: fc.boolean(),
  recovers: fc.boolean(),
  clearForMinutes: fc.constantFrom(0, 0, 10, 50),
  apart: fc.boolean(),
  packets: fc.array(
    fc.record({
      gap: fc.constantFrom(1, 4, 5, 19, 20, 45, 90),
      value: fc.constantFrom(5, 70, 95, 95),
      cut: fc.boolean(),
      restart: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 10 },
  ),
});

interface StoredMatch {
  first: number;
  last: number;
  expires: number;
  count: number;
  closed: boolean;
  run: number;
}

const storedMatches = (rule: string) =>
  flow.rows<StoredMatch>(
    `select (extract(epoch from first_match) * 1000)::float8 as first, (extract(epoch from last_match) * 1000)::float8 as last,
  (extract(epoch from expires) * 1000)::float8 as expires, match_count as count, closed is not null as closed,
  (select count(*)::int from action_history h where h.reference_id = m.rule_match_id::text and h.result_status_id <> ${resultStatus.suppressed}) as run
from rule_match m where rule_id = $1 order by first_match`,
    rule,
  );

/** Sends the packets, with `cuts` in several requests; the last packet was measured two and a half minutes ago. */
async function replay(
  { lifetimeMinutes, sliding, recovers, clearForMinutes, apart, packets }: Buffer,
  cuts: boolean,
): Promise<{ rule: string; events: ScratchEvent[] }> {
  const device = await flow.device();
  const conditions = [isDevice(device), cpuOver90];
  const rule = await flow.rule({ conditions, lifetimeSeconds: lifetimeMinutes * 60, sliding, matchActions: [createUnit] });
  const recovery = apart ? { ...cpuUnder50, LeftOperandFieldName: 'Load' } : cpuUnder50;
  if (recovers)
    await flow.rows('update rule set recovery_conditions = $2 where rule_id = $1', rule, JSON.stringify([isDevice(device), recovery]));
  await flow.rows('update rule set clear_for = $2 where rule_id = $1', rule, clearForMinutes * 60);
  await notify(flow.db, 'rules', [rule]);
  const isCurrent = ({ recoveryConditions, clearForMs = 0 }: IngestRule) =>
    Boolean(recoveryConditions) === recovers && clearForMs === clearForMinutes * minuteMs;
  await until(() => {
    const compiled = ingest.rules.ingestion().get(rule);
    return compiled && isCurrent(compiled.rule) && compiled;
  });
  const total = packets.reduce((sum, { gap }) => sum + gap, 0);
  let at = Date.now() - 150_000 - total * minuteMs;
  const events: ScratchEvent[] = [];
  const request: unknown[] = [];
  for (const { gap, value, cut, restart } of packets) {
    at += gap * minuteMs;
    if (value > 90) events.push({ at, kind: 'hit' });
    else if (recovers && value < 50) events.push({ at, kind: 'recovery' });
    // A packet without the reading of the recovery conditions says nothing about them.
    else if (recovers && !apart) events.push({ at, kind: 'neither' });
    if (cuts && cut && request.length > 0) {
      await send(ingest, flow.ctx, ...request.splice(0));
      if (restart) ingest = await restarted(rule);
    }
    const packet = cpu(device, value, new Date(at).toISOString());
    request.push(apart && value < 50 ? { ...packet, message: { Metrics: { Load: value } } } : packet);
  }
  await send(ingest, flow.ctx, ...request);
  return { rule, events };
}

/** Starts another process, with empty memory. */
async function restarted(rule: string): Promise<Ingest> {
  const next = await flow.openIngest();
  await until(() => next.rules.ingestion().get(rule));
  return next;
}

describe('a buffer', () => {
  it('gives the same matches in one request and in random cuts, and calls only for those that are not over', async () => {
    await fc.assert(
      fc.asyncProperty(buffer, async (item) => {
        for (const cuts of [false, true]) {
          const { rule, events } = await replay(item, cuts);
          const now = Date.now();
          const expected = matchesFromScratch(events, {
            lifetimeMs: item.lifetimeMinutes * minuteMs,
            sliding: item.sliding,
            clearForMs: item.clearForMinutes * minuteMs,
          });
          // A recovery that comes in a later request ends a match whose actions have run.
          const run = ({ expires }: { expires: number }) => (item.recovers && cuts ? expect.any(Number) : expires <= now ? 0 : 1);
          expect(await storedMatches(rule)).toEqual(expected.map((match) => ({ ...match, closed: match.expires <= now, run: run(match) })));
        }
      }),
      { numRuns: runs(15, 40) },
    );
    // Thirty buffers, for each of which a rule is changed and processes start: each waits for its own time beside other tests.
  }, 300_000);

  it('counts a late packet in the match that has ended since, without a second call', async () => {
    const device = await flow.device();
    const rule = await flow.rule({ conditions: [isDevice(device), cpuOver90], lifetimeSeconds: 600, matchActions: [createUnit] });
    await until(() => ingest.rules.ingestion().get(rule));
    const at = (minutes: number) => new Date(Date.now() - minutes * minuteMs).toISOString();
    await send(ingest, flow.ctx, cpu(device, 95, at(8)));
    // The match ran its actions and ended when its lifetime was over.
    await flow.rows(
      `update rule_match set expires = now() - interval '1 minute', closed = now(), completion_processed = true where rule_id = $1`,
      rule,
    );
    await send(ingest, flow.ctx, cpu(device, 95, at(2)));
    expect(await storedMatches(rule)).toMatchObject([{ count: 2, closed: true, run: 1 }]);
    await send(ingest, flow.ctx, cpu(device, 95));
    expect(await storedMatches(rule)).toMatchObject([
      { count: 2, closed: true, run: 1 },
      { count: 1, closed: false, run: 1 },
    ]);
  });
});
