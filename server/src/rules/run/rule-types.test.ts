import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemCtx } from '../../auth/system-ctx.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { groupsWork } from '../../automation/groups/follow-groups.job.ts';
import { workUnitEventJob } from '../../automation/work-unit-event.job.ts';
import { notify } from '../../db/notify.ts';
import { servedRules } from '../../features/rules/rules.served.ts';
import { createWorkUnit } from '../../features/work-units/create.ts';
import { servedWorkUnits } from '../../features/work-units/work-units.served.ts';
import { update } from '../../resources/update.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { brokenRulesWork } from './broken-rules.ts';
import { correlateJob } from './correlate.job.ts';
import { countMany } from './count-many.ts';
import { notePulse } from './pulse.ts';
import { evaluateSilenceOfAll } from './silence/sweep.ts';
import { ago, cpu, cpuOver90, createFlow, createUnit, send, silent, until, type Flow, type TestRule } from '../testing/flow.ts';
import { workUnitRules } from './work-unit-rules.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';
import { about } from '../testing/hits.ts';
import { keepUp } from '../testing/pulse.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
beforeEach(async () => {
  await flow.moveToNewTenants();
  await keepUp(flow.db);
});
afterAll(() => flow.close());

interface Match {
  rule_match_id: string;
  subject_id: string;
  match_count: number;
  label: string;
  closed: string | null;
}
const matches = (ruleId: string) =>
  flow.rows<Match>(
    'select rule_match_id, subject_id, match_count, label, closed from rule_match where rule_id = $1 order by created, subject_id',
    ruleId,
  );

async function ruleOf(draft: TestRule, ...others: Ingest[]): Promise<string> {
  const rule = await flow.rule(draft);
  const indexes = ['ingestion', 'silence', 'correlation', 'workUnit', 'aggregation'] as const;
  for (const one of [ingest, ...others]) await until(() => indexes.some((name) => one.rules[name]().get(rule)));
  return rule;
}

const isDevice = (id: string) => about(30, 1, id);

async function disable(rules: string[]): Promise<void> {
  await flow.rows('update rule set enabled = false where rule_id = any($1)', rules);
  await notify(flow.db, 'rules', rules);
  await until(() => rules.every((rule) => !ingest.rules.ingestion().get(rule) && !ingest.rules.correlation().get(rule)));
}

const correlate = (times?: number) => flow.runJobs(correlateJob(ingest), times);

