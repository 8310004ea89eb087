/** Calls on devices: save and delete, tracing, restart, logs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePackage } from '../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let theirs: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let otherTenantCaller: TestCaller;
let viewer: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant(), await world.tenant()];
  [me, otherTenantCaller] = [holder([mine.tenantId]), holder([theirs.tenantId])];
  viewer = holder([mine.tenantId], ['CloudFit.CFS.Devices:view']);
});
afterAll(() => world.close());

async function device(over: Record<string, unknown> = {}): Promise<string> {
  return String((await world.call(me, 'PUT', '/v1/devices', { name: 'Pump', ...mine, ...over })).body['deviceId']);
}
const wrongOf = (answer: WorldReply): string[] =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);

describe('a device', () => {
  it.each([
    ['[DEV-034]', 'name: Name is required.'],
    ['[DEV-035]', 'tenantId: Tenant is required.'],
    ['[DEV-036]', 'subscriptionId: Subscription is required.'],
  ])('%s says %s', async (_id, message) => {
    expect(wrongOf(await world.call(me, 'PUT', '/v1/devices', {}))).toContain(message);
  });

  it('[DEV-037] limits the description', async () => {
    const url = `/v1/devices/${await device()}`;
    expect(wrongOf(await world.call(me, 'POST', url, { description: 'x'.repeat(501) }))).toEqual([
      'description: Description is at most 500 characters.',
    ]);
    expect((await world.call(me, 'POST', url, { description: 'x'.repeat(500) })).status).toBe(200);
  });

  it('[DEV-038] limits the heartbeat', async () => {
    const url = `/v1/devices/${await device()}`;
    expect(wrongOf(await world.call(me, 'POST', url, { heartbeatInterval: -1 }))).toEqual(['heartbeatInterval: Heartbeat is at least 0.']);
    expect(wrongOf(await world.call(me, 'POST', url, { heartbeatInterval: 1_000_000_000 }))).toEqual([
      'heartbeatInterval: Heartbeat is at most 999999999.',
    ]);
    for (const heartbeatInterval of [0, 999_999_999]) {
      const saved = await world.call(me, 'POST', url, { heartbeatInterval });
      expect([saved.status, saved.body['heartbeatInterval']]).toEqual([200, heartbeatInterval]);
    }
  });

  it('[DEV-025] [API-105] has the fields of the spec', async () => {
    const location = await world.call(me, 'PUT', '/v1/locations', { name: 'Plant', tenantId: mine.tenantId });
    const id = await device();
    const change = { deviceTypeId: 3, operatingSystemId: 4, deviceLoggingLevelId: 1, tags: 'a,b', locationId: location.body['locationId'] };
    expect((await world.call(me, 'POST', `/v1/devices/${id}`, change)).body).toMatchObject(change);
    const { body } = await world.call(me, 'GET', `/v1/devices(${id})?$expand=location,subscription`);
    expect(body).toMatchObject({
      location: { locationId: location.body['locationId'] },
      subscription: { tenantId: mine.tenantId },
      restartAgentFlag: false,
    });
  });

  it.each([
    ['[DEV-027]', 'deviceTypeId', [0, 1, 2, 3], 4],
    ['[DEV-028]', 'operatingSystemId', [0, 1, 2, 4], 3],
    ['[DEV-029]', 'deviceLoggingLevelId', [0, 1], 2],
  ] as const)('%s has the choices of %s of the spec', async (_id, field, choices, wrong) => {
    const path = `/v1/devices/${await device()}`;
    for (const value of choices) expect((await world.call(me, 'POST', path, { [field]: value })).body[field]).toBe(value);
    expect((await world.call(me, 'POST', path, { [field]: wrong })).status).toBe(400);
  });

  it('[API-106] [ERR-029] is not deleted while operations are assigned to it', async () => {
    const id = await device({ name: 'Pump 7' });
    const { operationId } = await makePackage(world, { tenantId: null });
    const row = await world.call(me, 'PUT', '/v1/deviceOperations', { label: 'x', deviceId: id, operationId, frequencyTypeId: 2 });
    expect(wrongOf(await world.call(me, 'DELETE', `/v1/devices/${id}`))).toEqual([
      'deviceId: Could not delete Pump 7 because it has operations assigned to it.',
    ]);
    await world.call(me, 'DELETE', `/v1/deviceOperations/${String(row.body['deviceOperationId'])}`);
    expect((await world.call(me, 'DELETE', `/v1/devices/${id}`)).status).toBe(204);
  });

  it('[API-102] [API-103] is listed with its location until it is deleted', async () => {
    const id = await device({ name: 'Shown' });
    const list = () => world.call(me, 'GET', "/v1/devices?$expand=location&$filter=isDeleted eq false and name eq 'Shown'&$count=true");
    expect((await list()).body).toMatchObject({ '@odata.count': 1, value: [{ deviceId: id, location: null }] });
    await world.call(me, 'DELETE', `/v1/devices/${id}`);
    expect((await list()).body).toMatchObject({ '@odata.count': 0, value: [] });
  });

  it('[DEV-026] says to automation whose it is, where it stands and whether it is deleted', async () => {
    const { body: location } = await world.call(me, 'PUT', '/v1/locations', { name: 'Plant 9', tenantId: mine.tenantId });
    const locationId = location['locationId'];
    const deviceId = await device({ locationId });
    const fields = 'deviceId,subscriptionId,locationId,isDeleted';
    const { body } = await world.call(me, 'GET', `/v1/devices(${deviceId})?$select=${fields}&$expand=location($select=locationId,name)`);
    expect(Object.fromEntries(Object.entries(body).filter(([name]) => !name.startsWith('@')))).toEqual({
      deviceId,
      subscriptionId: mine.subscriptionId,
      locationId,
      isDeleted: false,
      location: { locationId, name: 'Plant 9' },
    });
  });

  it('takes its operations to another tenant, or stays when they are of the old one', async () => {
    const both = holder([mine.tenantId, theirs.tenantId]);
    const [ofTenant, global] = [await makePackage(world, { tenantId: mine.tenantId }), await makePackage(world, { tenantId: null })];
    const add = async (deviceId: string, operationId: string) =>
      String(
        (await world.call(me, 'PUT', '/v1/deviceOperations', { label: 'x', deviceId, operationId, frequencyTypeId: 2 })).body[
          'deviceOperationId'
        ],
      );
    const [stays, goes] = [await device({ name: 'Stays' }), await device({ name: 'Goes' })];
    await add(stays, ofTenant.operationId);
    const operation = await add(goes, global.operationId);
    expect(wrongOf(await world.call(both, 'POST', `/v1/devices/${stays}`, theirs))).toEqual([
      'tenantId: Stays runs operations that the other tenant does not have.',
    ]);
    expect((await world.call(both, 'POST', `/v1/devices/${goes}`, theirs)).status).toBe(200);
    expect((await world.call(otherTenantCaller, 'GET', `/v1/deviceOperations(${operation})`)).status).toBe(200);
    expect((await world.call(me, 'GET', `/v1/deviceOperations(${operation})`)).status).toBe(404);
  });
});

describe('tracing', () => {
  const trace = (id: string, minutes: unknown, caller = me) =>
    world.call(caller, 'POST', `/v1/devices/${id}/toggleTrace/${String(minutes)}`);

  it('[API-107] [DEV-039] runs for the minutes chosen, ends by 0, and -1 changes nothing', async () => {
    const id = await device();
    for (const minutes of [10, 30, 60, 240, 480, 1440]) {
      const { status, body } = await trace(id, minutes);
      const left = (Date.parse(String(body['traceExpiration'])) - Date.now()) / 60_000;
      expect([status, body['traceMinutes'], Math.round(left)]).toEqual([200, minutes, minutes]);
    }
    expect((await trace(id, -1)).body['traceMinutes']).toBe(1440);
    expect((await trace(id, 0)).body).toMatchObject({ traceMinutes: 0, traceExpiration: null });
  });

  it('is refused for other minutes, without the permission and across tenants', async () => {
    const id = await device();
    expect(wrongOf(await trace(id, 5))).toEqual(['traceMinutes: Trace minutes is one of -1, 0, 10, 30, 60, 240, 480, 1440.']);
    expect(wrongOf(await trace(id, 'x'))).toEqual(['traceMinutes: Trace minutes is a number.']);
    for (const minutes of [10, -1]) {
      expect((await trace(id, minutes, viewer)).status).toBe(403);
      expect((await trace(id, minutes, otherTenantCaller)).status).toBe(404);
    }
  });
});

describe('restart', () => {
  const restart = (id: string, query = '', caller = me) => world.call(caller, 'POST', `/v1/devices/${id}/restartagent${query}`);

  it('[API-108] flags the agent, with the tenant as query', async () => {
    const id = await device();
    const answer = await restart(id, `?tenantId=${mine.tenantId}`);
    expect([answer.status, answer.body['restartAgentFlag']]).toEqual([200, true]);
  });

  it('is refused without the permission, across tenants, for another tenant than its own and a bad id', async () => {
    const id = await device();
    expect((await restart(id, '', viewer)).status).toBe(403);
    expect((await restart(id, '', otherTenantCaller)).status).toBe(404);
    expect((await restart(id, `?tenantId=${theirs.tenantId}`, holder([mine.tenantId, theirs.tenantId]))).status).toBe(404);
    expect((await restart('x')).status).toBe(400);
    expect((await restart(id, '?tenantId=x')).status).toBe(400);
    expect((await world.call(me, 'GET', `/v1/devices(${id})`)).body['restartAgentFlag']).toBe(false);
  });
});

describe('logs', () => {
  it('[API-104] tell what was done to a device, with query options', async () => {
    const id = await device();
    await world.call(me, 'POST', `/v1/devices/${id}/toggleTrace/10`);
    await world.call(me, 'POST', `/v1/devices/${id}/restartagent`);
    const logs = await world.call(me, 'GET', `/v1/devices/${id}/logs?$count=true&$orderby=logEntryId desc&$top=1`);
    expect(logs.body).toMatchObject({
      '@odata.count': 2,
      value: [{ entryType: 'Information', detail: 'A restart of the agent was requested.' }],
    });
    expect((await world.call(otherTenantCaller, 'GET', `/v1/devices/${id}/logs`)).status).toBe(404);
    expect((await world.call(holder([mine.tenantId], ['CloudFit.CFS.Packages:view']), 'GET', `/v1/devices/${id}/logs`)).status).toBe(403);
    expect((await world.call(me, 'GET', '/v1/devices/x/logs')).status).toBe(400);
  });
});
