/** The cause of silence: a device that it depends on, or many devices of a location at once. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { evaluateSilenceOfAll } from '../../rules/run/silence/sweep.ts';
import { silent, until } from '../../rules/testing/flow.ts';
import { keepUp } from '../../rules/testing/pulse.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { groupsWork } from './follow-groups.job.ts';

let world: TestWorld;
let worker: Automation;
let ingest: Ingest;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  me = holder('all');
  worker = await startAutomation(world);
  ingest = await openIngest({ database: world.database, log: silent });
});
beforeEach(() => keepUp(world.system.db));
afterAll(async () => {
  await ingest.stop();
  await worker.stop();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

async function put(set: string, fields: object): Promise<Record<string, unknown>> {
  const { status, body } = await world.call(me, 'PUT', `/v1/${set}`, fields);
  expect([status, body['error']]).toEqual([201, undefined]);
  return body;
}

const device = async (home: SubscriptionIds, name: string, fields: object = {}) =>
  String((await put('devices', { name, ...home, ...fields }))['deviceId']);

/** Sets the time of the last packet of these devices to `seconds` ago. */
const silentFor = (seconds: number, ...ids: string[]) =>
  rows(
    `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
     select device_id, tenant_id, now() - make_interval(secs => $2), now() - make_interval(secs => $2), uuidv7(), '{}' from device where device_id = any($1::uuid[])
     on conflict (entity_id) do update set timestamp = excluded.timestamp, received_timestamp = excluded.received_timestamp`,
    ids,
    seconds,
  );

/** Creates a rule that opens a unit for an entity that is silent for two minutes. */
async function ruleOf(home: SubscriptionIds, fields: object = {}): Promise<string> {
  const rule = await put('rules', {
    name: 'Silent',
    ruleTypeId: 3,
    ...home,
    neverReported: false,
    conditions: [{ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '120' }],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} }],
    ...fields,
  });
  await until(() => ingest.rules.silence().get(String(rule['ruleId'])));
  return String(rule['ruleId']);
}

const sweep = async () => {
  await evaluateSilenceOfAll(world.system.db, ingest);
  await groupsWork(world.database, silent).run(world.system.db);
};
/** Simulates that `seconds` have passed for waiting matches. */
const pass = (seconds: number) =>
  rows(
    `with w as (update match_group_member set join_after = now() - make_interval(secs => 1) where match_group_id is null returning rule_match_id)
     update rule_match m set created = created - make_interval(secs => $1) from w where w.rule_match_id = m.rule_match_id`,
    seconds,
  );
const unitsOf = ({ tenantId }: SubscriptionIds) =>
  rows<{ id: number; title: string; occurrences: number }>(
    'select work_unit_id as id, title, occurrences from work_unit where tenant_id = $1 order by 1',
    tenantId,
  );
const waits = async ({ tenantId }: SubscriptionIds) =>
  (await rows('select 1 from match_group_member where tenant_id = $1 and match_group_id is null', tenantId)).length;
/** Waits until each match has a group, and each execution an outcome. */
const settle = (home: SubscriptionIds) =>
  until(async () => {
    if ((await waits(home)) > 0) {
      // Lets the schedule check again the matches that wait for the group of another match.
      await pass(0);
      await groupsWork(world.database, silent).run(world.system.db);
    }
    return (
      (await waits(home)) === 0 &&
      (await rows('select 1 from action_history where tenant_id = $1 and result_status_id = 3', home.tenantId)).length === 0
    );
  });

async function whyOf(deviceId: string): Promise<unknown> {
  const [match] = await rows<{ id: string }>('select rule_match_id as id from rule_match where subject_id = $1', deviceId);
  return (await world.call(me, 'GET', `/v1/rulematches/${match?.id}/explain`)).body['reasons'];
}

it('is what it depends on: one unit that says so, also through what lies between', async () => {
  const home = await world.tenant();
  const router = await device(home, 'router');
  const rack = await device(home, 'switch', { parentDeviceId: router });
  const servers = [await device(home, 'srv-1', { parentDeviceId: rack }), await device(home, 'srv-2', { parentDeviceId: router })];
  const far = await device(home, 'far');
  await silentFor(150, router, rack, ...servers);
  await silentFor(1, far);
  await ruleOf(home);
  await sweep();
  await settle(home);
  const units = await unitsOf(home);
  expect(units).toMatchObject([{ title: 'router is silent: 3 that depend on it cannot be reached', occurrences: 4 }]);
  expect(await whyOf(servers[0] ?? '')).toEqual(expect.arrayContaining(['Inferred: not reachable because router is silent.']));
  const { body } = await world.call(
    me,
    'GET',
    `/v1/unitMatches?$filter=workUnitId eq ${units[0]?.id} and reason ne null&$count=true&$top=1`,
  );
  expect(body).toMatchObject({ '@odata.count': 3, value: [{ kind: 'Silence', reason: 'not reachable because router is silent' }] });
});