describe('silence', () => {
  it('opens one match for a device that stopped reporting, however many processes look at once, and repeats it in half of its lifetime', async () => {
    const second = await flow.openIngest();
    const [quiet, loud] = [await flow.device({ name: 'quiet' }), await flow.device({ name: 'loud' })];
    const rule = await ruleOf({ ruleTypeId: 3, conditions: [about(70, 3, '60')], sliding: true, matchActions: [createUnit] }, second);
    await send(ingest, flow.ctx, cpu(quiet, 5, ago(90)), cpu(loud, 5, ago(30)));
    await Promise.all([ingest, second, ingest, second].map((item) => evaluateSilenceOfAll(flow.db, item)));
    await evaluateSilenceOfAll(flow.db, ingest);
    expect(await matches(rule)).toMatchObject([{ subject_id: quiet, match_count: 1, closed: null }]);
    await Promise.all([1, 2].map(() => groupsWork(flow.database, silent).run(flow.db)));
    const actions = await flow.rows(
      'select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1',
      rule,
    );
    expect(actions).toHaveLength(1);
    await flow.rows("update rule_match set last_match = now() - interval '151 seconds' where rule_id = $1", rule);
    await evaluateSilenceOfAll(flow.db, ingest);
    expect(await matches(rule)).toMatchObject([{ match_count: 2 }]);
  });

  it('matches by a pattern and by a count of packets, which survive the process that counted', async () => {
    const device = await flow.device({ name: 'counted' });
    const notSeen = await ruleOf({
      ruleTypeId: 3,
      conditions: [isDevice(device), { ...cpuOver90, OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 20 } }],
    });
    const few = await ruleOf({ ruleTypeId: 3, conditions: [isDevice(device), about(71, 4, '1', { WindowSeconds: 30 })] });
    const average = await ruleOf({
      ruleTypeId: 3,
      conditions: [isDevice(device), about(72, 3, '60', { LeftOperandFieldName: 'Cpu', WindowSeconds: 300 })],
    });
    await send(ingest, flow.ctx, cpu(device, 50, ago(45)));
    const other = await flow.openIngest();
    await send(other, flow.ctx, cpu(device, 80, ago(40)));
    await evaluateSilenceOfAll(flow.db, other);
    expect(await matches(notSeen)).toHaveLength(1);
    expect(await matches(few)).toHaveLength(1);
    expect(await matches(average)).toMatchObject([{ subject_id: device }]);
  });

  it('leaves out an outage of the server and a beat after it, which is on record', async () => {
    const [before, within] = [await flow.device({ name: 'before' }), await flow.device({ name: 'within' })];
    const rule = await ruleOf({ ruleTypeId: 3, conditions: [about(31, 9, 'w'), about(70, 3, '60')], subscriptionId: null } as TestRule);
    const both = await ruleOf({ ruleTypeId: 3, conditions: [about(31, 1, 'before'), about(70, 3, '60')] });
    await send(ingest, flow.ctx, cpu(before, 5, ago(400)), cpu(within, 5, ago(340)));
    await send(ingest, flow.ctx, cpu(within, 5, ago(310)));
    await flow.rows("update installation_pulse set at = now() - interval '300 seconds'");
    await evaluateSilenceOfAll(flow.db, ingest);
    // The outage continues until the first pulse.
    expect(await matches(rule)).toHaveLength(0);
    const gap = await notePulse(flow.db, 'server', false);
    expect(Date.parse(gap?.gap_end ?? '') - Date.parse(gap?.gap_start ?? '')).toBeGreaterThan(299_000);
    expect(await flow.rows('select 1 from installation_gap')).toHaveLength(1);
    expect(await notePulse(flow.db, 'server', false)).toBeUndefined();
    // No process of the test is connected under this name.
    await flow.rows('delete from server_pulse');
    await evaluateSilenceOfAll(flow.db, ingest);
    expect(await matches(rule)).toHaveLength(0);
    expect(await matches(both)).toMatchObject([{ subject_id: before }]);
    // Silent for ten seconds before the outage and, after the grace of its beat, for 51 seconds more.
    const pass = async (seconds: number) => {
      await flow.rows(
        `update installation_gap set gap_start = gap_start - interval '${seconds} seconds', gap_end = gap_end - interval '${seconds} seconds'`,
      );
      await flow.rows(`update latest_packet set timestamp = timestamp - interval '${seconds} seconds' where entity_id = $1`, within);
      await flow.rows(`update packet set timestamp = timestamp - interval '${seconds} seconds' where entity_id = $1`, within);
      await evaluateSilenceOfAll(flow.db, ingest);
    };
    await pass(61);
    expect(await matches(rule)).toHaveLength(0);
    await pass(21);
    await evaluateSilenceOfAll(flow.db, ingest);
    expect(await matches(rule)).toMatchObject([{ subject_id: within }]);
    await flow.rows('delete from installation_gap');
  });
});

