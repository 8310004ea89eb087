/** Backtests of a rule at all its tenants, over HTTP and with the worker that runs them. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BacktestOfTenants } from '@cloudfit/contract/impact/backtest-of-tenants.ts';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker, type Worker } from '../../jobs/worker.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { ago, cpu, cpuOver90, send, until } from '../testing/flow.ts';
import { backtestJob } from './backtest.job.ts';
import { beginNext } from './next-of-batch.ts';

const log = pino({ level: 'silent' });
let world: TestWorld;
let ingest: Ingest;
let worker: Worker;
let everybody: TestCaller;
const tenants: { tenantId: string; device: string }[] = [];
const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** The permissions of a person are read from the database while the backtest runs. */
async function personOf(permissions: string[], tenantIds: readonly string[] | null): Promise<TestCaller> {
  const [row] = await rows<{ id: string }>(
    `with p as (insert into person (name, user_name) values ('P', gen_random_uuid()::text || '@example.com') returning person_id),
s as (insert into permission_set (name, permissions) values (gen_random_uuid()::text, $2) returning permission_set_id),
g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, t from p, s, unnest($1::uuid[]) t)
select person_id as id from p`,
    tenantIds ?? [null],
    JSON.stringify(permissions),
  );
  const actor = { kind: 'person' as const, id: row?.id ?? '', name: 'P', userName: 'p@example.com' };
  return { ...holder(tenantIds ?? 'all', permissions), actor };
}

beforeAll(async () => {
  world = await createWorld();
  ingest = await openIngest({ database: world.database, log });
  everybody = await personOf(['CloudFit.CFS.Rules:view'], null);
  for (const [n, name] of ['Alder', 'Birch', 'Cedar', 'Dogwood'].entries()) {
    const place = await world.tenant(name);
    const { body } = await world.call(holder('all'), 'PUT', '/v1/devices', { name: `web-${n}`, ...place });
    const device = String(body['deviceId']);
    const ctx = systemCtx({ database: world.database, log, name: 'test', tenants: [place.tenantId] });
    // Each match ends 5 minutes after it began.
    for (let match = n; match >= 0; match -= 1) await send(ingest, ctx, cpu(device, 92, ago(600 * (match + 1))));
    tenants.push({ tenantId: place.tenantId, device });
  }
  worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log,
    jobs: jobRegistry([backtestJob({ database: world.database, ingest })]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
  });
});
afterAll(async () => {
  await worker.stop();
  await ingest.stop();
  await world.close();
});

const put = async (set: string, body: object) => {
  const answer = await world.call(holder('all'), 'PUT', `/v1/${set}`, body);
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body;
};
const idsOf = (from = 0) => tenants.slice(from).map(({ tenantId }) => tenantId);
const url = '/v1/rules/backtest/tenants';
// As the portal sends it, with fields that no backtest reads.
const draft = (right = '90') => ({
  ruleTypeId: 1,
  matchActions: [],
  whileMatching: 'Reopen',
  conditions: [{ ...cpuOver90, RightOperand: right }],
});
const start = (by: TestCaller, body: object) => world.call(by, 'POST', url, { rule: draft(), from: ago(7_200), ...body });

async function over(by: TestCaller, id: unknown): Promise<BacktestOfTenants> {
  return until(async () => {
    const { body } = await world.call(by, 'GET', `${url}/${String(id)}`);
    return body['isOver'] === true && (body as unknown as BacktestOfTenants);
  });
}

it('tries the rule at each tenant where it holds, with exceptions and own values, in sum and beside the saved rule', async () => {
  const { tenantGroupId } = await put('tenantGroups', { name: 'Trees', tenantIds: idsOf() });
  const { ruleId } = await put('rules', { ...draft('91'), name: 'Cpu is high', tenantGroupId, matchLifetime: '00:05:00' });
  const [alder, birch, cedar, dogwood] = idsOf();
  await put('ruleExceptions', { ruleId, appliesTo: 'Tenant', tenantId: birch, isOff: true, reason: 'Builds.' });
  await put('ruleExceptions', { ruleId, appliesTo: 'Tenant', tenantId: cedar, reason: 'Old.', ownValues: { '62 Cpu 3': '95' } });
  // A tenant at which the rule does not hold, but for one device.
  await put('ruleExceptions', { ruleId, appliesTo: 'Tenant', tenantId: dogwood, isOff: true, reason: 'Moves.' });
  const ofDevice = { appliesTo: 'Device', deviceId: tenants[3]?.device, ownValues: { '62 Cpu 3': '80' } };
  await put('ruleExceptions', { ruleId, tenantId: dogwood, reason: 'Does not move.', ...ofDevice });

  const { status, body } = await start(everybody, { ruleId, tenantGroupId });
  expect([status, body['error']]).toEqual([200, undefined]);
  const result = await over(everybody, body['id']);
  const of = (tenantId: string | undefined) => result.tenants.find((tenant) => tenant.tenantId === tenantId);
  expect(of(alder)).toMatchObject({ name: 'Alder', state: 'done', leftOut: null, figures: { draft: { matches: 1, entities: 1 } } });
  expect(of(birch)).toMatchObject({ state: 'stopped', leftOut: 'off', figures: null });
  expect(of(cedar)?.figures).toMatchObject({ draft: { matches: 0 }, inForce: { matches: 0 } });
  expect(of(dogwood)?.figures).toMatchObject({ draft: { matches: 4 }, difference: { same: 4, added: 0, removed: 0 } });
  expect(result.tenants.map(({ name }) => name)).toEqual(['Alder', 'Birch', 'Cedar', 'Dogwood']);
  expect(result).toMatchObject({ progress: 1, sum: { tenants: 3, draft: { matches: 5, entities: 2 }, inForce: { matches: 5 } } });
  expect(result.sum.timeline.reduce((sum, { matches }) => sum + matches, 0)).toBe(5);
  expect(result.notes).toContainEqual({ text: expect.any(String) as string, tenants: 3 });
  // The matches of one tenant are those of its own backtest.
  const { body: run } = await world.call(everybody, 'GET', `/v1/rules/backtest/${of(dogwood)?.runId}`);
  expect(run).toMatchObject({ batchId: body['id'], tenantId: dogwood, result: { draft: { list: { length: 4 } } } });
  const audits = await rows("select 1 from audit where entity = 'backtests' and verb = 'create' and tenant_id = any($1)", idsOf());
  expect(audits).toHaveLength(3);
});

