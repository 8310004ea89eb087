/** Saved views: who sees and changes which, with which one a list opens, and how many rows they stand for. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
});
afterAll(() => world.close());

const operator = [permission('WorkUnits', 'view'), permission('WorkUnits', 'create'), permission('Visualizations', 'create')];

/** A person with an account, permissions in tenants, and the groups of the identity provider. */
async function person({ tenants = [tenantId], permissions = operator as readonly string[], claims = [] as string[] } = {}) {
  const userName = `${crypto.randomUUID()}@example.com`;
  const [row] = await world.system.db.query<{ id: string }>({
    text: 'insert into person (name, user_name, claims) values ($1, $1, $2) returning person_id as id',
    values: [userName, claims],
  });
  for (const tenant of tenants)
    await world.system.db.query({
      text: `with s as (insert into permission_set (tenant_id, name, permissions) values ($1, uuidv7()::text, $2::jsonb) returning permission_set_id)
        insert into access_grant (person_id, tenant_id, permission_set_id) select $3, $1, permission_set_id from s`,
      values: [tenant, JSON.stringify(permissions), row?.id],
    });
  return { ...holder(tenants, permissions), actor: { kind: 'person', id: row?.id ?? '', name: userName, userName } as const };
}

const chosen = {
  screen: 'workunitsv2',
  address: 'f.stateId=New',
  filter: "stateId eq 'New'",
  hidden: null,
  sharing: 'Me',
  team: null,
  inMenu: true,
};
const save = (by: TestCaller | null, more: object = {}) =>
  world.call(by, 'POST', '/v1/savedViews', { ...chosen, name: `View ${crypto.randomUUID()}`, tenantId, ...more });
async function saved(by: TestCaller, more: object = {}): Promise<string> {
  const { status, body } = await save(by, more);
  expect(status).toBe(200);
  return String(body['savedViewId']);
}
const change = (by: TestCaller | null, id: string, body: object) => world.call(by, 'POST', `/v1/savedViews/${id}`, body);
const remove = (by: TestCaller | null, id: string) => world.call(by, 'DELETE', `/v1/savedViews/${id}`);
const viewsOf = async (by: TestCaller) => {
  const { body } = await world.call(by, 'GET', `/v1/savedViews?tenantId=${tenantId}`);
  return body['views'] as Record<string, unknown>[];
};
const ids = async (by: TestCaller) => (await viewsOf(by)).map((view) => view['savedViewId']);
const view = async (by: TestCaller, id: string) => (await viewsOf(by)).find((row) => row['savedViewId'] === id);

it('shows a view to its owner, to the members of its team, or to the people of its tenant', async () => {
  const [mara, tom, lee] = [await person({ claims: ['Night desk'] }), await person({ claims: ['Night desk'] }), await person()];
  const outsider = await person({ tenants: [otherId], claims: ['Night desk'] });
  const mine = await saved(mara);
  const ofTeam = await saved(mara, { sharing: 'Team', team: 'Night desk' });
  const ofTenant = await saved(mara, { sharing: 'Tenant' });
  expect(new Set(await ids(mara))).toEqual(new Set([mine, ofTeam, ofTenant]));
  expect(new Set(await ids(tom))).toEqual(new Set([ofTeam, ofTenant]));
  expect(await ids(lee)).toEqual([ofTenant]);
  expect(await ids(outsider)).toEqual([]);
  expect((await viewsOf(tom)).map((row) => row['mayChange'])).toEqual([false, false]);
  expect((await world.call(tom, 'GET', '/v1/savedViews')).body['teams']).toEqual(['Night desk']);
  expect((await world.call(null, 'GET', '/v1/savedViews')).status).toBe(401);
});

it('shows a view of a list only to those who may view the list', async () => {
  const mara = await person({ permissions: [...operator, permission('Rules', 'view')] });
  const id = await saved(mara, { screen: 'rules', sharing: 'Tenant' });
  expect(await ids(await person())).not.toContain(id);
  expect(await ids(await person({ permissions: [permission('Rules', 'view')] }))).toContain(id);
});

it('lets people share with teams of their own, and with a tenant where they may create dashboards', async () => {
  const reader = await person({ permissions: [permission('WorkUnits', 'view')], claims: ['Day desk'] });
  expect((await save(reader, { sharing: 'Tenant' })).status).toBe(403);
  expect((await save(reader, { sharing: 'Team', team: 'Night desk' })).body['error']).toMatchObject({ target: 'team' });
  expect((await save(reader, { sharing: 'Team' })).status).toBe(400);
  expect((await save(reader, { sharing: 'Team', team: 'Day desk' })).status).toBe(200);
  expect((await save(reader, { tenantId: otherId })).status).toBe(404);
  expect((await save(reader, { name: ' ' })).body).toMatchObject({ error: { details: [{ target: 'name' }] } });
  expect((await save(reader, { screen: 'nowhere' })).body).toMatchObject({ error: { details: [{ target: 'screen' }] } });
  expect((await save(null)).status).toBe(401);
});

