/** An administrator sees what another person sees: never more than either of them may see, without any effect, and audited. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';
import { allPermissions, permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let harbour: { tenantId: string; subscriptionId: string };
let quarry: { tenantId: string; subscriptionId: string };
let administrator: TestCaller;

async function person(name: string, permissions: readonly string[], tenantId: string | null): Promise<string> {
  const [row] = await world.system.db.query<{ person_id: string }>({
    text: `with p as (insert into person (name, user_name) values ($1, $1 || gen_random_uuid() || '@example.com') returning person_id),
      s as (insert into permission_set (name, permissions) values (gen_random_uuid()::text, $2) returning permission_set_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $3 from p, s)
      select person_id from p`,
    values: [name, JSON.stringify(permissions), tenantId],
  });
  return row?.person_id ?? '';
}
const as = (id: string, caller: TestCaller): TestCaller => ({
  ...caller,
  actor: { kind: 'person', id, name: 'Ann', userName: 'ann@example.com' },
});
const views = (...areas: Parameters<typeof permission>[0][]) => areas.map((area) => permission(area, 'view'));

beforeAll(async () => {
  world = await createWorld();
  [harbour, quarry] = [await world.tenant('Harbour'), await world.tenant('Quarry')];
  administrator = as(await person('Ann', allPermissions, null), holder('all'));
  for (const { tenantId } of [harbour, quarry]) await world.call(administrator, 'PUT', '/v1/locations', { name: 'Depot', tenantId });
});
afterAll(() => world.close());

const begin = (caller: TestCaller, id: string) => world.call(caller, 'POST', `/v1/people/${id}/seeAs`, {});
async function impersonation(caller: TestCaller, id: string): Promise<Record<string, string>> {
  const answer = await begin(caller, id);
  expect(answer.status).toBe(200);
  return { [seeAsHeader]: String(answer.body['seeAsId']) };
}
const message = (answer: { body: Record<string, unknown> }) => (answer.body['error'] as { message: string }).message;

it('answers as to the person: their tenants, their permissions, their name', async () => {
  const tom = await person('Tom', views('Locations', 'Home'), harbour.tenantId);
  const header = await impersonation(administrator, tom);
  const get = (path: string) => world.call(administrator, 'GET', path, undefined, header);
  expect((await get('/v1/locations')).body.value?.map((row) => row['tenantId'])).toEqual([harbour.tenantId]);
  expect((await get('/v1/currentUser')).body).toMatchObject({
    name: 'Tom',
    userName: expect.stringMatching(/^Tom.*@example.com$/) as string,
  });
  expect((await get('/v1/permissions')).body).toEqual(views('Home', 'Locations'));
  const denied = await get('/v1/rules');
  expect([denied.status, message(denied)]).toEqual([403, 'You do not have the permission CloudFit.CFS.Rules:view.']);
  // Without the header, the administrator still sees everything.
  expect((await world.call(administrator, 'GET', '/v1/locations')).body.value?.length).toBeGreaterThan(1);
});

it('changes nothing: other methods are refused with the name, and reads that would be recorded as well', async () => {
  const mia = await person('Mia', allPermissions, harbour.tenantId);
  const header = await impersonation(administrator, mia);
  const secret = await world.call(administrator, 'PUT', `/v1/tenants/${harbour.tenantId}/secrets`, {
    name: `Key${crypto.randomUUID()}`,
    value: 's3cret',
  });
  expect(secret.status).toBeLessThan(300);
  const refusal = 'You see this as Mia: nothing can be changed.';
  for (const [method, path, body] of [
    ['PUT', '/v1/locations', { name: 'New', tenantId: harbour.tenantId }],
    ['POST', '/v1/locations/none', { name: 'New' }],
    ['DELETE', '/v1/locations/none', undefined],
    ['PATCH', '/v1/locations/none', []],
    ['POST', `/v1/people/${mia}/seeAs`, {}],
    ['POST', '/v1/workunits/1/presence', { page: crypto.randomUUID(), state: 'looking' }],
    ['POST', '/v1/workunits/1/openedLink', { messageId: crypto.randomUUID() }],
    ['POST', '/v1/$batch', { requests: [{ id: '1', method: 'GET', url: '/v1/locations' }] }],
  ] as const) {
    const answer = await world.call(administrator, method, path, body, header);
    expect([method, answer.status, message(answer)]).toEqual([method, 403, refusal]);
  }
  const names = await world.call(administrator, 'POST', '/v1/people/names', { userNames: ['mia@example.com'] }, header);
  expect(names.status).toBe(200);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const series = { from, series: [{ metric: 'Cpu', filter: 'enabled eq true', of: 'deviceOperations' }] };
  const device = await world.call(administrator, 'PUT', '/v1/devices', { name: 'Crane', ...harbour, operatingSystemId: 4 });
  const protocol = await world.call(administrator, 'PUT', '/v1/protocols', { name: 'Call', tenantId: harbour.tenantId });
  const plan = { tenantId: harbour.tenantId, from, until: new Date().toISOString(), deviceIds: [crypto.randomUUID()] };
  for (const [path, body] of [
    ['/v1/series', series],
    ['/v1/maintenance/now', { entityIds: [crypto.randomUUID()] }],
    ['/v1/maintenance/held', { ids: [crypto.randomUUID()] }],
    ['/v1/maintenance/collisions', plan],
    ['/v1/campaigns/choices', { tenantId: harbour.tenantId, deviceIds: [device.body['deviceId']] }],
    ['/v1/rules/previewWorkUnit', { conditions: [], tenantId: harbour.tenantId }],
    [`/v1/impact/tenants/${harbour.tenantId}`, { fields: [] }],
    [`/v1/protocols/${String(protocol.body['protocolId'])}/simulate`, { start: from, severityId: 'Sev1' }],
  ] as const)
    expect([path, (await world.call(administrator, 'POST', path, body, header)).status]).toEqual([path, 200]);
  // A file of values is recorded as an export, which an impersonation may not do.
  expect((await world.call(administrator, 'POST', '/v1/series', { ...series, format: 'csv' }, header)).status).toBe(405);
  const read = (headers?: Record<string, string>) =>
    world.call(administrator, 'GET', `/v1/tenants/${harbour.tenantId}/secrets/${String(secret.body['id'])}/versions/1`, undefined, headers);
  expect((await read()).text).toContain('s3cret');
  const value = await read(header);
  expect(value.status).toBeGreaterThanOrEqual(400);
  expect(value.text).not.toContain('s3cret');
});

it('gives what both hold alone', async () => {
  const eve = as(await person('Eve', [...views('People', 'Locations'), permission('People', 'edit')], null), {
    ...holder('all', [...views('People', 'Locations'), permission('People', 'edit')]),
  });
  const boss = await person('Boss', [...allPermissions, viewMine], null);
  const header = await impersonation(eve, boss);
  const granted = (await world.call(eve, 'GET', '/v1/permissions', undefined, header)).body as unknown as string[];
  expect(granted.toSorted()).toEqual([...views('Locations', 'People'), permission('People', 'edit')].toSorted());
  expect((await world.call(eve, 'GET', '/v1/workUnits', undefined, header)).status).toBe(403);
});

it('is for people who may edit People in all tenants, for themselves, for half an hour, and audited in their own name', async () => {
  const tim = await person('Tim', views('Locations'), harbour.tenantId);
  expect((await begin(as(tim, holder([harbour.tenantId])), tim)).status).toBe(403);
  expect((await begin(administrator, crypto.randomUUID())).status).toBe(404);
  const begun = (await begin(administrator, tim)).body;
  const header = { [seeAsHeader]: String(begun['seeAsId']) };
  const minutes = (Date.parse(String(begun['expires'])) - Date.now()) / 60_000;
  expect([begun['name'], begun['personId'], minutes > 25 && minutes <= 30]).toEqual(['Tim', tim, true]);
  // Another impersonation that has not ended does not make these headers valid.
  await impersonation(administrator, tim);
  const other = as(await person('Oda', allPermissions, null), holder('all'));
  for (const [caller, headers] of [
    [other, header],
    [administrator, { [seeAsHeader]: crypto.randomUUID() }],
    [administrator, { [seeAsHeader]: 'nonsense' }],
  ] as const)
    expect((await world.call(caller, 'GET', '/v1/locations', undefined, headers)).status).toBe(403);
  const [entry] = await world.system.db.query({
    text: `select actor_name, entity, after ->> 'userName' as seen from audit where verb = 'see-as' and entity_id = $1`,
    values: [tim],
  });
  expect(entry).toEqual({ actor_name: 'ann@example.com', entity: 'people', seen: expect.stringMatching(/^Tim.*@example.com$/) as string });
  const old = crypto.randomUUID();
  await world.system.db.query({
    text: `insert into see_as (see_as_id, seer_id, person_id, expires) select $1, seer_id, person_id, now() - interval '1 s' from see_as where person_id = $2 limit 1`,
    values: [old, tim],
  });
  const ended = await world.call(administrator, 'GET', '/v1/locations', undefined, { [seeAsHeader]: old });
  expect([ended.status, message(ended)]).toEqual([403, "This view as another person has ended. Start it again from the person's page."]);
  await world.system.db.query({ text: 'update person set enabled = false where person_id = $1', values: [tim] });
  expect(message(await begin(administrator, tim))).toBe('Tim is disabled and sees nothing.');
});
