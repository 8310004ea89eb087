/** Rules that compare a metric with the same hour of past weeks, from the packet to match, explanation and backtest. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hourMs, weekMs } from '@cloudfit/contract/durations.ts';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../../../db/db.ts';
import type { Ingest } from '../../../ingest/accept.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import type { IngestRule } from '../ingest-rule.ts';
import { explainDraftAction } from '../../explain/explain.action.ts';
import { cpuOver90, createFlow, send, until, type Flow } from '../../testing/flow.ts';
import { UsualValues } from './usual-values.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

/** In the middle of the previous hour, so that a test never crosses from one hour into the next. */
const at = Math.floor(Date.now() / hourMs) * hourMs - hourMs / 2;

const above: Condition = { Type: 'And', LeftOperand: 87, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '3' };
const on = (device: string): Condition => ({ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device });

interface PastBaseline {
  tenantId?: string;
  /** Null for a row as a server of the previous version wrote it. */
  squares?: null;
}

/** Stores the readings of one past hour. */
async function past(
  device: string,
  time: number,
  values: readonly number[],
  { tenantId = flow.tenantId, squares }: PastBaseline = {},
): Promise<void> {
  const sum = values.reduce((a, b) => a + b, 0);
  const hour = new Date(time);
  await flow.rows(
    `insert into series_hour (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts, squares)
values ($1, $2, 'Metrics.Cpu', date_trunc('day', $3::timestamptz at time zone 'UTC') at time zone 'UTC', array[$4::smallint], array[$5::float8], array[$6::float8], array[$7::float8], array[0], array[$8::int], $9::float8[])
on conflict (entity_id, metric, page, tenant_id) do update set slots = series_hour.slots || excluded.slots, mins = series_hour.mins || excluded.mins,
  sums = series_hour.sums || excluded.sums, maxs = series_hour.maxs || excluded.maxs, lasts = series_hour.lasts || excluded.lasts,
  counts = series_hour.counts || excluded.counts, squares = series_hour.squares || excluded.squares`,
    tenantId,
    device,
    hour,
    hour.getUTCHours(),
    Math.min(...values),
    sum,
    Math.max(...values),
    values.length,
    squares === null ? null : [values.reduce((a, b) => a + (b - sum / values.length) ** 2, 0)],
  );
}

/** Stores readings with mean 40 and deviation 2 in the hour of `at`, in each of `count` weeks. */
async function weeks(device: string, count: number, time = at, more: PastBaseline = {}): Promise<void> {
  for (let week = 1; week <= count; week += 1) await past(device, time - week * weekMs, [38, 42, 38, 42], more);
}

async function ruleFor(device: string, ...conditions: Condition[]): Promise<string> {
  const rule = await flow.rule({ conditions: [on(device), ...conditions] });
  await until(() => ingest.rules.ingestion().get(rule) ?? ingest.rules.dependent().get(rule));
  return rule;
}

const cpu = (entityId: string, Cpu: number, time = at) => ({
  entityId,
  timestamp: new Date(time).toISOString(),
  message: { Metrics: { Cpu } },
});
const countOf = async (rule: string) =>
  (await flow.rows<{ n: number }>('select coalesce(sum(match_count), 0)::int as n from rule_match where rule_id = $1', rule))[0]?.n;

async function explained(device: string, conditions: Condition[], time = at) {
  const ctx = {
    ...flow.ctx,
    tenants: [flow.tenantId],
    actor: { kind: 'person' as const, id: randomUUID(), name: 'P', userName: 'p@example.com' },
    permissions: new Map([[flow.tenantId, new Set<string>(allPermissions)]]),
  };
  const rule = { ruleTypeId: 1, tenantId: flow.tenantId, conditions };
  const run = explainDraftAction.bind(({ input }) => input.parse({ rule, entityId: device, at: new Date(time).toISOString() }));
  return (await run(ctx)) as Explanation;
}