describe('correlation', () => {
  it('opens when two rules match one device, with the correlation id of what began it, and once', async () => {
    const [both, one] = [await flow.device({ name: 'both' }), await flow.device({ name: 'one' })];
    const hot = await ruleOf({ name: 'hot' });
    const full = await ruleOf({ name: 'full', conditions: [about(62, 3, '95', { LeftOperandFieldName: 'Disk' })] });
    const rule = await ruleOf({ name: 'hot and full', ruleTypeId: 2, conditions: [about(80, 1, hot), about(80, 1, full)] });
    await send(ingest, flow.ctx, cpu(both, 99), cpu(one, 99));
    await correlate();
    expect(await matches(rule)).toHaveLength(0);
    await send(ingest, flow.ctx, { entityId: both, message: { Metrics: { Disk: 99 } } });
    expect(await correlate(3)).toBe(1);
    expect(await matches(rule)).toMatchObject([{ subject_id: both, label: 'hot and full: both', match_count: 1, closed: null }]);
    const [row] = await flow.rows<{ c: string; d: string }>(
      'select (select correlation_id from rule_match where rule_id = $1) as c, (select correlation_id from rule_match where rule_id = $2) as d',
      rule,
      full,
    );
    expect(row?.c).toBe(row?.d);
    // A repeat of a match is an event, and so is its end.
    await send(ingest, flow.ctx, cpu(both, 98));
    await correlate();
    expect(await matches(rule)).toMatchObject([{ match_count: 2 }]);
    await flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", hot);
    await expireMatches(flow.db);
    expect(await correlate()).toBeGreaterThan(0);
    // `hot` no longer holds.
    expect(await matches(rule)).toMatchObject([{ match_count: 2 }]);
    await disable([hot, full, rule]);
  });

  it('is told of the matches of a rule for all tenants in each tenant of a batch, with the hops and the cause of that tenant', async () => {
    const [here, there] = [await flow.device({ name: 'twin 1' }), await flow.device({ tenantId: flow.otherTenantId, name: 'twin 2' })];
    const isTwin = about(31, 9, 'twin');
    const hot = await ruleOf({ tenantId: null, name: 'hot', conditions: [isTwin, cpuOver90] });
    const rule = await ruleOf({ tenantId: null, name: 'is hot', ruleTypeId: 2, conditions: [isTwin, about(80, 1, hot)] });
    const tenants = [flow.tenantId, flow.otherTenantId];
    await send(ingest, { ...flow.ctx, tenants, db: flow.database.scoped(tenants) }, cpu(here, 99), cpu(there, 99));
    await correlate();
    expect((await matches(rule)).map((match) => match.subject_id).toSorted()).toEqual([here, there].toSorted());
    const cause = (of: string) => flow.rows('select subject_id, correlation_id from rule_match where rule_id = $1 order by subject_id', of);
    expect(await cause(rule)).toEqual(await cause(hot));

    await flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", hot);
    await flow.rows('update rule_match set hops = 4 where rule_id = $1 and subject_id = $2', hot, there);
    await expireMatches(flow.db);
    const events = await flow.rows<{ tenant_id: string | null; subjects: unknown; hops: number | null; isOfMatch: boolean | null }>(
      `select j.tenant_id, j.payload -> 'subjectIds' as subjects, (j.payload ->> 'hops')::int as hops, j.correlation_id = m.correlation_id as "isOfMatch"
       from job j join rule_match m on m.tenant_id = j.tenant_id and m.rule_id = $1 where j.name = 'correlate'`,
      hot,
    );
    expect(events.toSorted((a) => (a.tenant_id === flow.tenantId ? -1 : 1))).toEqual([
      { tenant_id: flow.tenantId, subjects: [here], hops: null, isOfMatch: true },
      { tenant_id: flow.otherTenantId, subjects: [there], hops: 4, isOfMatch: true },
    ]);
    await correlate();
    await disable([hot, rule]);
  });

  it('counts matches and entities of the device, and no rule is its own cause', async () => {
    const device = await flow.device({ name: 'counting' });
    const base = [
      await ruleOf({ conditions: [isDevice(device), cpuOver90] }),
      await ruleOf({ conditions: [isDevice(device), about(62, 3, '95', { LeftOperandFieldName: 'Cpu' })] }),
    ];
    const two = await ruleOf({ name: 'two', ruleTypeId: 2, conditions: [isDevice(device), about(81, 6, '2'), about(82, 1, '1')] });
    const chain = await ruleOf({ name: 'chain', ruleTypeId: 2, conditions: [isDevice(device), about(80, 1, two)] });
    await send(ingest, flow.ctx, cpu(device, 92));
    await correlate();
    expect(await matches(two)).toHaveLength(0);
    await send(ingest, flow.ctx, cpu(device, 97));
    await correlate();
    expect(await matches(two)).toHaveLength(1);
    expect(await matches(chain)).toHaveLength(1);
    // `chain` matched because of `two`, so that `two` ignores that match.
    expect(await flow.rows("select 1 from job where name = 'correlate'")).toHaveLength(0);
    await disable([...base, two, chain]);
  });
});