it('tries and shows only the tenants where the caller may view rules', async () => {
  const [, birch, , dogwood] = idsOf();
  const some = await personOf(['CloudFit.CFS.Rules:view'], [String(birch), String(dogwood)]);
  const { body } = await start(some, {});
  expect(await over(some, body['id'])).toMatchObject({
    sum: { tenants: 2, draft: { matches: 6 }, inForce: null, difference: null },
    tenants: [{ name: 'Birch' }, { name: 'Dogwood' }],
  });
  const one = holder([String(birch)]);
  const answer = await world.call(one, 'GET', `${url}/${String(body['id'])}`);
  expect(answer.body).toMatchObject({ sum: { tenants: 1, draft: { matches: 2 } }, tenants: [{ name: 'Birch' }] });
  const [alder] = idsOf();
  expect((await world.call(holder([String(alder)]), 'GET', `${url}/${String(body['id'])}`)).status).toBe(404);
  expect((await world.call(holder([String(alder)]), 'POST', `${url}/${String(body['id'])}/stop`)).status).toBe(404);
});

it('goes on at the next tenant after one at which the right has ended', async () => {
  const [alder, birch] = idsOf();
  const leaving = await personOf(['CloudFit.CFS.Rules:view'], [String(birch)]);
  const { body } = await start(
    { ...leaving, ...holder([String(alder), String(birch)], ['CloudFit.CFS.Rules:view']), actor: leaving.actor } as TestCaller,
    {},
  );
  const result = await over(everybody, body['id']);
  expect(result.tenants).toMatchObject([
    { name: 'Alder', state: 'stopped', error: 'The person who started it may no longer view rules.' },
    { name: 'Birch', state: 'done' },
  ]);
});

it('is refused to others, for input that is wrong, and while two of the person run', async () => {
  const blind = holder('all', ['CloudFit.CFS.Devices:view']);
  expect((await world.call(null, 'POST', url, { rule: draft(), from: ago(60) })).status).toBe(401);
  expect((await start(blind, {})).status).toBe(403);
  expect((await start(everybody, { from: ago(-60) })).status).toBe(400);
  expect((await start(everybody, { rule: { ...draft(), conditions: [] } })).status).toBe(400);
  expect((await start(everybody, { ruleId: crypto.randomUUID() })).status).toBe(404);
  expect((await start(everybody, { tenantGroupId: crypto.randomUUID() })).status).toBe(404);
  await worker.stop();
  const [first, second] = [await start(everybody, {}), await start(everybody, {})];
  expect([first.status, second.status, (await start(everybody, {})).status]).toEqual([200, 200, 429]);
  const stopped = await world.call(everybody, 'POST', `${url}/${String(first.body['id'])}/stop`);
  expect(stopped.body).toMatchObject({ isOver: true, sum: { tenants: 0, draft: { matches: 0 } } });
  expect((await start(everybody, {})).status).toBe(200);
});

it('begins with no further tenant after enough packets, and says so', async () => {
  const { body } = await start(await personOf(['CloudFit.CFS.Rules:view'], idsOf()), {});
  const id = String(body['id']);
  const [run] = await rows<{ id: string }>(
    `update backtest_run set state = 'done', packets = $2 where batch_id = $1 and batch_place = 0 returning backtest_run_id as id`,
    id,
    backtestLimits.packetsOfTenants - 1,
  );
  await beginNext(world.system.db, run?.id ?? '');
  expect((await world.call(everybody, 'GET', `${url}/${id}`)).body['isOver']).toBe(false);
  await rows('update backtest_run set packets = packets + 1 where backtest_run_id = $1', run?.id);
  await beginNext(world.system.db, run?.id ?? '');
  const { body: result } = await world.call(everybody, 'GET', `${url}/${id}`);
  expect(result).toMatchObject({
    isOver: true,
    tenants: [{ leftOut: null }, ...idsOf(1).map(() => ({ leftOut: 'packets', state: 'stopped' }))],
  });
});
