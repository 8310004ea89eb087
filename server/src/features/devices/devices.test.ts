/** When a device moves to another tenant, data of the old tenant stays there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const wrongFields = (body: Record<string, unknown>): string[] =>
  (body['error'] as { details: { target: string }[] }).details.map((d) => d.target);

it('refuses to take a location or subscription of the old tenant along', async () => {
  const [from, to] = [await world.tenant(), await world.tenant()];
  const caller = holder([from.tenantId, to.tenantId]);
  const location = await world.call(caller, 'PUT', '/v1/locations', { name: 'Plant 7', tenantId: from.tenantId });
  const device = await world.call(caller, 'PUT', '/v1/devices', { name: 'Pump', ...from, locationId: location.body['locationId'] });
  expect(device.status).toBe(201);
  const move = (change: Record<string, unknown>) => world.call(caller, 'POST', `/v1/devices/${String(device.body['deviceId'])}`, change);
  expect(wrongFields((await move({ tenantId: to.tenantId })).body).toSorted()).toEqual(['locationId', 'subscriptionId']);
  expect(wrongFields((await move({ ...to })).body)).toEqual(['locationId']);
  const moved = await move({ ...to, locationId: null });
  expect([moved.status, moved.body['tenantId'], moved.body['locationId']]).toEqual([200, to.tenantId, null]);
});

it('takes its latest packet along', async () => {
  const [from, to] = [await world.tenant(), await world.tenant()];
  const caller = holder([from.tenantId, to.tenantId]);
  const device = await world.call(caller, 'PUT', '/v1/devices', { name: 'Pump', ...from });
  const id = String(device.body['deviceId']);
  await world.system.db.query({
    text: "insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values ($1, $2, now(), now(), uuidv7(), '{}')",
    values: [id, from.tenantId],
  });
  expect((await world.call(caller, 'POST', `/v1/devices/${id}`, { ...to })).status).toBe(200);
  const visible = await world.call(holder([to.tenantId]), 'GET', `/v1/packets?$filter=entityId in (${id})`);
  expect(visible.body.value).toHaveLength(1);
});
