/** Packets of device operations: accepted while the operation is enabled, and configured on its agent. */
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentConfiguration } from '../features/devices/agent/configuration.ts';
import { watchDevices, type DeviceWatch } from '../features/devices/agent/device-watch.ts';
import { makePackage } from '../testing/packages/rows.ts';
import { agentOf } from '../testing/enrolled-device.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { openIngest, type Ingest } from './accept.ts';

let world: TestWorld;
let ingest: Ingest;
let watch: DeviceWatch;
let mine: { tenantId: string; subscriptionId: string };

beforeAll(async () => {
  world = await createWorld();
  ingest = await openIngest({ database: world.database, log: pino({ level: 'silent' }) });
  watch = await watchDevices(world.database, () => undefined);
  mine = await world.tenant();
});
afterAll(async () => {
  await watch.close();
  await ingest.stop();
  await world.close();
});

it('reports as an entity of its own while it and its device are enabled, and its agent learns of it', async () => {
  const me = holder([mine.tenantId]);
  const created = await makePackage(world, { tenantId: null, name: 'Checks' });
  const device = (await world.call(me, 'PUT', '/v1/devices', { name: 'Pump', ...mine })).body;
  const deviceId = String(device['deviceId']);
  const agent = agentOf(mine.tenantId, deviceId);
  const body = { label: 'Disk', deviceId, operationId: created.operationId, frequencyTypeId: 1 };
  const id = String((await world.call(me, 'PUT', '/v1/deviceOperations', body)).body['deviceOperationId']);
  const send = async () =>
    (await ingest.ingestBody(world.ctx(agent), { entityId: id, message: { Value: 42 } }, 'application/json')).value[0];
  expect(await send()).toMatchObject({ status: 'refused', message: 'The device operation is disabled.' });
  const first = await agentConfiguration(world.ctx(agent), watch);
  expect(first?.operations).toEqual([]);

  const waiting = agentConfiguration(world.ctx(agent), watch, { ifNoneMatch: `"${first?.version ?? ''}"`, waitSeconds: 5 });
  await world.call(me, 'POST', `/v1/deviceOperations/${id}`, { enabled: true });
  const operations = (await waiting)?.operations ?? [];
  expect(operations).toMatchObject([
    { deviceOperationId: id, label: 'Disk', operation: 'Measure', intervalSeconds: 300, completionToken: null },
  ]);
  const queued = (await world.call(me, 'POST', `/v1/deviceOperations/${id}/enqueueOnDemand`, {})).body;
  const later = await agentConfiguration(world.ctx(agent), watch);
  expect(later?.operations[0]?.completionToken).toBe(queued['completionToken']);

  await expect.poll(async () => (await send())?.status).toBe('stored');
  const expanded = await world.call(me, 'GET', `/v1/deviceOperations(${id})?$expand=packet`);
  expect(expanded.body['packet']).toMatchObject({ entityId: id, message: { Value: 42 } });
  await world.call(me, 'POST', `/v1/devices/${deviceId}`, { enabled: false });
  await expect.poll(async () => (await send())?.status).toBe('refused');
});

it('shows by how much the clock of a machine is off, and no longer when it is right', async () => {
  const me = holder([mine.tenantId]);
  const deviceId = String((await world.call(me, 'PUT', '/v1/devices', { name: 'Clock', ...mine })).body['deviceId']);
  const poll = (aheadMs: number) =>
    agentConfiguration(world.ctx(agentOf(mine.tenantId, deviceId)), watch, { agentTime: new Date(Date.now() + aheadMs).toISOString() });
  const shown = async () => (await world.call(me, 'GET', `/v1/devices(${deviceId})`)).body['clockSkewSeconds'];
  const first = await poll(1_000);
  expect(await shown()).toBeNull();
  // The report wakes no agent, because the configuration is unchanged.
  expect((await poll(600_000))?.version).toBe(first?.version);
  expect(await shown()).toBeGreaterThan(595);
  const changes = () =>
    world.system.db.query({ text: "select 1 from change where entity = 'devices' and entity_id = $1", values: [deviceId] });
  const before = await changes();
  await poll(601_000);
  expect(await changes()).toHaveLength(before.length);
  await poll(-7_200_000);
  expect(await shown()).toBeLessThan(-7_190);
  await poll(0);
  expect(await shown()).toBeNull();
});