describe('aggregation', () => {
  it('counts packets of many entities that its conditions select, and matches, per subscription', async () => {
    const devices = [await flow.device({ name: 'agg-1' }), await flow.device({ name: 'agg-2' }), await flow.device({ name: 'other-3' })];
    const [subscription] = await flow.rows<{ subscription_id: string }>(
      'select subscription_id from subscription where tenant_id = $1',
      flow.tenantId,
    );
    const aggDevices = about(31, 9, 'agg-');
    const count = await ruleOf({ name: 'many', ruleTypeId: 6, conditions: [aggDevices, about(71, 6, '4', { WindowSeconds: 60 })] });
    const average = await ruleOf({
      name: 'warm',
      ruleTypeId: 6,
      conditions: [aggDevices, about(72, 3, '90', { LeftOperandFieldName: 'Cpu' })],
    });
    const hot = await ruleOf({ name: 'agg hot', conditions: [aggDevices, cpuOver90] });
    const spread = await ruleOf({ name: 'spread', ruleTypeId: 6, conditions: [about(80, 1, hot), about(82, 6, '2')] });
    await send(ingest, flow.ctx, ...devices.map((id) => cpu(id, 95)));
    await countMany(flow.db, ingest);
    expect(await matches(count)).toHaveLength(0);
    expect(await matches(average)).toMatchObject([{ subject_id: subscription?.subscription_id, label: 'warm: Default' }]);
    expect(await matches(spread)).toHaveLength(1);
    const other = await flow.openIngest();
    await send(other, flow.ctx, ...devices.map((id) => cpu(id, 50)));
    await Promise.all([countMany(flow.db, ingest), countMany(flow.db, other)]);
    await countMany(flow.db, ingest);
    expect(await matches(count)).toHaveLength(1);
    // The sums are merged: one row for each step and condition.
    const rows = await flow.rows('select 1 from rule_count where rule_id = $1 group by key, step having count(*) > 1', count);
    expect(rows).toHaveLength(0);
    await disable([count, average, hot, spread]);
  });
});

describe('work unit rules', () => {
  const ctx = () => systemCtx({ database: flow.database, log: silent, name: 'test' });
  const handle = () => flow.runJobs(workUnitEventJob([workUnitRules(ingest)]), 2);

  it('match a unit as it was after the change, once for each change', async () => {
    const rule = await ruleOf({ ruleTypeId: 4, conditions: [about(103, 1, 'Sev1'), about(100, 5, 'printer')] });
    const unit = await ctx().db.transaction((db) =>
      createWorkUnit({ ...ctx(), db }, { tenantId: flow.tenantId, title: 'Printer on fire', severityId: 'Sev3', workUnitTypeId: 1 }),
    );
    const id = unit?.workUnitId ?? 0;
    await handle();
    expect(await matches(rule)).toHaveLength(0);
    await update(ctx(), servedWorkUnits, id, { severityId: 'Sev1' });
    await update(ctx(), servedWorkUnits, id, { description: 'Still burning' });
    await handle();
    expect(await matches(rule)).toMatchObject([{ subject_id: subjectOfWorkUnit(id), match_count: 2, label: 'High CPU: Printer on fire' }]);
  });

  it('do not look at units that a rule on work units opened', async () => {
    const rule = await ruleOf({ ruleTypeId: 4, conditions: [about(100, 5, 'loop')] });
    const open = (openedByRuleMatchId?: string) =>
      ctx().db.transaction((db) =>
        createWorkUnit(
          { ...ctx(), db },
          {
            tenantId: flow.tenantId,
            title: 'loop',
            severityId: 'Sev3',
            workUnitTypeId: 1,
            ...(openedByRuleMatchId ? { openedByRuleMatchId } : {}),
          },
        ),
      );
    await open();
    await handle();
    const [first, ...none] = await matches(rule);
    expect(none).toHaveLength(0);
    await open(first?.rule_match_id ?? randomUUID());
    await handle();
    expect(await matches(rule)).toHaveLength(1);
  });
});

