/** How many entities satisfy a rule while it is being written, by their latest packets. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { MatchingNow } from '@cloudfit/contract/actions/backtest.ts';
import type { Db } from '../../db/db.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { keepUp } from '../testing/pulse.ts';
import { silent } from '../testing/flow.ts';
import { makePackage } from '../../testing/packages/rows.ts';
import { latestOfTenant } from './latest-of-tenant.ts';

let world: TestWorld;
let ingest: Ingest;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ingest = await openIngest({ database: world.database, log: silent });
});
beforeEach(async () => {
  await keepUp(world.system.db);
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

async function device(name: string, message: object, timestamp?: string): Promise<string> {
  const created = await world.call(me, 'PUT', '/v1/devices', { name, ...home });
  const entityId = String(created.body['deviceId']);
  const token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  const sent = await ingest.ingestBody(token, [{ entityId, message, ...(timestamp ? { timestamp } : {}) }], 'application/json');
  expect(sent.value.map((item) => item.status)).toEqual(['stored']);
  return entityId;
}

const condition = (LeftOperand: number, Operator: number, RightOperand: string | null, more: object = {}) => ({
  Type: 'And',
  LeftOperand,
  Operator,
  RightOperand,
  ...more,
});
const metric = (LeftOperandFieldName: string, over: string, more: object = {}) => condition(62, 3, over, { LeftOperandFieldName, ...more });
const named = (beginning: string) => condition(31, 9, beginning);

const ask = (conditions: object[], more: object = {}, by = me) =>
  world.call(by, 'POST', '/v1/rules/matchingNow', { rule: { ruleTypeId: 1, tenantId: home.tenantId, conditions, ...more } });
async function count(conditions: object[], more: object = {}): Promise<Partial<MatchingNow>> {
  const answer = await ask(conditions, more);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as Partial<MatchingNow>;
}

it('counts the entities whose latest packets satisfy the rule, of those that it concerns', async () => {
  await device('db-1', { Metrics: { Cpu: 95 } });
  const web = await device('web-1', { Metrics: { Cpu: 92, Disk: 10 } });
  await device('web-2', { Metrics: { Cpu: 40 } });
  expect(await count([metric('Cpu', '90')])).toEqual({
    entities: 3,
    matching: 2,
    first: [
      { id: expect.any(String), name: 'db-1' },
      { id: web, name: 'web-1' },
    ],
    ignoresRepeats: false,
    unreported: [],
    twice: null,
    truncated: false,
  });
  expect(await count([named('web'), metric('Cpu', '90')])).toMatchObject({ entities: 2, matching: 1, first: [{ id: web }] });
  expect(await count([metric('Cpu', '99')])).toMatchObject({ matching: 0, first: [] });
  const inRow = { OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } };
  expect(await count([metric('Cpu', '90', inRow)])).toMatchObject({ matching: 2, ignoresRepeats: true });
});

it('counts the silent ones, and leaves open what one packet cannot answer', async () => {
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const old = await device('old', { Metrics: { Cpu: 1 } }, hourAgo);
  await device('new', { Metrics: { Cpu: 1 } });
  const silence = { OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 600 } };
  expect(await count([metric('Cpu', '90', silence)], { ruleTypeId: 3 })).toMatchObject({ matching: 1, first: [{ id: old }] });
  const average = condition(72, 3, '90', { LeftOperandFieldName: 'Cpu', WindowSeconds: 300 });
  expect(await count([average], { ruleTypeId: 3 })).toMatchObject({ entities: 2, matching: null, first: [], unreported: [] });
  const changed = metric('Cpu', '0', { OccurrencePattern: { Kind: 'Changed' } });
  expect(await count([changed])).toMatchObject({ matching: null });
});

it('names the fields that nobody reports whom the condition concerns', async () => {
  await device('db-1', { Metrics: { Disk: 95 }, States: { Health: 'Healthy' } });
  await device('web-1', { Metrics: { Cpu: 92 } });
  const typo = metric('DiskUsed', '90');
  expect(await count([typo])).toMatchObject({ matching: 0, unreported: [{ condition: 0, field: 'Metric DiskUsed' }] });
  // Reported, but not by the devices that the condition is about.
  expect(await count([named('web'), metric('Disk', '90')])).toMatchObject({ unreported: [{ condition: 1, field: 'Metric Disk' }] });
  const either = [named('db'), metric('Cpu', '1'), { ...named('web'), Type: 'Or' }, metric('Cpu', '90')];
  expect(await count(either)).toMatchObject({ matching: 1, unreported: [{ condition: 1, field: 'Metric Cpu' }] });
  expect(await count([named('db'), metric('Disk', '90')])).toMatchObject({ unreported: [] });
  const ofWindow = condition(72, 3, '90', { LeftOperandFieldName: 'DiskUsed', WindowSeconds: 300 });
  expect(await count([ofWindow], { ruleTypeId: 3 })).toMatchObject({ unreported: [{ condition: 0, field: 'Average of Metric DiskUsed' }] });
  const right = condition(62, 3, null, { LeftOperandFieldName: 'Disk', RightReading: { Operand: 36, FieldName: 'Limit' } });
  expect(await count([right])).toMatchObject({ unreported: [{ condition: 0, field: 'Device Value Limit' }] });
  // No entity has reported, so nothing is known.
  expect(await count([named('mail'), typo])).toMatchObject({ entities: 0, matching: 0, unreported: [] });
});

it('names a device that reports the same as its operation, unless the rule is about one of them', async () => {
  const machine = await device('web-1', { Metrics: { Cpu: 92 }, States: { Health: 'Healthy' } });
  await device('db-1', { Metrics: { Cpu: 92, Disk: 80 } });
  const { operationId } = await makePackage(world, { tenantId: home.tenantId, name: 'Metrics' });
  const body = { deviceId: machine, operationId, label: 'System metrics', frequencyTypeId: 2, interval: '00:10:00', enabled: true };
  const created = await world.call(me, 'PUT', '/v1/deviceOperations', body);
  const entityId = String(created.body['deviceOperationId']);
  const token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  await ingest.ingestBody(token, [{ entityId, message: { Metrics: { Cpu: 92, Disk: 80 } } }], 'application/json');
  const both = { twice: { device: 'web-1', operation: 'System metrics' } };
  expect(await count([metric('Cpu', '99')])).toMatchObject(both);
  expect(await count([named('web'), metric('Cpu', '90')])).toMatchObject(both);
  expect(await count([metric('Disk', '99'), { ...metric('Cpu', '99'), Type: 'Or' }])).toMatchObject(both);
  for (const kind of ['device', 'operation'])
    expect(await count([metric('Cpu', '90'), condition(11, 1, kind)]), kind).toMatchObject({ twice: null });
  // The device has no disk; that of another device does not count.
  expect(await count([metric('Disk', '90')])).toMatchObject({ twice: null });
  expect(await count([metric('Cpu', '90'), metric('Disk', '90')])).toMatchObject({ twice: null });
  // Without a field, silence for example, which is joined by its cause.
  expect(await count([named('web')])).toMatchObject({ twice: null });
});

it('refuses other tenants, types without packets, and drafts that are not complete', async () => {
  const outsider = holder([(await world.tenant()).tenantId]);
  await device('db-1', { Metrics: { Cpu: 95 } });
  expect((await ask([metric('Cpu', '90')], {}, outsider)).status).toBe(404);
  expect((await ask([metric('Cpu', '90')], { tenantId: home.tenantId, ruleTypeId: 2 })).status).toBe(400);
  expect((await ask([condition(62, 3, '90')])).status).toBe(400);
  const reader = holder([home.tenantId], ['CloudFit.CFS.Devices:view']);
  expect((await ask([metric('Cpu', '90')], {}, reader)).status).toBe(403);
});

it('counts at each tenant of a rule of several that the person may view, with the exceptions of the saved rule', async () => {
  const homes = [home, await world.tenant('Birch'), await world.tenant('Cedar'), await world.tenant('Dogwood')];
  for (const [at, place] of homes.entries()) {
    [home, me] = [place, holder([place.tenantId])];
    for (let n = 0; n <= at; n += 1) await device(`db-${n}`, { Metrics: { Cpu: 92 } });
  }
  await device('web', { Metrics: { Cpu: 10 } });
  const everybody = holder('all');
  const put = async (set: string, body: object) => {
    const answer = await world.call(everybody, 'PUT', `/v1/${set}`, body);
    expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
    return answer.body;
  };
  const tenantIds = homes.map(({ tenantId }) => tenantId);
  const { tenantGroupId } = await put('tenantGroups', { name: `Trees ${crypto.randomUUID()}`, tenantIds });
  const rule = { ruleTypeId: 1, conditions: [metric('Cpu', '90')] };
  const { ruleId } = await put('rules', { ...rule, name: 'Cpu is high', tenantGroupId, matchLifetime: '00:05:00', matchActions: [] });
  await put('ruleExceptions', { ruleId, appliesTo: 'Tenant', tenantId: tenantIds[1], isOff: true, reason: 'Builds.' });
  const exception = {
    ruleId,
    appliesTo: 'Tenant',
    tenantId: tenantIds[2],
    reason: 'Old.',
    ownValues: { '62 Cpu 3': '95' },
  };
  await put('ruleExceptions', exception);
  const countOf = async (by: TestCaller, more: object) => {
    const answer = await world.call(by, 'POST', '/v1/rules/matchingNow/tenants', { rule, tenantGroupId, ...more });
    expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
    return answer.body;
  };
  expect(await countOf(everybody, {})).toMatchObject({ tenants: 4, tenantsMatching: 4, entities: 11, matching: 10 });
  expect(await countOf(everybody, { ruleId })).toEqual({
    tenants: 4,
    tenantsMatching: 2,
    entities: 9,
    matching: 5,
    largest: [
      { tenantId: tenantIds[3], name: 'Dogwood', entities: 5, matching: 4 },
      { tenantId: tenantIds[0], name: expect.any(String), entities: 1, matching: 1 },
    ],
    truncated: false,
  });
  const some = holder([tenantIds[1] ?? '', tenantIds[3] ?? '']);
  expect(await countOf(some, {})).toMatchObject({
    tenants: 2,
    entities: 7,
    matching: 6,
    largest: [{ name: 'Dogwood' }, { name: 'Birch' }],
  });
  expect(
    await countOf(everybody, { rule: { ...rule, conditions: [metric('Cpu', '90', { OccurrencePattern: { Kind: 'Changed' } })] } }),
  ).toMatchObject({
    matching: null,
    largest: [],
  });
});

it('reads the packets of a tenant once for all who ask within seconds, and again after a failure', async () => {
  const requests: string[] = [];
  let fails = false;
  const db = {
    query: ({ name = '' }: { name?: string }) => {
      requests.push(name);
      return fails ? Promise.reject(new Error('gone')) : Promise.resolve([]);
    },
  } as unknown as Db;
  const reads = () => requests.filter((name) => name === 'matching-now-packets').length;
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  try {
    const [mine, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await Promise.all([latestOfTenant(db, mine), latestOfTenant(db, mine)]);
    await latestOfTenant(db, mine);
    expect(reads()).toBe(1);
    await latestOfTenant(db, other);
    expect(reads()).toBe(2);
    await vi.advanceTimersByTimeAsync(5_000);
    await latestOfTenant(db, mine);
    expect(reads()).toBe(3);
    await vi.advanceTimersByTimeAsync(5_000);
    fails = true;
    await expect(latestOfTenant(db, mine)).rejects.toThrow('gone');
    fails = false;
    expect(await latestOfTenant(db, mine)).toEqual({ latest: [], truncated: false });
  } finally {
    vi.useRealTimers();
  }
});
