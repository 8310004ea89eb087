/** A backtest on stored packets gives the same matches that the rule opened when the packets arrived. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import type { Ingest } from '../../ingest/accept.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { cpuOver90, createFlow, createUnit, send, until, type Flow } from '../testing/flow.ts';
import type { Backtest } from './backtest.ts';
import { runBacktest } from './run-backtest.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const pattern: fc.Arbitrary<OccurrencePattern | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ Kind: fc.constant('TimesInRow' as const), Times: fc.integer({ min: 2, max: 3 }) }),
  fc.record({ Kind: fc.constant('TimesWithin' as const), Times: fc.constant(2), Seconds: fc.integer({ min: 60, max: 900 }) }),
  fc.record({ Kind: fc.constant('EveryTimeDuring' as const), Seconds: fc.integer({ min: 60, max: 900 }) }),
  fc.constant({ Kind: 'Changed' as const }),
  fc.record({ Kind: fc.constant('NotSeenFor' as const), Seconds: fc.integer({ min: 100, max: 900 }) }),
);
const step = fc.record({
  device: fc.integer({ min: 0, max: 1 }),
  /** Seconds since the previous packet; up to 20 minutes, so that matches end between packets. */
  gap: fc.integer({ min: 1, max: 1_200 }),
  value: fc.constantFrom(10, 91, 95),
  delay: fc.constantFrom(0, 0, 0, 3),
  sameBatch: fc.boolean(),
});
const history = fc.record({
  pattern,
  sliding: fc.boolean(),
  steps: fc.array(step, { minLength: 3, maxLength: 25 }),
});

interface Row {
  subject_id: string;
  first_match: string;
  last_match: string;
  expires: string;
  match_count: number;
}

const definition = (ruleId: string, conditions: Condition[], sliding: boolean, more: Partial<IngestRule> = {}) =>
  compileRule({
    ruleId,
    name: 'Draft',
    ruleTypeId: 1,
    tenantId: flow.tenantId,
    subscriptionId: null,
    conditions,
    timeConditions: null,
    lifetimeMs: 300_000,
    sliding,
    matchActions: [createUnit],
    expirationActions: [],
    ...more,
  });

function tryIt(of: Partial<Backtest> & Pick<Backtest, 'draft' | 'entityIds'>): Promise<BacktestResult | undefined> {
  return runBacktest(flow.database.scoped([flow.tenantId]), {
    inForce: undefined,
    maintenance: ingest.rules.maintenance(),
    entities: ingest.entities,
    period: { from: Date.now() - 86_400_000, to: Date.now() + 600_000 },
    tenantId: flow.tenantId,
    goOn: () => Promise.resolve(true),
    ...of,
  });
}