function tryIt(conditions: Condition[], entityIds: string[], from = at - hourMs) {
  const rule = { ruleId: randomUUID(), name: 'Draft', ruleTypeId: 1, tenantId: flow.tenantId, conditions };
  const draft = compileRule<IngestRule>({ ...rule, lifetimeMs: 300_000, sliding: false, matchActions: [], expirationActions: [] });
  return runBacktest(flow.database.scoped([flow.tenantId]), {
    draft,
    inForce: undefined,
    maintenance: ingest.rules.maintenance(),
    entities: ingest.entities,
    period: { from, to: Date.now() },
    tenantId: flow.tenantId,
    entityIds,
    goOn: () => Promise.resolve(true),
  });
}

it('opens a match for what deviates from past weeks, with the values in the record, and reads the past once', async () => {
  const device = await flow.device();
  await weeks(device, 4);
  const rule = await ruleFor(device, above);
  await send(ingest, flow.ctx, cpu(device, 45));
  expect(await countOf(rule)).toBe(0);
  // Values that are in memory need no pages any more.
  await flow.rows('delete from series_hour where entity_id = $1', device);
  await send(ingest, flow.ctx, cpu(device, 46, at + 1), cpu(device, 47, at + 2));
  expect(await countOf(rule)).toBe(1);
  const [hit] = await flow.rows<{ detail: unknown }>(
    'select detail from rule_evaluation where rule_id = $1 and rule_match_id is not null',
    rule,
  );
  const [match] = await flow.rows<{ usual: unknown }>('select usual from rule_match where rule_id = $1', rule);
  expect(match?.usual).toEqual([{ metric: 'Cpu', value: 47, mean: 40, deviation: 2, readings: 16, weeks: 4 }]);
  expect(JSON.stringify(hit?.detail)).toContain('"usual":{"mean":40,"value":47,"weeks":4,"readings":16,"deviation":2}');
});

it('has the next hour in memory before it begins', async () => {
  const [device, earlier] = [await flow.device(), at - hourMs];
  await weeks(device, 3, earlier);
  await weeks(device, 3);
  const rule = await ruleFor(device, above);
  await send(ingest, flow.ctx, cpu(device, 40, earlier));
  await ingest.rules.usual.prefetch(earlier);
  await flow.rows('delete from series_hour where entity_id = $1', device);
  await send(ingest, flow.ctx, cpu(device, 60));
  expect(await countOf(rule)).toBe(1);
});

it('does not hold with less than three weeks, and says so', async () => {
  const device = await flow.device();
  await weeks(device, 2);
  const rule = await ruleFor(device, above);
  await send(ingest, flow.ctx, cpu(device, 90));
  expect(await countOf(rule)).toBe(0);
  const [condition] = (await explained(device, [above])).conditions;
  expect(condition).toMatchObject({
    saw: 'saw 90, which cannot be compared yet: 3 weeks of values of this hour are needed, there are 2',
    usual: { weeks: 2, readings: 8 },
  });
  const result = await tryIt([above], [device]);
  expect(result?.draft.matches).toBe(0);
  expect(result?.notes.join(' ')).toContain('One entity had too few values of past weeks');
  // The baseline of this draft has only two weeks.
  const ofTwo = { ...above, Baseline: { Weeks: 2, Hour: 'OfWeek' as const } };
  expect(await explained(device, [ofTwo])).toMatchObject({
    outcome: 'hit',
    conditions: [{ saw: expect.stringContaining('25 deviations above the usual 40 ± 2') as string }],
  });
});

