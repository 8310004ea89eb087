/** Backtests of rules that are not about single packets, compared with the matches that the same rules opened. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { workUnitEventJob } from '../../automation/work-unit-event.job.ts';
import { createWorkUnit } from '../../features/work-units/create.ts';
import { servedWorkUnits } from '../../features/work-units/work-units.served.ts';
import { update } from '../../resources/update.ts';
import { notify } from '../../db/notify.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { correlateJob } from '../run/correlate.job.ts';
import { countMany } from '../run/count-many.ts';
import { cpu, cpuOver90, createFlow, createUnit, send, silent, until, type Flow } from '../testing/flow.ts';
import { workUnitRules } from '../run/work-unit-rules.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';
import type { Backtest } from './backtest.ts';
import { runBacktest } from './run-backtest.ts';
import { about } from '../testing/hits.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
beforeEach(() => flow.moveToNewTenants());
afterAll(() => flow.close());

const draftOf = (ruleTypeId: number, conditions: Condition[], sliding = false) =>
  compileRule({
    ruleId: 'draft',
    name: 'Draft',
    ruleTypeId,
    tenantId: flow.tenantId,
    subscriptionId: null,
    conditions,
    timeConditions: null,
    lifetimeMs: 300_000,
    sliding,
    matchActions: [createUnit],
    expirationActions: [],
  });

async function tryIt(of: Partial<Backtest> & Pick<Backtest, 'draft'>): Promise<BacktestResult> {
  const result = await runBacktest(flow.database.scoped([flow.tenantId]), {
    inForce: undefined,
    entityIds: undefined,
    maintenance: ingest.rules.maintenance(),
    entities: ingest.entities,
    period: { from: Date.now() - 3 * 3_600_000, to: Date.now() + 1_000 },
    tenantId: flow.tenantId,
    goOn: () => Promise.resolve(true),
    ...of,
  });
  if (!result) throw new Error('It was stopped.');
  return result;
}

interface RecordedRow {
  rule_match_id: string;
  subject_id: string;
  first_match: string;
  match_count: number;
}
const madeBy = (rule: string) =>
  flow.rows<RecordedRow>(
    'select rule_match_id, subject_id, first_match, match_count from rule_match where rule_id = $1 order by created',
    rule,
  );
const seconds = (time: string | undefined) => Date.parse(time ?? '') / 1_000;

describe('tries of rules on windows and silence', () => {
  it('make the matches that the run made, over random windows', async () => {
    const step = fc.record({ gap: fc.integer({ min: 1, max: 200 }), value: fc.constantFrom(10, 91, 95) });
    const operand = fc.constantFrom(about(71, 6, '3'), about(72, 3, '60', { LeftOperandFieldName: 'Cpu' }));
    await fc.assert(
      fc.asyncProperty(operand, fc.array(step, { minLength: 4, maxLength: 20 }), async (condition, steps) => {
        const device = await flow.device();
        const conditions = [about(30, 1, device), { ...condition, WindowSeconds: 300 }];
        const rule = await flow.rule({ ruleTypeId: 3, conditions });
        await until(() => ingest.rules.ingestion().get(rule));
        let at = Date.now() - 2 * 3_600_000;
        for (const { gap, value } of steps) {
          at += gap * 1_000;
          await send(ingest, flow.ctx, cpu(device, value, new Date(at).toISOString()));
          await expireMatches(flow.db);
        }
        const recorded = await madeBy(rule);
        const tried = await tryIt({ draft: draftOf(3, conditions), entityIds: [device] });
        // Ignores matches of silence after the last packet, which this test does not check.
        const list = tried.draft.list.filter((item) => Date.parse(item.firstMatch) <= at);
        expect(list.map((item) => item.firstMatch)).toEqual(recorded.map((item) => item.first_match));
      }),
      { numRuns: runs(6, 15), endOnFailure: true },
    );
  }, 120_000);

  it('open when an entity had been silent long enough, go on while it is, and leave out outages with a grace after each', async () => {
    const device = await flow.device();
    const start = Date.now() - 2 * 3_600_000;
    const past = [0, 1_000, 4_000].map((s) => ({ at: new Date(start + s * 1_000), s }));
    for (const { at } of past) await send(ingest, flow.ctx, cpu(device, 50, at.toISOString()));
    // Sets the receipt of each packet to its time.
    await flow.rows('update packet set received_timestamp = timestamp where entity_id = $1', device);
    const conditions = [about(30, 1, device), about(70, 3, '600')];
    const period = { from: start, to: start + 4_100_000 };
    const opened = async (sliding: boolean) =>
      (await tryIt({ draft: draftOf(3, conditions, sliding), entityIds: [device], period })).draft.list.map(
        (item) => [(Date.parse(item.firstMatch) - start) / 1_000, item.matchCount, (Date.parse(item.expires) - start) / 1_000] as const,
      );
    const [first, second, ...none] = await opened(true);
    expect(none).toEqual([]);
    expect(first?.[0]).toBeGreaterThan(600);
    expect(first?.[0]).toBeLessThanOrEqual(606);
    // Each further half of a lifetime counts once, and so does the packet that ends the silence.
    expect(first?.[1]).toBe(4);
    // That packet ends the match.
    expect(first?.[2]).toBe(1_000);
    expect(second?.[0]).toBeLessThanOrEqual(1_606);
    expect(second?.[1]).toBe(17);
    // A fixed lifetime ends during the silence, and the next check opens another match.
    expect((await opened(false)).length).toBeGreaterThan(7);
    const gap = [new Date(start + 500_000), new Date(start + 900_000), new Date(start + 1_300_000), new Date(start + 3_500_000)];
    await flow.rows('insert into installation_gap (gap_start, gap_end) values ($1, $2), ($3, $4)', ...gap.map((at) => at.toISOString()));
    // Neither the silence nor the packets that end it match.
    expect(await opened(true)).toEqual([]);
    await flow.rows('delete from installation_gap');
  });
});

describe('tries of rules on matches', () => {
  it('open and repeat as the run did, and say what is not on record', async () => {
    const [both, one] = [await flow.device({ name: 'both' }), await flow.device({ name: 'one' })];
    const of = (id: string) => about(30, 1, id);
    const hot = await flow.rule({ name: 'hot', conditions: [cpuOver90] });
    const full = await flow.rule({ name: 'full', conditions: [about(62, 3, '95', { LeftOperandFieldName: 'Disk' })] });
    const conditions = [about(80, 1, hot), about(80, 1, full)];
    const rule = await flow.rule({ name: 'both', ruleTypeId: 2, conditions });
    await until(() => ingest.rules.correlation().get(rule) && ingest.rules.ingestion().get(full));
    const disk = (id: string) => ({ entityId: id, message: { Metrics: { Disk: 99 } } });
    const run = async (...packets: unknown[]) => {
      await send(ingest, flow.ctx, ...packets);
      await flow.runJobs(correlateJob(ingest));
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await run(cpu(both, 99), cpu(one, 99));
    await run(disk(both));
    await run(cpu(both, 98));
    await flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", hot);
    await expireMatches(flow.db);
    await flow.runJobs(correlateJob(ingest));
    const recorded = await madeBy(rule);
    expect(recorded).toHaveLength(1);
    const tried = await tryIt({ draft: draftOf(2, conditions), ruleId: rule });
    expect(tried.draft.list).toMatchObject([{ entityId: both, matchCount: recorded[0]?.match_count }]);
    expect(Math.abs(seconds(tried.draft.list[0]?.firstMatch) - seconds(recorded[0]?.first_match))).toBeLessThan(1);
    expect(tried.notes.join(' ')).toContain('hits between them led to no evaluation here');
    // The rule does not count its own match.
    const any = await tryIt({ draft: draftOf(2, [of(both), about(81, 6, '3')]), ruleId: rule });
    expect(any.draft.matches).toBe(0);
    expect((await tryIt({ draft: draftOf(2, [of(both), about(81, 6, '3')]) })).draft.matches).toBe(1);
    expect((await tryIt({ draft: draftOf(2, conditions), entityIds: [one] })).draft.matches).toBe(0);
  });
});

describe('tries of rules on many entities', () => {
  it('count again what came, per subscription, and look at matches beside it', async () => {
    const devices = [await flow.device({ name: 'agg-1' }), await flow.device({ name: 'agg-2' }), await flow.device({ name: 'other' })];
    const many = [about(31, 9, 'agg-'), about(71, 6, '4', { WindowSeconds: 60 })];
    const warm = [about(31, 9, 'agg-'), about(72, 3, '90', { LeftOperandFieldName: 'Cpu' })];
    const rules = [await flow.rule({ ruleTypeId: 6, conditions: many }), await flow.rule({ ruleTypeId: 6, conditions: warm })];
    await until(() => rules.every((rule) => ingest.rules.aggregation().get(rule)));
    await send(ingest, flow.ctx, ...devices.map((id) => cpu(id, 95)));
    await send(ingest, flow.ctx, ...devices.map((id) => cpu(id, 94)));
    await countMany(flow.db, ingest);
    const to = Date.now() + 10_000;
    for (const [i, conditions] of [many, warm].entries()) {
      const [recorded] = await madeBy(rules[i] ?? '');
      const tried = await tryIt({ draft: draftOf(6, conditions), period: { from: Date.now() - 3_600_000, to } });
      expect(tried.draft.list).toMatchObject([{ entityId: recorded?.subject_id, entityName: 'Default' }]);
      expect(Math.abs(seconds(tried.draft.list[0]?.firstMatch) - seconds(recorded?.first_match))).toBeLessThanOrEqual(6);
    }
    const none = await tryIt({
      draft: draftOf(6, [about(31, 9, 'agg-'), about(71, 6, '5', { WindowSeconds: 60 })]),
      period: { from: Date.now() - 3_600_000, to },
    });
    expect(none.draft.matches).toBe(0);
    // A count below a limit holds after a whole window; after each lifetime another match opens.
    const few = await tryIt({
      draft: draftOf(6, [about(31, 9, 'agg-'), about(71, 4, '1', { WindowSeconds: 600 })]),
      period: { from: Date.now() - 1_800_000, to: Date.now() - 60_000 },
    });
    expect(few.draft.matches).toBeGreaterThan(4);
    const hot = await flow.rule({ conditions: [about(31, 9, 'agg-'), cpuOver90] });
    await until(() => ingest.rules.ingestion().get(hot));
    await send(ingest, flow.ctx, ...devices.map((id) => cpu(id, 96)));
    const spread = await tryIt({ draft: draftOf(6, [about(80, 1, hot), about(82, 6, '2')]), period: { from: Date.now() - 3_600_000, to } });
    expect(spread.draft.list).toMatchObject([{ entityName: 'Default' }]);
  });
});

describe('tries of rules that count for groups', () => {
  it('make the matches that the run made, per location, tag and device type', async () => {
    const place = async (name: string) =>
      (
        await flow.rows<{ id: string }>(
          'insert into location (tenant_id, name) values ($1, $2) returning location_id as id',
          flow.tenantId,
          name,
        )
      )[0]?.id;
    const [berlin, oslo] = [await place('Berlin'), await place('Oslo')];
    const places = [
      [berlin, 'site:b, prod', 1],
      [berlin, 'prod', 2],
      [oslo, 'site:o', 2],
    ] as const;
    const devices: string[] = [];
    for (const [at, tags, type] of places) {
      const id = await flow.device({ name: `counted-${devices.length}` });
      await flow.rows('update device set location_id = $2, tags = $3, device_type_id = $4 where device_id = $1', id, at, tags, type);
      devices.push(id);
    }
    await notify(flow.db, 'devices', devices);
    await until(async () => {
      const cached = await ingest.entities.find(devices);
      return devices.every((id, i) => cached.get(id)?.device?.tags === places[i]?.[1]);
    });
    const conditions = [about(75, 3, '100', { LeftOperandFieldName: 'Sessions', WindowSeconds: 300 })];
    const by = [
      ['Location', null],
      ['Tag', null],
      ['Tag', 'site:'],
      ['DeviceType', null],
    ] as const;
    const rules: string[] = [];
    for (const [countBy, countTag] of by) {
      const rule = await flow.rule({ ruleTypeId: 6, conditions });
      await flow.rows(
        `update rule set count_by = $2, count_tag = $3, modified = modified - interval '1 hour' where rule_id = $1`,
        rule,
        countBy,
        countTag,
      );
      await notify(flow.db, 'rules', [rule]);
      await until(() => {
        const one = ingest.rules.aggregation().get(rule)?.rule;
        return one?.countBy === countBy && (one.countTag ?? null) === countTag;
      });
      rules.push(rule);
    }
    const sessions = (entityId: string, Sessions: number) => ({ entityId, message: { Metrics: { Sessions } } });
    await send(ingest, flow.ctx, sessions(devices[0] ?? '', 60), sessions(devices[1] ?? '', 60), sessions(devices[2] ?? '', 59));
    await countMany(flow.db, ingest);
    const names: string[][] = [];
    for (const [i, [countBy, countTag]] of by.entries()) {
      const recorded = await madeBy(rules[i] ?? '');
      const draft = compileRule({ ...draftOf(6, conditions).rule, countBy, countTag });
      const tried = await tryIt({ draft, period: { from: Date.now() - 3_600_000, to: Date.now() + 10_000 } });
      expect(tried.draft.list.map((listed) => listed.entityId).toSorted()).toEqual(recorded.map((item) => item.subject_id).toSorted());
      names.push(tried.draft.list.map((item) => item.entityName ?? '').toSorted());
    }
    expect(names).toEqual([['location Berlin'], ['tag prod'], [], ['type Physical']]);
  });
});

describe('tries of rules on work units', () => {
  it('make the matches that the run made, over random changes', async () => {
    const ctx = () => systemCtx({ database: flow.database, log: silent, name: 'test' });
    const change = fc.record(
      { severityId: fc.constantFrom('Sev1', 'Sev2', 'Sev3'), title: fc.constantFrom('Printer', 'Paper') },
      { requiredKeys: [] },
    );
    const sets: Condition[][] = [
      [about(103, 1, 'Sev1')],
      [about(103, 1, 'Sev1'), about(100, 5, 'print')],
      [about(103, 2, 'Sev3', { OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } })],
      [about(103, 1, 'Sev1', { OccurrencePattern: { Kind: 'Changed' } })],
    ];
    const condition = fc.constantFrom(...sets);
    await fc.assert(
      fc.asyncProperty(condition, fc.array(change, { minLength: 1, maxLength: 10 }), async (conditions, changes) => {
        const rule = await flow.rule({ ruleTypeId: 4, conditions });
        await until(() => ingest.rules.workUnit().get(rule));
        const unit = await ctx().db.transaction((db) =>
          createWorkUnit({ ...ctx(), db }, { tenantId: flow.tenantId, title: 'Printer', severityId: 'Sev3', workUnitTypeId: 1 }),
        );
        const id = unit?.workUnitId ?? 0;
        for (const one of changes) await update(ctx(), servedWorkUnits, id, () => one);
        await flow.runJobs(workUnitEventJob([workUnitRules(ingest)]));
        const recorded = await flow.rows<RecordedRow>(
          'select rule_match_id, subject_id, first_match, match_count from rule_match where rule_id = $1 and subject_id = $2',
          rule,
          subjectOfWorkUnit(id),
        );
        const tried = await tryIt({ draft: draftOf(4, conditions) });
        const ofUnit = tried.draft.list.filter((listed) => listed.entityId === subjectOfWorkUnit(id));
        expect(ofUnit.map((item) => item.matchCount)).toEqual(recorded.map((item) => item.match_count));
        await flow.rows("with r as (update rule set enabled = false where rule_id = $1) select pg_notify('rules', $1::text)", rule);
      }),
      { numRuns: runs(6, 15), endOnFailure: true },
    );
  }, 120_000);
});

describe('rules about packets that look at other rules', () => {
  it('take the matches of the other rule from the record, in the time of the packets', async () => {
    const device = await flow.device({ name: 'database' });
    const isDevice = about(30, 1, device);
    const full = await flow.rule({ name: 'Disk', conditions: [isDevice, { ...cpuOver90, LeftOperandFieldName: 'Disk' }] });
    await until(() => ingest.rules.ingestion().get(full));
    const start = Date.now() - 40 * 60_000;
    const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
    const packet = (minutes: number, Metrics: object) => ({ entityId: device, timestamp: at(minutes), message: { Metrics } });
    await send(ingest, flow.ctx, packet(0, { Disk: 95 }), packet(4, { Cpu: 95 }));
    await send(ingest, flow.ctx, packet(20, { Cpu: 95 }));
    const matchesOf = async (Operator: number) => {
      const draft = draftOf(1, [isDevice, cpuOver90, about(83, Operator, full)]);
      const { draft: tried, notes } = await tryIt({ draft, entityIds: [device] });
      expect(notes).toContain('Whether other rules matched was taken from the record of their matches.');
      return tried.list.map(({ firstMatch }) => firstMatch);
    };
    expect(await matchesOf(1)).toEqual([at(4)]);
    expect(await matchesOf(2)).toEqual([at(20)]);
  });
});