it('lets the owner and administrators of its tenant change a shared view, and audits that', async () => {
  const [mara, tom] = [await person(), await person()];
  const administrator = await person({ permissions: [...operator, permission('Settings', 'edit')] });
  const id = await saved(mara, { sharing: 'Tenant' });
  expect((await change(tom, id, { name: 'Mine now' })).status).toBe(403);
  expect((await remove(tom, id)).status).toBe(403);
  expect((await change(administrator, id, { name: 'All new' })).status).toBe(200);
  expect((await change(administrator, id, { sharing: 'Me' })).status).toBe(403);
  expect((await change(mara, id, { sharing: 'Me', hidden: ['created'] })).status).toBe(200);
  expect((await change(administrator, id, { name: 'Not seen' })).status).toBe(404);
  expect(await view(mara, id)).toMatchObject({ name: 'All new', sharing: 'Me', hidden: ['created'], address: chosen.address });
  expect((await remove(mara, id)).status).toBe(204);
  const entries = await world.system.db.query<{ verb: string; tenant_id: string | null }>({
    text: "select verb, tenant_id from audit where entity = 'savedViews' and entity_id = $1 order by at",
    values: [id],
  });
  expect(entries.map(({ verb }) => verb)).toEqual(['create', 'update', 'update', 'delete']);
  expect(entries.every((entry) => entry.tenant_id === tenantId)).toBe(true);
});

it('gives no two views of a list and an owner one name', async () => {
  const mara = await person();
  await saved(mara, { name: 'Burning' });
  const second = await saved(mara, { name: 'Quiet' });
  expect((await save(mara, { name: 'BURNING' })).status).toBe(409);
  expect((await change(mara, second, { name: 'burning' })).status).toBe(409);
  expect((await save(mara, { name: 'Burning', screen: 'devices' })).status).toBe(200);
});

it('stores for each person and list with which view it opens', async () => {
  const [mara, tom] = [await person(), await person()];
  const id = await saved(mara, { sharing: 'Tenant' });
  const choose = (by: TestCaller | null, savedViewId: string | null, screen = 'workunitsv2') =>
    world.call(by, 'POST', `/v1/savedViews/default/${screen}`, { savedViewId });
  expect((await choose(tom, id)).status).toBe(204);
  expect(await view(tom, id)).toMatchObject({ isDefault: true });
  expect(await view(mara, id)).toMatchObject({ isDefault: false });
  expect((await choose(tom, id, 'devices')).status).toBe(404);
  await change(mara, id, { sharing: 'Me' });
  expect((await choose(tom, id)).status).toBe(404);
  expect((await choose(mara, id)).status).toBe(204);
  expect((await choose(mara, null)).status).toBe(204);
  expect(await view(mara, id)).toMatchObject({ isDefault: false });
  expect((await choose(null, null)).status).toBe(401);
});

it('counts the rows of several lists with the rights of the caller', async () => {
  const [mara, outsider] = [await person(), await person({ tenants: [otherId] })];
  for (const title of ['One', 'Two'])
    await world.call(mara, 'PUT', '/v1/workunits', { title, severityId: 'Sev2', workUnitTypeId: 1, tenantId });
  const lists = [
    { screen: 'workunitsv2', filter: "stateId eq 'New'" },
    { screen: 'workunitsv2', filter: "title eq 'One'" },
    { screen: 'workunitsv2', filter: 'no filter' },
    { screen: 'rules', filter: null },
  ];
  const counts = async (by: TestCaller | null) => (await world.call(by, 'POST', '/v1/countRows', { lists })).body['counts'];
  expect(await counts(mara)).toEqual([2, 1, null, null]);
  expect(await counts(outsider)).toEqual([0, 0, null, null]);
  expect((await world.call(null, 'POST', '/v1/countRows', { lists })).status).toBe(401);
  expect((await world.call(mara, 'POST', '/v1/countRows', { lists: [] })).body).toMatchObject({
    error: { details: [{ target: 'lists' }] },
  });
});

it('takes the choice of people with access to many tenants or to none, and records it once', async () => {
  const many = await Promise.all(Array.from({ length: 21 }, async (_, n) => (await world.tenant(`Customer ${n}`)).tenantId));
  for (const by of [await person({ tenants: many }), await person({ tenants: [] })]) {
    const { status } = await world.call(by, 'POST', '/v1/savedViews/default/workunitsv2', { savedViewId: null });
    expect(status).toBe(204);
    const entries = await world.system.db.query({
      text: `select tenant_id from audit where entity = 'savedViews' and entity_id = $1`,
      values: [by.actor.id],
    });
    expect(entries).toEqual([{ tenant_id: null }]);
  }
});