it('explains and backtests with the weeks before the packet, as it was judged when it came', async () => {
  const device = await flow.device();
  await weeks(device, 4);
  await weeks(device, 3, at - 2 * hourMs);
  const rule = await ruleFor(device, above);
  // For the hour in between, nothing is known about past weeks.
  const packets = [-2, -1, 0].flatMap((hour) => [41, 60, 30, 90].map((value, i) => cpu(device, value, at + hour * hourMs + i * 400_000)));
  for (const packet of packets) await send(ingest, flow.ctx, packet);
  const opened = async () =>
    (
      await flow.rows<{ first: number }>(
        'select extract(epoch from first_match)::float8 * 1000 as first from rule_match where rule_id = $1',
        rule,
      )
    )
      .map(({ first }) => first)
      .toSorted((a, b) => a - b);
  expect(await opened()).toEqual([packets[1], packets[3], packets[9], packets[11]].map((packet) => Date.parse(packet?.timestamp ?? '')));
  const result = await tryIt([on(device), above], [device], at - 3 * hourMs);
  expect(result?.draft.list.map((match) => Date.parse(match.firstMatch)).toSorted((a, b) => a - b)).toEqual(await opened());
  expect((await explained(device, [above], at + 400_000)).conditions[0]?.saw).toBe(
    'saw 60, 10 deviations above the usual 40 ± 2, which holds',
  );
  expect((await explained(device, [above], at - hourMs + 400_000)).conditions[0]?.saw).toContain('there is none');
});

it('compares with each day, and knows deviations below and away', async () => {
  const device = await flow.device();
  for (let day = 1; day <= 21; day += 1) await past(device, at - day * (weekMs / 7), [38, 42]);
  const ofDay = { Baseline: { Weeks: 3, Hour: 'OfDay' as const } };
  const [below, away] = [
    await ruleFor(device, { ...above, ...ofDay, LeftOperand: 88 }),
    await ruleFor(device, { ...above, ...ofDay, LeftOperand: 89 }),
  ];
  await send(ingest, flow.ctx, cpu(device, 60), cpu(device, 33, at + 1), cpu(device, 41, at + 2));
  expect([await countOf(below), await countOf(away)]).toEqual([1, 2]);
});

it('leaves out what the device reported in another tenant, and takes the largest spread where none is kept', async () => {
  const [moved, old] = [await flow.device(), await flow.device()];
  await weeks(moved, 4, at, { tenantId: flow.otherTenantId });
  await weeks(old, 4, at, { squares: null });
  for (const device of [moved, old]) await send(ingest, flow.ctx, cpu(device, 47));
  expect((await explained(moved, [above])).conditions[0]?.saw).toContain('there is none');
  // For values from 38 to 42 with the mean 40, the deviation is 2 at most.
  expect((await explained(old, [above])).conditions[0]).toMatchObject({ usual: { mean: 40, deviation: 2, weeks: 4 } });
});

it('works beside conditions on other rules', async () => {
  const device = await flow.device();
  await weeks(device, 4);
  const other = await ruleFor(device, cpuOver90);
  const rule = await ruleFor(device, above, { Type: 'And', LeftOperand: 83, Operator: 1, RightOperand: other });
  await send(ingest, flow.ctx, cpu(device, 80));
  expect(await countOf(rule)).toBe(0);
  await send(ingest, flow.ctx, cpu(device, 95, at + 1));
  expect(await countOf(rule)).toBe(1);
});

it('keeps a bounded number of values', async () => {
  const statements: unknown[] = [];
  const db = { query: (statement: unknown) => Promise.resolve(statements.push(statement) && []) } as unknown as Db;
  const usual = new UsualValues(db, 50);
  const rule = { ruleId: 'r', name: 'r', ruleTypeId: 1, tenantId: 't', conditions: [above] };
  const index = buildRuleIndex([
    compileRule<IngestRule>({ ...rule, lifetimeMs: 1, sliding: false, matchActions: [], expirationActions: [] }),
  ]);
  const ask = (first: number) =>
    usual.evaluate(db, index, (usualAt) => {
      for (let i = first; i < first + 100; i += 1)
        usualAt?.({ id: `e${i}`, kind: 'device', tenantId: 't' }, at)('Cpu', { Weeks: 4, Hour: 'OfWeek' });
    });
  for (const first of [0, 100, 200]) await ask(first);
  expect([usual.size, statements.length]).toEqual([50, 3]);
  expect(await usual.evaluate(db, buildRuleIndex<IngestRule>([]), (usualAt) => usualAt)).toBeUndefined();
});