describe('a try on recorded packets', () => {
  it('makes the matches that the run made, of random histories, in order or not', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ pattern: occurrence, sliding, steps }) => {
        const devices = [await flow.device(), await flow.device()];
        const conditions = [{ ...cpuOver90, OccurrencePattern: occurrence }];
        const rule = await flow.rule({ conditions, sliding, matchActions: [createUnit], lateGraceSeconds: 0 });
        await until(() => ingest.rules.ingestion().get(rule));
        let at = Date.now() - 8 * 3_600_000;
        const packets = steps.map((step, i) => {
          at += step.gap * 1_000;
          return {
            entityId: devices[step.device],
            timestamp: new Date(at).toISOString(),
            message: { Metrics: { Cpu: step.value } },
            order: i + step.delay * 1.1,
            sameBatch: step.sameBatch,
          };
        });
        const batches: (typeof packets)[] = [];
        for (const packet of packets.toSorted((a, b) => a.order - b.order)) {
          const last = batches.at(-1);
          if (packet.sameBatch && last) last.push(packet);
          else batches.push([packet]);
        }
        for (const batch of batches) {
          await send(ingest, flow.ctx, ...batch);
          await expireMatches(flow.db);
          // Waits, so that batches differ in their time of receipt.
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
        await flow.rows("with r as (update rule set enabled = false where rule_id = $1) select pg_notify('rules', $1::text)", rule);
        await until(() => !ingest.rules.ingestion().get(rule));

        const recorded = await flow.rows<Row>(
          'select subject_id, first_match, last_match, expires, match_count from rule_match where rule_id = $1',
          rule,
        );
        const tried = await tryIt({ draft: definition('draft', conditions, sliding), entityIds: devices.map(String) });
        const line = (id: unknown, first: unknown, last: unknown, ends: unknown, count: unknown) =>
          [id, first, last, ends, count].join(' ');
        expect(tried?.draft.list.map((m) => line(m.entityId, m.firstMatch, m.lastMatch, m.expires, m.matchCount)).toSorted()).toEqual(
          recorded.map((m) => line(m.subject_id, m.first_match, m.last_match, m.expires, m.match_count)).toSorted(),
        );
        const [counted] = await flow.rows<{ run: number; suppressed: number }>(
          `select count(*) filter (where result_status_id <> 5)::int as run, count(*) filter (where result_status_id = 5)::int as suppressed
           from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1`,
          rule,
        );
        expect(tried?.draft.workUnits).toBe(counted?.run);
        const [actions] = tried?.draft.actions ?? [];
        expect([actions?.run ?? 0, actions?.suppressed ?? 0]).toEqual([counted?.run, counted?.suppressed]);
        expect(tried?.draft.timeline.reduce((sum, moment) => sum + moment.matches, 0)).toBe(recorded.length);
      }),
      { numRuns: runs(10, 25), endOnFailure: true },
    );
  }, 180_000);

  it('says how a changed rule differs from the one in force, writes nothing, and ends when it is told to', async () => {
    const device = await flow.device();
    const sent = [95, 85, 95, 85, 85].map((Cpu, i) => ({
      entityId: device,
      timestamp: new Date(Date.now() - (5 - i) * 600_000).toISOString(),
      message: { Metrics: { Cpu } },
    }));
    await send(ingest, flow.ctx, ...sent);
    const before = await flow.rows('select (select count(*) from rule_match) as m, (select count(*) from rule_evaluation) as e');
    const lower = { ...cpuOver90, RightOperand: '80' };
    const both = { draft: definition('draft', [lower], false), inForce: definition('force', [cpuOver90], false), entityIds: [device] };
    const tried = await tryIt(both);
    expect(tried).toMatchObject({
      draft: { matches: 5, entities: 1 },
      inForce: { matches: 2 },
      difference: { same: 2, added: 3, removed: 0 },
    });
    expect(tried?.draft.list.map((item) => item.inBoth)).toEqual([true, false, true, false, false]);
    expect(tried?.draft.list.map((item) => item.values)).toEqual([95, 85, 95, 85, 85].map((Cpu) => `Cpu ${Cpu} > 80`));
    expect(tried?.draft.differing?.map((item) => item.firstMatch)).toEqual([1, 3, 4].map((i) => sent[i]?.timestamp));
    expect(tried?.inForce?.differing).toEqual([]);
    const stricter = await tryIt({ ...both, draft: both.inForce, inForce: both.draft });
    expect(stricter?.inForce?.differing?.map((item) => [item.firstMatch, item.values])).toEqual(
      [1, 3, 4].map((i) => [sent[i]?.timestamp, 'Cpu 85 > 80']),
    );
    expect((await tryIt({ ...both, inForce: undefined }))?.draft).not.toHaveProperty('differing');
    expect(await flow.rows('select (select count(*) from rule_match) as m, (select count(*) from rule_evaluation) as e')).toEqual(before);
    expect(await tryIt({ ...both, goOn: () => Promise.resolve(false) })).toBeUndefined();
  });

  it('finds the silence of what never reported, until it reports, for rules that say so', async () => {
    const [never, later] = [await flow.device(), await flow.device()];
    await flow.rows("update device set created = now() - interval '2 hours' where device_id = any($1)", [never, later]);
    await send(ingest, flow.ctx, { entityId: later, timestamp: new Date(Date.now() - 6_300_000).toISOString(), message: {} });
    await flow.rows('update packet set received_timestamp = timestamp where entity_id = $1', later);
    const silent = { ...cpuOver90, OccurrencePattern: { Kind: 'NotSeenFor' as const, Seconds: 1_800 } };
    const [created] = await flow.rows<{ at: number }>(
      'select (extract(epoch from created) * 1000)::float8 as at from device where device_id = $1',
      never,
    );
    const tried = async (neverReported: boolean) =>
      (
        await tryIt({
          draft: definition('draft', [silent], true, { ruleTypeId: 3, neverReported }),
          entityIds: [never, later],
          period: { from: Date.now() - 86_400_000, to: Date.now() },
        })
      )?.draft.list.map(({ entityId, firstMatch }) => [entityId, Math.floor((Date.parse(firstMatch) - (created?.at ?? 0)) / 60_000)]);
    expect((await tried(true))?.toSorted()).toEqual(
      [
        [never, 30],
        [later, 45],
      ].toSorted(),
    );
    expect((await tried(false))?.map(([entity]) => entity)).toEqual([later]);
  });

  it('knows what was open and remembered as the period began', async () => {
    const device = await flow.device();
    const start = Date.now() - 3_600_000;
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
    await send(
      ingest,
      flow.ctx,
      ...[-100, -50, 10, 400].map((seconds) => ({ entityId: device, timestamp: at(seconds), message: { Metrics: { Cpu: 95 } } })),
    );
    const conditions = [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow' as const, Times: 2 } }];
    const tried = await tryIt({
      draft: definition('draft', conditions, false),
      entityIds: [device],
      period: { from: start, to: Date.now() },
    });
    expect(tried?.draft.list.map((item) => item.firstMatch)).toEqual([at(400)]);
  });
});
