/** Fields of a device that policies set, where the server refuses what the device would have. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allPermissions, permission } from '@cloudfit/contract/permissions.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { followSelections } from '../selections/follow.ts';
import { applyPoliciesJob, policyWork } from './apply.job.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

async function created(resource: string, key: string, body: object): Promise<string> {
  const answer = await world.call(me, 'PUT', `/v1/${resource}`, body);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body[key]);
}

async function settle(): Promise<void> {
  await followSelections(world.database, world.system.log, true);
  await policyWork.run(world.system.db);
  const jobs = await world.system.db.query<{ payload: unknown }>({
    text: "delete from job where name = 'apply-policies' returning payload",
  });
  for (const { payload } of jobs) await applyPoliciesJob(world.database).run(world.system, payload, attemptOf());
}

it('are taken from a device later when they cannot be taken because another one is wrong', async () => {
  const deviceId = await created('devices', 'deviceId', { ...home, name: 'full', tags: 't'.repeat(490), heartbeatInterval: 30 });
  const selectionOf = { name: 'Full', tenantId: home.tenantId, filter: `deviceId eq ${deviceId}` };
  const deviceSelectionId = await created('deviceSelections', 'deviceSelectionId', selectionOf);
  const policy = (name: string, over: object) =>
    created('policies', 'policyId', { name, tenantId: home.tenantId, deviceSelectionId, ...over });
  const heartbeat = async () => (await world.call(me, 'GET', `/v1/devices/${deviceId}`)).body['heartbeatInterval'];
  const items = async () =>
    ((await world.call(me, 'GET', `/v1/devices/${deviceId}/policyState`)).body['items'] as { kind: string; state: string }[]).map(
      ({ kind, state }) => `${kind} ${state}`,
    );

  const leaving = await policy('Often', { heartbeatInterval: 90 });
  await settle();
  expect(await heartbeat()).toBe(90);
  const long = await policy('Long', { tags: 'too-long-for-them' });
  expect((await world.call(me, 'DELETE', `/v1/policies/${leaving}`)).status).toBe(204);
  await settle();
  expect([await heartbeat(), ...(await items())]).toEqual([90, 'Heartbeat Set', 'Tag Failed']);
  expect((await world.call(me, 'POST', `/v1/policies/${long}`, { tags: 'short' })).status).toBe(200);
  await settle();
  expect([await heartbeat(), ...(await items())]).toEqual([30, 'Tag Set']);
});

it('need the right to create devices for operations alone', async () => {
  const deviceSelectionId = await created('deviceSelections', 'deviceSelectionId', {
    name: 'None',
    tenantId: home.tenantId,
    filter: "name eq '-'",
  });
  const policyId = await created('policies', 'policyId', { name: 'Tags', tenantId: home.tenantId, deviceSelectionId, tags: 'office' });
  const rights = allPermissions.filter((name) => name !== permission('Devices', 'create'));
  const save = (fields: object) => world.call(holder([home.tenantId], rights), 'POST', `/v1/policies/${policyId}`, fields);
  expect((await save({ tags: 'home' })).status).toBe(200);
  const operation = { operationId: crypto.randomUUID(), label: 'Check', frequencyTypeId: 2, interval: '00:05:00', parameters: [] };
  const refused = await save({ operations: [operation] });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('Operations need the permission CloudFit.CFS.Devices:create.'),
  ]);
});
