/** Rules of a group of tenants and of all: they hold for each tenant as if it had them itself, and open what they open there. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemCtx } from '../../auth/system-ctx.ts';
import { runActionJob, type Channels } from '../../automation/run-action.job.ts';
import { servedRuleExceptions } from '../../features/rules/rule-exceptions.served.ts';
import { servedRules } from '../../features/rules/rules.served.ts';
import { servedTenantGroups } from '../../features/tenancy/tenant-groups.served.ts';
import { servedTenants } from '../../features/tenancy/tenants.served.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { create } from '../../resources/create.ts';
import { remove } from '../../resources/remove.ts';
import { update } from '../../resources/update.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { countMany } from './count-many.ts';
import { cpu, cpuOver90, createFlow, createUnit, send, silent, until, type Flow, type TestRule } from '../testing/flow.ts';
import { keepUp } from '../testing/pulse.ts';

let flow: Flow;
let ingest: Ingest;
let mine: string;
let theirs: string;
beforeAll(async () => {
  flow = await createFlow();
  await keepUp(flow.db);
  ingest = await flow.openIngest();
  [mine, theirs] = [flow.tenantId, flow.otherTenantId];
});
afterAll(() => flow.close());

const system = () => systemCtx({ database: flow.database, log: silent, name: 'test' });
const group = async (tenantIds: string[]) =>
  (await create(system(), servedTenantGroups, { name: `Group ${crypto.randomUUID()}`, tenantIds })).tenantGroupId;

const indexes = ['ingestion', 'dependent', 'silence', 'aggregation', 'maintenance'] as const;
const holdsFor = (rule: string, tenantId: string) => indexes.some((name) => ingest.rules[name]().get(rule, tenantId));

async function ruleFor(draft: TestRule, ...tenants: string[]): Promise<string> {
  const rule = await flow.rule({ tenantId: null, ...draft });
  for (const tenantId of tenants) await until(() => holdsFor(rule, tenantId));
  return rule;
}

const matches = (ruleId: string) =>
  flow.rows<{ tenant_id: string; subject_id: string; match_count: number }>(
    'select tenant_id, subject_id, match_count from rule_match where rule_id = $1 order by created, subject_id',
    ruleId,
  );
const sendTo = (tenantId: string, ...packets: unknown[]) =>
  send(
    ingest,
    { ...systemCtx({ database: flow.database, log: silent, name: 'test', tenants: [tenantId] }), actor: flow.ctx.actor },
    ...packets,
  );

describe('a rule of all tenants', () => {
  it('matches for the devices of each tenant with memory of their own, and opens the unit of a packet in its tenant', async () => {
    const inRow = { ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow' as const, Times: 2 } };
    const [one, other] = [await flow.device({ name: 'mine' }), await flow.device({ name: 'theirs', tenantId: theirs })];
    const rule = await ruleFor({ conditions: [inRow], matchActions: [createUnit] }, mine, theirs);
    await sendTo(mine, cpu(one, 95));
    await sendTo(theirs, cpu(other, 95));
    expect(await matches(rule)).toEqual([]);
    await sendTo(theirs, cpu(other, 96));
    expect(await matches(rule)).toEqual([{ tenant_id: theirs, subject_id: other, match_count: 1 }]);
    await sendTo(mine, cpu(one, 97));
    expect(await matches(rule)).toHaveLength(2);
    const due = await flow.rows<{ message_id: string; tenant_id: string }>(
      'select h.message_id, h.tenant_id from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1',
      rule,
    );
    for (const { message_id: messageId } of due)
      await runActionJob({ publicUrl: 'http://localhost' } as Channels).run(system(), { messageId }, attemptOf());
    const units = await flow.rows<{ tenant_id: string; title: string }>(
      'select tenant_id, title from work_unit where rule_id = $1 order by title',
      rule,
    );
    expect(units.map(({ tenant_id: tenant }) => tenant).toSorted()).toEqual([mine, theirs].toSorted());
  });

  it('is for a new tenant from its beginning, and for none when it is disabled or deleted', async () => {
    const rule = await ruleFor({}, mine, theirs);
    const { tenantId } = await create(system(), servedTenants, { name: `New ${crypto.randomUUID()}` });
    await until(() => holdsFor(rule, tenantId));
    await flow.rows('delete from rule where rule_id = $1', rule);
    await flow.rows(`select pg_notify('rules', $1)`, rule);
    const holding = () => [mine, theirs, tenantId].filter((id) => holdsFor(rule, id));
    await until(() => holding().length === 0);
    expect(holding()).toEqual([]);
  });

  it('counts for each subscription apart, and adds nothing twice', async () => {
    const count = { Type: 'And' as const, LeftOperand: 71, Operator: 6, RightOperand: '2', WindowSeconds: 300 };
    const [one, other] = [await flow.device({ name: 'sum-1' }), await flow.device({ name: 'sum-2', tenantId: theirs })];
    const rule = await ruleFor({ ruleTypeId: 6, conditions: [count] }, mine, theirs);
    await sendTo(mine, cpu(one, 1));
    await sendTo(theirs, cpu(other, 1), cpu(other, 2));
    await countMany(flow.db, ingest);
    expect((await matches(rule)).map(({ tenant_id: tenant }) => tenant)).toEqual([theirs]);
    await flow.rows('delete from rule where rule_id = $1', rule);
  });
});

describe('a rule of a group', () => {
  it('is for the tenants of the group alone, and follows its change', async () => {
    const [one, other] = [await flow.device({ name: 'in' }), await flow.device({ name: 'out', tenantId: theirs })];
    const tenantGroupId = await group([mine]);
    const rule = await ruleFor({ tenantGroupId }, mine);
    await sendTo(mine, cpu(one, 95));
    await sendTo(theirs, cpu(other, 95));
    expect((await matches(rule)).map(({ tenant_id: tenant }) => tenant)).toEqual([mine]);
    await update(system(), servedTenantGroups, tenantGroupId, { tenantIds: [theirs] });
    await until(() => holdsFor(rule, theirs) && !holdsFor(rule, mine));
    await sendTo(theirs, cpu(other, 95));
    expect((await matches(rule)).map(({ tenant_id: tenant }) => tenant)).toEqual([mine, theirs]);
  });

  it('of type Maintenance holds the actions of its tenants only', async () => {
    const [one, other] = [await flow.device({ name: 'held' }), await flow.device({ name: 'free', tenantId: theirs })];
    const time = { DailyStartTime: '00:00', DailyEndTime: '00:00', TimeZoneId: 'UTC' };
    const all = { Type: 'And' as const, LeftOperand: 31, Operator: 2, RightOperand: 'no such device' };
    const maintenance = await ruleFor({ ruleTypeId: 5, conditions: [all], timeConditions: time, tenantGroupId: await group([mine]) }, mine);
    const rule = await ruleFor({ name: 'Held', matchActions: [createUnit] }, mine, theirs);
    await sendTo(mine, cpu(one, 95));
    await sendTo(theirs, cpu(other, 95));
    const matchRows = await flow.rows<{ tenant_id: string; in_maintenance: boolean }>(
      'select tenant_id, in_maintenance from rule_match where rule_id = $1',
      rule,
    );
    expect(new Map(matchRows.map((row) => [row.tenant_id, row.in_maintenance]))).toEqual(
      new Map([
        [mine, true],
        [theirs, false],
      ]),
    );
    await flow.rows('delete from rule where rule_id = any($1)', [maintenance, rule]);
  });
});

describe('an exception of a tenant', () => {
  const exception = (ruleId: string, tenantId: string, values: object) =>
    create(system(), servedRuleExceptions, { ruleId, tenantId, reason: 'Here it is otherwise', ...values });
  const constant = (rule: string, tenantId: string) => ingest.rules.ingestion().get(rule, tenantId)?.rule.conditions[0]?.RightOperand;

  it('has its own value for the packets of the tenant, until it is removed', async () => {
    const [one, other] = [await flow.device({ name: 'calm' }), await flow.device({ name: 'as-all', tenantId: theirs })];
    const rule = await ruleFor({}, mine, theirs);
    const { ruleExceptionId } = await exception(rule, mine, { ownValues: { '62 Cpu 3': '95' }, matchLifetime: '00:20:00' });
    await until(() => constant(rule, mine) === '95');
    expect([constant(rule, theirs), ingest.rules.ingestion().get(rule, mine)?.rule.lifetimeMs]).toEqual(['90', 1_200_000]);
    await sendTo(mine, cpu(one, 93));
    await sendTo(theirs, cpu(other, 93));
    expect((await matches(rule)).map(({ tenant_id: tenant }) => tenant)).toEqual([theirs]);
    await sendTo(mine, cpu(one, 96));
    expect(await matches(rule)).toHaveLength(2);
    await remove(system(), servedRuleExceptions, ruleExceptionId);
    await until(() => constant(rule, mine) === '90');
  });

  it('leaves the tenant out, and goes with the rule', async () => {
    const rule = await ruleFor({}, mine, theirs);
    await exception(rule, mine, { isOff: true });
    await until(() => !holdsFor(rule, mine));
    expect(holdsFor(rule, theirs)).toBe(true);
    await remove(system(), servedRules, rule);
    expect(await flow.rows('select 1 from rule_exception where rule_id = $1', rule)).toEqual([]);
  });

  it('ends at its time in each process by itself, because nothing is written then, and perhaps no worker runs', async () => {
    const rule = await ruleFor({}, mine, theirs);
    await exception(rule, mine, { isOff: true, until: new Date(Date.now() + 3_600_000).toISOString() });
    await until(() => !holdsFor(rule, mine));
    await flow.rows('update rule_exception set until = now() where rule_id = $1', rule);
    expect(holdsFor(rule, mine)).toBe(false);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
    try {
      await until(() => holdsFor(rule, mine));
    } finally {
      vi.useRealTimers();
    }
  });
});
