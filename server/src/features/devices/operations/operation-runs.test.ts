/** What agents may report and read about runs, and requests that expire. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePackage } from '../../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { expireRequests } from './expire-requests.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let operationId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  const parameters = [{ Name: 'Keys', Description: '', Required: false, Source: 3, DefaultValue: '' }];
  ({ operationId } = await makePackage(world, { tenantId: home.tenantId, name: 'Checks', frequencies: [1, 2, 3], parameters }));
});
afterAll(() => world.close());

const keys = [{ Name: 'Keys', Source: 3, Value: [{ PlaceholderKey: '{Key}', LookupKey: 'api.key' }] }];

/** Inserts a device and its promoted machine. */
async function machine(): Promise<{ deviceId: string }> {
  const { body } = await world.call(me, 'PUT', '/v1/devices', { name: 'Pump', ...home });
  const [deviceId, machineKey] = [String(body['deviceId']), randomUUID()];
  await world.system.db.query({
    text: `insert into pending_device (tenant_id, machine_name, operating_system, architecture, machine_key, device_id) values ($1, 'pump', 'Debian', 'x64', $2, $3)`,
    values: [home.tenantId, machineKey, deviceId],
  });
  return { deviceId };
}
async function requested(deviceId: string, over: object = {}): Promise<{ id: string; token: string }> {
  const body = { deviceId, operationId, label: 'Disk', frequencyTypeId: 1, enabled: true, ...over };
  const id = String((await world.call(me, 'PUT', '/v1/deviceOperations', body)).body['deviceOperationId']);
  const answer = await world.call(me, 'POST', `/v1/deviceOperations/${id}/enqueueOnDemand`, {});
  return { id, token: String(answer.body['completionToken']) };
}
const row = async (id: string) => (await world.call(me, 'GET', `/v1/deviceOperations(${id})`)).body;
const runsOf = async (id: string) => (await world.call(me, 'GET', `/v1/operationRuns?$filter=deviceOperationId eq ${id}`)).body['value'];

it('a request says until when it waits, and expires when the device does not answer', async () => {
  const { deviceId } = await machine();
  const { id, token } = await requested(deviceId);
  const until = Date.parse(String((await row(id))['queuedUntil']));
  expect(Math.abs(until - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  expect(await runsOf(id)).toMatchObject([{ operationRunId: token, status: 'Queued', requestedBy: expect.any(String), ended: null }]);
  await expireRequests(world.system);
  expect(await row(id)).toMatchObject({ completionToken: token });
  const later = { ...world.system, now: () => new Date(Date.now() + 25 * 3_600_000) };
  await expireRequests(later);
  await expireRequests(later);
  expect(await row(id)).toMatchObject({ completionToken: null, queuedUntil: null, operationComplete: false });
  expect(await runsOf(id)).toMatchObject([{ operationRunId: token, status: 'Expired', message: 'Expired: the device did not answer' }]);
  const latest = await world.call(me, 'GET', `/v1/devices/${deviceId}/latestOperationRuns`);
  expect(latest.body['value']).toMatchObject([{ deviceOperationId: id, status: 'Expired' }]);
  const audit = await world.system.db.query({
    text: `select 1 from audit where entity = 'deviceOperations' and entity_id = $1 and actor_kind = 'system' and verb = 'update'`,
    values: [id],
  });
  expect(audit).toHaveLength(1);
});

it('a dequeued request is in the history as such', async () => {
  const { deviceId } = await machine();
  const { id } = await requested(deviceId);
  await world.call(me, 'POST', `/v1/deviceOperations/${id}/dequeueOnDemand`, {});
  expect(await runsOf(id)).toMatchObject([{ status: 'Dequeued', message: expect.stringMatching(/ withdrew the request\.$/) }]);
});

it('who may not edit the tenant does not name its secrets in an operation', async () => {
  const { deviceId } = await machine();
  const caller = holder([home.tenantId], ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Devices:create', 'CloudFit.CFS.Devices:edit']);
  const body = { deviceId, operationId, label: 'Disk', frequencyTypeId: 1, parameters: keys };
  const answer = await world.call(caller, 'PUT', '/v1/deviceOperations', body);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([
    400,
    expect.stringContaining('Only a person who may edit the tenant may use its secrets in an operation.'),
  ]);
  expect((await world.call(me, 'PUT', '/v1/deviceOperations', body)).status).toBe(201);
});
