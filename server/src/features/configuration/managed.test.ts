/** Rows that were applied from a folder: marked for people, and protected where that was chosen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { liftProtection, noteManaged, type AppliedKey } from './managed.ts';

let world: TestWorld;
let tenantId: string;
let key: AppliedKey;
const all = holder('all');

const managed = async (caller = all) =>
  (await world.call(caller, 'GET', `/v1/configuration/managed?resource=locations&key=${key.key}`)).body['managed'];
const mark = (isProtected: boolean, rows: readonly AppliedKey[] = [key], source = 'plant') =>
  noteManaged(world.system, { source, note: 'commit 4f1c2ab', isProtected }, rows);
const rename = (name: string) => world.call(all, 'POST', `/v1/locations/${key.key}`, { name });

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  const created = await world.call(all, 'PUT', '/v1/locations', { name: 'Mill', tenantId });
  key = { resource: 'locations', key: String(created.body['locationId']), tenantId };
});
afterAll(() => world.close());

it('are said to people of the tenant, and to nobody else', async () => {
  expect(await managed()).toBeNull();
  await mark(false);
  expect(await managed()).toEqual({ source: 'plant', note: 'commit 4f1c2ab', isProtected: false, applied: expect.any(String) });
  expect(await managed(holder([tenantId], []))).toMatchObject({ source: 'plant' });
  const { tenantId: other } = await world.tenant();
  expect(await managed(holder([other]))).toBeNull();
  const resourcesFor = async (caller: typeof all) =>
    (await world.call(caller, 'GET', '/v1/configuration/managedResources')).body['resources'];
  expect(await resourcesFor(holder([tenantId], []))).toEqual(['locations']);
  expect(await resourcesFor(holder([other]))).toEqual([]);
  expect((await rename('Mill 2')).status).toBe(200);
});

it('are changed and deleted by nobody while they are protected, until the folder is applied again', async () => {
  await mark(true);
  const refused = await rename('Mill 3');
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    409,
    expect.stringContaining('This location is managed in Git, in the folder plant, and protected.'),
  ]);
  expect((await world.call(all, 'DELETE', `/v1/locations/${key.key}`)).status).toBe(409);
  const many = await world.call(all, 'PATCH', '/v1/locations', { ids: [key.key], newState: { city: 'Bergen' } });
  expect(many.status).toBe(409);
  // Another folder does not lift it.
  await liftProtection(world.system, 'another');
  expect((await rename('Mill 3')).status).toBe(409);
  await liftProtection(world.system, 'plant');
  expect((await rename('Mill 3')).status).toBe(200);
});

it('are those of the last time, and of the folder that was applied last', async () => {
  await mark(true);
  await mark(true, [], 'another');
  expect(await managed()).toMatchObject({ source: 'plant' });
  await mark(false, [key], 'another');
  expect(await managed()).toMatchObject({ source: 'another', isProtected: false });
  await mark(false, [], 'another');
  expect(await managed()).toBeNull();
});