describe('recovery conditions', () => {
  const open = async (rule: string) => (await matches(rule)).map(({ closed }) => closed === null);

  it('end a match of a correlation when the matches that it read are over, and not before', async () => {
    const device = await flow.device({ name: 'recovering' });
    const hot = await ruleOf({ name: 'hot', conditions: [isDevice(device), cpuOver90] });
    const rule = await ruleOf({
      ruleTypeId: 2,
      conditions: [isDevice(device), about(80, 1, hot)],
      recoveryConditions: [isDevice(device), about(80, 2, hot)],
      lifetimeSeconds: 3_600,
    });
    await send(ingest, flow.ctx, cpu(device, 95));
    await correlate();
    expect(await open(rule)).toEqual([true]);
    await send(ingest, flow.ctx, cpu(device, 96));
    await correlate();
    expect(await open(rule)).toEqual([true]);
    await flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", hot);
    await expireMatches(flow.db);
    await correlate();
    expect(await open(rule)).toEqual([false]);
    await disable([hot, rule]);
  });

  it('end a match of sums', async () => {
    const device = await flow.device({ name: 'sum-1' });
    const average = (Operator: number, RightOperand: string) => [
      isDevice(device),
      about(72, Operator, RightOperand, { LeftOperandFieldName: 'Cpu', WindowSeconds: 3_600 }),
    ];
    const rule = await ruleOf({
      ruleTypeId: 6,
      conditions: average(3, '90'),
      recoveryConditions: average(4, '60'),
      lifetimeSeconds: 3_600,
    });
    await send(ingest, flow.ctx, cpu(device, 95));
    await countMany(flow.db, ingest);
    expect(await open(rule)).toEqual([true]);
    await send(ingest, flow.ctx, cpu(device, 55));
    await countMany(flow.db, ingest);
    expect(await open(rule)).toEqual([true]);
    await send(ingest, flow.ctx, cpu(device, 1), cpu(device, 1));
    await countMany(flow.db, ingest);
    expect(await open(rule)).toEqual([false]);
    await disable([rule]);
  });

  it('end a match about a work unit, once', async () => {
    const ctx = systemCtx({ database: flow.database, log: silent, name: 'test' });
    const handle = () => flow.runJobs(workUnitEventJob([workUnitRules(ingest)]), 2);
    const rule = await ruleOf({
      ruleTypeId: 4,
      conditions: [about(100, 5, 'pump'), about(103, 1, 'Sev1')],
      recoveryConditions: [about(103, 2, 'Sev1')],
    });
    const unit = await ctx.db.transaction((db) =>
      createWorkUnit({ ...ctx, db }, { tenantId: flow.tenantId, title: 'Pump', severityId: 'Sev1', workUnitTypeId: 1 }),
    );
    await handle();
    expect(await open(rule)).toEqual([true]);
    await update(ctx, servedWorkUnits, unit?.workUnitId ?? 0, { severityId: 'Sev2' });
    await handle();
    expect(await open(rule)).toEqual([false]);
    await update(ctx, servedWorkUnits, unit?.workUnitId ?? 0, { severityId: 'Sev1' });
    await handle();
    expect(await open(rule)).toEqual([false, true]);
  });
});

describe('a rule that breaks', () => {
  it('is marked with its cause and harms no other', async () => {
    const device = await flow.device({ name: 'works' });
    const good = await ruleOf({ conditions: [isDevice(device), cpuOver90] });
    const bad = await flow.rule({ name: 'bad', conditions: [about(61, 8, '(', { LeftOperandFieldName: 'Name' })] });
    const [row] = await until(async () => {
      const rows = await flow.rows<{ evaluation_failure: string | null }>('select evaluation_failure from rule where rule_id = $1', bad);
      return rows[0]?.evaluation_failure ? rows : undefined;
    });
    expect(row?.evaluation_failure).toMatch(/^Condition 1: The pattern is not valid/);
    await flow.openIngest();
    expect(await flow.rows("select 1 from rule_evaluation where rule_id = $1 and outcome = 'failed'", bad)).toHaveLength(1);
    await send(ingest, flow.ctx, cpu(device, 99));
    expect(await matches(good)).toHaveLength(1);
  });

  it('says so when what it names is deleted, until it is changed', async () => {
    const device = await flow.device({ name: 'goes' });
    const rule = await ruleOf({ conditions: [isDevice(device), cpuOver90] });
    await brokenRulesWork.run(flow.db);
    const failure = async () =>
      (await flow.rows<{ f: string | null }>('select evaluation_failure as f from rule where rule_id = $1', rule))[0]?.f;
    expect(await failure()).toBeNull();
    await flow.rows('update device set is_deleted = true where device_id = $1', device);
    await brokenRulesWork.run(flow.db);
    await brokenRulesWork.run(flow.db);
    expect(await failure()).toBe('Condition 1: Device is no longer there.');
    expect(await flow.rows("select 1 from rule_evaluation where rule_id = $1 and outcome = 'failed'", rule)).toHaveLength(1);
    const ctx = systemCtx({ database: flow.database, log: silent, name: 'test' });
    await expect(update(ctx, servedRules, rule, { conditions: [isDevice(randomUUID()), cpuOver90] })).rejects.toMatchObject({
      details: [{ target: 'conditions[0].RightOperand', message: 'Device was not found.' }],
    });
    await update(ctx, servedRules, rule, { conditions: [cpuOver90] });
    expect(await failure()).toBeNull();
  });
});
