/** HEAD answers like GET without a body, and changes nothing, even where the GET does. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let secrets = 0;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
afterAll(() => world.close());

/** Returns the number of rows that calls leave behind: changes, audit entries and jobs. */
async function traces(): Promise<unknown> {
  return world.system.db.query({
    text: 'select (select count(*)::int from change) as changes, (select count(*)::int from audit) as audits, (select count(*)::int from job) as jobs',
  });
}

async function calls(): Promise<string[]> {
  await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
  const report = await world.call(me, 'PUT', '/v1/workUnitCommunications', {
    title: 'Mail is down',
    tenantId,
    details: 'It is the pump.',
    nextUpdate: '2030-01-01T00:00:00Z',
  });
  expect(report.body['error']).toBeUndefined();
  const secret = await world.call(me, 'PUT', `/v1/tenants/${tenantId}/secrets`, { name: `api${++secrets}`, value: 'violet tractor' });
  return [
    `/v1/workunitcommunications/${String(report.body['workUnitCommunicationId'])}/sendInternalNotification`,
    `/v1/tenants/${tenantId}/secrets/${String(secret.body['id'])}/versions/latest`,
  ];
}

it('of an export reads and records nothing, and checks what the export checks', async () => {
  const before = await traces();
  const head = (query: string, headers = {}) => world.call(me, 'HEAD', `/v1/workUnits/Export()${query}`, undefined, headers);
  const csv = await head('?$top=5');
  expect([csv.status, csv.headers['content-type'], csv.text]).toEqual([200, 'text/csv; charset=utf-8; header=present', '']);
  expect((await head('', { accept: 'application/json' })).headers['content-type']).toMatch(/^application\/json/);
  expect((await head('?$filter=nothing eq 1')).status).toBe(400);
  expect(await traces()).toEqual(before);
  expect((await world.call(holder([tenantId], []), 'HEAD', '/v1/workUnits/Export()')).status).toBe(403);
});

it('is refused where the GET acts, and leaves nothing behind', async () => {
  for (const path of await calls()) {
    const before = await traces();
    const head = await world.call(me, 'HEAD', path);
    expect([path, head.status, head.text]).toEqual([path, 405, '']);
    expect(await traces()).toEqual(before);
    expect([path, (await world.call(me, 'GET', path)).status]).toEqual([path, 200]);
    expect(await traces()).not.toEqual(before);
  }
});

it('refuses a GET that acts to pages of other sites, and leaves nothing behind', async () => {
  for (const path of [...(await calls()), '/v1/workunits/Export()'])
    for (const site of ['cross-site', 'same-site']) {
      const before = await traces();
      const answer = await world.call(me, 'GET', path, undefined, { 'sec-fetch-site': site });
      expect([path, answer.status, answer.text]).toEqual([path, 405, expect.stringContaining('a page of another site cannot make it')]);
      expect(await traces()).toEqual(before);
    }
  for (const site of ['same-origin', 'none', 'cross-site'])
    expect((await world.call(me, 'GET', '/v1/locations', undefined, { 'sec-fetch-site': site })).status).toBe(200);
});

it('answers plain reads', async () => {
  const location = await world.call(me, 'PUT', '/v1/locations', { name: 'Hall', tenantId });
  for (const path of [
    '/v1/locations',
    `/v1/locations(${String(location.body['locationId'])})`,
    '/v1/locations/$count',
    '/v1/permissions',
    '/api/generallookup/tenants',
    '/v1/$metadata',
  ]) {
    const head = await world.call(me, 'HEAD', path);
    expect([path, head.status, head.text]).toEqual([path, 200, '']);
  }
});
