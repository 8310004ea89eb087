/** Backtests and explanations over HTTP: they work, and other callers are refused. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker, type Worker } from '../../jobs/worker.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { cpu, cpuOver90, send, until, ago } from '../testing/flow.ts';
import { backtestJob } from './backtest.job.ts';

const log = pino({ level: 'silent' });
let world: TestWorld;
let ingest: Ingest;
let worker: Worker | undefined;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let device: string;
let rule: string;

async function person(): Promise<TestCaller> {
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with p as (insert into person (name, user_name) values ('P', gen_random_uuid()::text || '@example.com') returning person_id),
s as (insert into permission_set (name, permissions) values (gen_random_uuid()::text, '["CloudFit.CFS.Rules:view"]') returning permission_set_id),
g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s)
select person_id as id from p`,
    values: [home.tenantId],
  });
  return { ...holder([home.tenantId]), actor: { kind: 'person', id: row?.id ?? '', name: 'P', userName: 'p@example.com' } };
}

beforeAll(async () => {
  world = await createWorld();
  ingest = await openIngest({ database: world.database, log });
});
beforeEach(async () => {
  [home, other] = [await world.tenant(), await world.tenant()];
  me = await person();
  const created = await world.call(me, 'PUT', '/v1/devices', { name: 'web-1', ...home });
  device = String(created.body['deviceId']);
  const put = await world.call(me, 'PUT', '/v1/rules', { name: 'Hot', ruleTypeId: 1, ...home, conditions: [cpuOver90] });
  rule = String(put.body['ruleId']);
  await until(() => ingest.rules.ingestion().get(rule));
  const ctx = systemCtx({ database: world.database, log, name: 'test', tenants: [home.tenantId] });
  await send(ingest, ctx, cpu(device, 95, ago(60)));
  await send(ingest, ctx, cpu(device, 85, ago(30)));
});
afterAll(async () => {
  await worker?.stop();
  await ingest.stop();
  await world.close();
});

const draft = () => ({ ...home, ruleTypeId: 1, conditions: [{ ...cpuOver90, RightOperand: '80' }] });
const start = (body: Record<string, unknown> = {}, caller = me) =>
  world.call(caller, 'POST', '/v1/rules/backtest', { rule: draft(), ruleId: rule, from: ago(3_600), ...body });
const target = (answer: WorldReply) => [answer.status, (answer.body['error'] as { target?: string }).target];
const blind = () => holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']);
const otherTenantCaller = () => holder([other.tenantId]);

describe('tries of rules over HTTP', () => {
  it('are refused to others and for bad input', async () => {
    expect((await start({}, blind())).status).toBe(403);
    expect((await start({}, otherTenantCaller())).status).toBe(404);
    expect((await start({ ruleId: crypto.randomUUID() })).status).toBe(404);
    expect((await start({ entityIds: [crypto.randomUUID()] })).status).toBe(404);
    const ofBoth = holder([home.tenantId, other.tenantId]);
    expect((await start({ rule: { ...draft(), ...other } }, ofBoth)).status).toBe(404);
    expect(target(await start({ from: 'x' }))).toEqual([400, 'from']);
    expect(target(await start({ from: ago(40 * 86_400) }))).toEqual([400, 'from']);
    expect(target(await start({ to: ago(7_200) }))).toEqual([400, 'to']);
    const weekend = { DaysOfWeek: [0, 6], TimeZoneId: 'UTC' };
    const tag = { Type: 'And', LeftOperand: 32, Operator: 5, RightOperand: 'x' };
    expect(
      (await start({ rule: { ...draft(), ruleTypeId: 5, timeConditions: weekend, conditions: [tag] }, ruleId: null })).body,
    ).toMatchObject({
      error: { details: [{ target: 'rule.ruleTypeId', message: expect.stringContaining('opens no matches') as string }] },
    });
    const ofUnits = { ...draft(), ruleTypeId: 4, conditions: [{ ...tag, LeftOperand: 100 }] };
    expect(target(await start({ rule: ofUnits }))).toEqual([400, 'ruleId']);
    expect(target(await start({ rule: ofUnits, ruleId: null, entityIds: [device] }))).toEqual([400, 'entityIds']);
    // A backtest of a rule on work units shows units to its caller, so it needs the permission to view them.
    expect((await start({ rule: ofUnits, ruleId: null }, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
    expect(target(await start({ rule: { ...draft(), conditions: [{ ...cpuOver90, Operator: 5, LeftOperand: 1_000 }] } }))).toEqual([
      400,
      'rule.conditions[0].LeftOperand',
    ]);
  });

  it('last for some days at most, and end after their start', async () => {
    const to = Date.now() - 60_000;
    const time = (at: number) => new Date(at).toISOString();
    const longest = to - backtestLimits.days * 86_400_000;
    const tried = async (from: number, until?: number) => {
      const answer = await start({ from: time(from), ruleId: null, ...(until === undefined ? {} : { to: time(until) }) });
      if (answer.status === 400) return target(answer)[1];
      expect((await world.call(me, 'POST', `/v1/rules/backtest/${String(answer.body['id'])}/stop`)).status).toBe(200);
      return 'tried';
    };
    expect([await tried(longest, to), await tried(longest - 1, to)]).toEqual(['tried', 'from']);
    // The period ends when the call arrives, a little later than when it was sent.
    expect(await tried(Date.now() - backtestLimits.days * 86_400_000 - 1_000)).toBe('tried');
    expect([await tried(to - 1, to), await tried(to, to), await tried(Date.now() + 60_000)]).toEqual(['tried', 'to', 'from']);
  });

  it('are counted for each tenant while they are not over, and on record with who started and stopped them', async () => {
    const [ownTenant, foreign] = [await world.tenant(), await world.tenant()];
    const caller = { ...me, ...holder([ownTenant.tenantId]), actor: me.actor } as TestCaller;
    const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
    const add = (tenantId: string, state: string) =>
      rows(
        `insert into backtest_run (tenant_id, input, owner_kind, created_by, correlation_id, state) values ($1, '{}', 'system', 'test', gen_random_uuid(), $2)`,
        tenantId,
        state,
      );
    for (const state of ['done', 'stopped', 'failed']) await add(ownTenant.tenantId, state);
    for (const state of ['queued', 'running', 'queued']) await add(foreign.tenantId, state);
    const body = { rule: { ...draft(), ...ownTenant }, ruleId: null };
    const id = String((await start(body, caller)).body['id']);
    await add(ownTenant.tenantId, 'running');
    expect((await start(body, caller)).status).toBe(429);
    const [run] = await rows('select owner_kind, owner_id, created_by, input from backtest_run where backtest_run_id = $1', id);
    expect(run).toMatchObject({ owner_kind: 'person', owner_id: me.actor?.id, input: { inForce: null, to: expect.any(String) as string } });
    expect(await rows('select tenant_id from job where once_key = $1', `backtest ${id}`)).toEqual([{ tenant_id: ownTenant.tenantId }]);
    const stop = () => world.call(caller, 'POST', `/v1/rules/backtest/${id}/stop`);
    expect([(await stop()).body['state'], (await stop()).body['state']]).toEqual(['stopped', 'stopped']);
    expect((await rows("select 1 from backtest_run where state = 'running' and tenant_id = $1", ownTenant.tenantId)).length).toBe(1);
    const audits = await rows<{ verb: string; after: { rule?: object } | null }>(
      "select verb, after from audit where entity = 'backtests' and entity_id = $1 order by audit_id",
      id,
    );
    expect(audits.map(({ verb }) => verb)).toEqual(['create', 'stop']);
    expect(audits[0]?.after).toMatchObject({ rule: { ruleTypeId: 1, tenantId: ownTenant.tenantId }, from: expect.any(String) as string });
    expect((await start(body, caller)).status).toBe(200);
  });

  it('wait their turn, are stopped, and run to their end in a job', async () => {
    await worker?.stop();
    const first = String((await start()).body['id']);
    const second = String((await start({ entityIds: [device] })).body['id']);
    expect((await start()).status).toBe(429);
    const url = `/v1/rules/backtest/${first}`;
    expect((await world.call(me, 'GET', url)).body).toMatchObject({ state: 'queued', progress: 0, result: null });
    expect((await world.call(blind(), 'GET', url)).status).toBe(403);
    expect((await world.call(otherTenantCaller(), 'GET', url)).status).toBe(404);
    expect((await world.call(otherTenantCaller(), 'POST', `${url}/stop`)).status).toBe(404);
    expect((await world.call(me, 'POST', `${url}/stop`)).body).toMatchObject({ state: 'stopped' });
    worker = await startWorker({
      dataFolder: 'test',
      database: world.database,
      log,
      jobs: jobRegistry([backtestJob({ database: world.database, ingest })]),
      ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
    });
    const done = await until(async () => {
      const { body } = await world.call(me, 'GET', `/v1/rules/backtest/${second}`);
      return body['state'] === 'done' && body;
    });
    expect(done).toMatchObject({
      progress: 1,
      result: {
        draft: { matches: 1, list: [{ matchCount: 2, entityId: device }] },
        inForce: { matches: 1 },
        difference: { same: 1, added: 0 },
      },
    });
    expect((await world.call(me, 'GET', url)).body).toMatchObject({ state: 'stopped', result: null });
  });

  it('end with the right of who started them', async () => {
    const owner = await person();
    await world.system.db.query({ text: 'delete from access_grant where person_id = $1', values: [owner.actor?.id] });
    const id = String((await start({}, owner)).body['id']);
    const ended = await until(async () => {
      const { body } = await world.call(me, 'GET', `/v1/rules/backtest/${id}`);
      return body['state'] === 'stopped' && body;
    });
    expect(ended).toMatchObject({ result: null, error: 'The person who started it may no longer view rules.' });
  });
});

describe('explanations over HTTP', () => {
  const explain = (query: string, caller = me, id = rule) => world.call(caller, 'GET', `/v1/rules/${id}/explain?${query}`);

  it('tell why a rule matched and why not, and when it was disabled', async () => {
    const [match] = (await world.call(me, 'GET', `/v1/rulematches?$filter=ruleId eq ${rule}`)).body.value ?? [];
    const url = `/v1/rulematches/${String(match?.['ruleMatchId'])}/explain`;
    expect((await world.call(me, 'GET', url)).body).toMatchObject({
      outcome: 'hit',
      basis: 'recorded',
      conditions: [{ value: 95, satisfied: true }],
    });
    expect((await explain(`entityId=${device}`)).body).toMatchObject({
      outcome: 'miss',
      reasons: ['Condition 1 (Metric Cpu > 90) saw 85, which does not hold.'],
      rule: { enabled: true, changedSince: false },
    });
    await world.call(me, 'POST', `/v1/rules/toggledisabled/${rule}`);
    await send(ingest, systemCtx({ database: world.database, log, name: 'test', tenants: [home.tenantId] }), cpu(device, 99));
    expect((await explain(`entityId=${device}`)).body).toMatchObject({ outcome: 'disabled', rule: { enabled: false } });
    expect((await explain(`entityId=${device}&at=${ago(20)}`)).body).toMatchObject({
      outcome: 'miss',
      rule: { enabled: true, changedSince: true },
    });
    expect((await explain(`entityId=${device}&at=${ago(600)}`)).body).toMatchObject({ outcome: 'absent', packet: null });
    expect((await world.call(blind(), 'GET', url)).status).toBe(403);
    expect((await world.call(otherTenantCaller(), 'GET', url)).status).toBe(404);
  });

  it('are refused to others and for bad input', async () => {
    expect((await explain(`entityId=${device}`, blind())).status).toBe(403);
    expect((await explain(`entityId=${device}`, otherTenantCaller())).status).toBe(404);
    expect((await explain(`entityId=${device}`, me, crypto.randomUUID())).status).toBe(404);
    expect((await explain(`entityId=${crypto.randomUUID()}`)).status).toBe(404);
    expect(target(await explain('entityId=x'))).toEqual([400, 'entityId']);
    expect(target(await explain(`entityId=${device}&at=yesterday`))).toEqual([400, 'at']);
  });
});