it('is waited for while what it depends on is overdue, and nobody is called twice', async () => {
  const home = await world.tenant();
  const router = await device(home, 'gate');
  const server = await device(home, 'behind', { parentDeviceId: router });
  await silentFor(150, server);
  await silentFor(100, router);
  await ruleOf(home);
  await sweep();
  expect([await waits(home), await unitsOf(home)]).toEqual([1, []]);
  await silentFor(150, router);
  await pass(20);
  await sweep();
  await settle(home);
  expect(await unitsOf(home)).toMatchObject([{ title: 'gate is silent: 1 that depends on it cannot be reached', occurrences: 2 }]);
});

it('is not waited for when it is over', async () => {
  const home = await world.tenant();
  const router = await device(home, 'slow gate');
  const server = await device(home, 'back again', { parentDeviceId: router });
  await silentFor(150, server);
  await silentFor(100, router);
  await ruleOf(home);
  await sweep();
  await pass(0);
  await groupsWork(world.database, silent).run(world.system.db);
  expect(await waits(home)).toBe(1);
  await rows('update rule_match set closed = now() where subject_id = $1', server);
  await pass(0);
  await groupsWork(world.database, silent).run(world.system.db);
  expect(await waits(home)).toBe(0);
  expect(await rows('select kind, label from match_group where tenant_id = $1', home.tenantId)).toEqual([
    { kind: 'Silence', label: 'slow gate' },
  ]);
});

it('is its own when what it depends on reports', async () => {
  const home = await world.tenant();
  const router = await device(home, 'alive');
  const server = await device(home, 'broken', { parentDeviceId: router });
  await silentFor(150, server);
  await silentFor(100, router);
  await ruleOf(home);
  await sweep();
  expect(await waits(home)).toBe(1);
  await silentFor(1, router);
  await pass(5);
  await sweep();
  await settle(home);
  expect(await unitsOf(home)).toMatchObject([{ title: 'Silent: broken', occurrences: 1 }]);
});

it('is a location of which half fell silent at once: one unit with how many of how many', async () => {
  const home = await world.tenant();
  const locationId = String((await put('locations', { name: 'Harbour', tenantId: home.tenantId }))['locationId']);
  const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => device(home, `h-${n}`, { locationId })));
  await silentFor(150, ...ids.slice(0, 2));
  await silentFor(100, ...ids.slice(2, 4));
  await silentFor(1, ...ids.slice(4));
  await ruleOf(home);
  await sweep();
  expect([await waits(home), await unitsOf(home)]).toEqual([2, []]);
  await silentFor(150, ...ids.slice(2, 4));
  await pass(30);
  await sweep();
  await settle(home);
  expect(await unitsOf(home)).toMatchObject([{ title: '4 of 6 devices of location Harbour fell silent within 3 min', occurrences: 4 }]);
  await silentFor(150, ...ids.slice(4));
  await sweep();
  await settle(home);
  expect(await unitsOf(home)).toMatchObject([{ title: '6 of 6 devices of location Harbour fell silent within 3 min', occurrences: 6 }]);
});

it('refuses dependencies in a circle, on itself, or across tenants, and a device that others depend on stays', async () => {
  const [home, other] = [await world.tenant(), await world.tenant()];
  const top = await device(home, 'top');
  const middle = await device(home, 'middle', { parentDeviceId: top });
  const low = await device(home, 'low', { parentDeviceId: middle });
  const foreign = await device(other, 'foreign');
  const set = async (id: string, parentDeviceId: string | null) => {
    const { status, body } = await world.call(me, 'POST', `/v1/devices/${id}`, { parentDeviceId });
    return status === 200 ? 200 : (body['error'] as { message: string }).message;
  };
  expect(await set(top, low)).toBe('low depends on top already.');
  expect(await set(top, top)).toBe('A device cannot depend on itself.');
  expect(await set(top, foreign)).toContain('foreign belongs to another tenant.');
  const removed = await world.call(me, 'DELETE', `/v1/devices/${middle}`);
  expect((removed.body['error'] as { message: string }).message).toBe('low depends on middle: change what they depend on first.');
  // Two changes that together would close a circle: one of them is refused.
  const [a, b] = [await device(home, 'a'), await device(home, 'b')];
  const both = await Promise.all([set(a, b), set(b, a)]);
  expect(both.filter((item) => item === 200)).toHaveLength(1);
  expect([await set(low, null), await set(low, top)]).toEqual([200, 200]);
});
