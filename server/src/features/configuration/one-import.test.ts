/** Two imports of the same configuration at the same time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConfigurationDocument } from '@cloudfit/contract/configuration.ts';
import { importDocument } from './import.ts';
import { timeLimit } from './time-limit.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
const all = holder('all');
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const names = async (tenantId: string): Promise<string[]> => {
  const rows = await world.system.db.query<{ name: string }>({
    text: 'select name from location where tenant_id = $1',
    values: [tenantId],
  });
  return rows.map(({ name }) => name);
};

const halls = (tenantId: string, city: string | null = null): ConfigurationDocument => ({
  cloudfit: 'configuration',
  version: 1,
  rows: { locations: [{ name: 'Hall', tenantId, city }] },
});

it.each([{}, { partly: true }])('adds each row once, and refuses the second import by saying why: %o', async (options) => {
  const [here, there] = [await world.tenant(), await world.tenant()];
  const document = {
    cloudfit: 'configuration',
    version: 1,
    rows: { locations: Array.from({ length: 120 }, (_, n) => ({ name: `Hall ${n}`, tenantId: here.tenantId })) },
    ...options,
  };
  const importInto = (tenantId: string) => world.call(all, 'POST', `/v1/configuration?tenantId=${tenantId}`, document);
  const [first, second, other] = await Promise.all([importInto(here.tenantId), importInto(here.tenantId), importInto(there.tenantId)]);
  expect([first.status, second.status].toSorted()).toEqual([200, 409]);
  const refused = first.status === 409 ? first : second;
  expect(refused.body['error']).toMatchObject({
    message: 'Another import of a configuration is under way here. Try again when it has ended.',
  });
  expect(await names(here.tenantId)).toHaveLength(120);
  // Another tenant is not concerned.
  expect(other.status).toBe(200);
  expect(await names(there.tenantId)).toHaveLength(120);
  expect((await importInto(here.tenantId)).body).toMatchObject({ added: 0, unchanged: 120 });
  // An import of everything waits for none either.
  const [whole, part] = await Promise.all([world.call(all, 'POST', '/v1/configuration', document), importInto(there.tenantId)]);
  expect([whole.status, part.status].filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(await names(there.tenantId)).toHaveLength(120);
});

it('plans for somebody with fewer rights what they may change, and says of each other row why not, without what is there', async () => {
  const [here, there] = [await world.tenant('Northwind'), await world.tenant('Zanzibar')];
  const hall = { name: 'Hall', city: 'Secret city' };
  for (const tenantId of [null, there.tenantId])
    expect((await world.call(all, 'PUT', '/v1/locations', { ...hall, tenantId })).status).toBe(201);
  const rows = [here.tenantId, null, there.tenantId].map((tenantId) => ({ name: 'Hall', city: 'Oslo', tenantId }));
  const document = { cloudfit: 'configuration', version: 1, rows: { locations: rows }, dryRun: true, partly: true };
  const { status, body, text } = await world.call(holder([here.tenantId]), 'POST', '/v1/configuration', document);
  expect([status, body]).toMatchObject([200, { added: 1, changed: 0, changes: [{ verb: 'add', name: 'Hall' }] }]);
  expect(body['left']).toMatchObject([
    { at: 'locations[1]', reason: expect.stringContaining('CloudFit.CFS.Locations:edit') },
    { at: 'locations[2]', reason: 'Tenant was not found.' },
  ]);
  expect(text).not.toContain('Zanzibar');
  expect(JSON.stringify(body['left'])).not.toContain('Secret city');
});

it('of a command changes nothing of a customer that is being offboarded, and may contain it as it is', async () => {
  const { tenantId } = await world.tenant('Leaving');
  await importDocument(world.system, halls(tenantId), { dryRun: false, parts: [] });
  await world.system.db.query({
    text: "insert into offboarding (customer_id, customer_name, delete_on, reason, requested_by) values ($1, 'Leaving', now() + interval '1 day', 'Over', 'Ada')",
    values: [tenantId],
  });
  expect(await importDocument(world.system, halls(tenantId), { dryRun: false, parts: [] })).toMatchObject({ unchanged: 1 });
  const refusal = 'Leaving is being offboarded. Stop its offboarding to change anything of it.';
  for (const partly of [false, true])
    expect(await importDocument(world.system, halls(tenantId, 'Oslo'), { dryRun: false, partly, parts: [] })).toMatchObject({
      changed: 0,
      left: [{ name: 'Hall', reason: refusal }],
    });
  // Its row says otherwise that it is enabled; what names it is as it was.
  await world.system.db.query({ text: 'update tenant set enabled = false where tenant_id = $1', values: [tenantId] });
  const whole = halls(tenantId);
  const tenants = [{ tenantId, name: 'Leaving', enabled: true }];
  expect(await importDocument(world.system, { ...whole, rows: { tenants, ...whole.rows } }, { dryRun: false, parts: [] })).toMatchObject({
    unchanged: 1,
    left: [{ resource: 'tenants', reason: refusal }],
  });
  // All or nothing of the rest: what has another fault still refuses everything.
  const { tenantId: staying } = await world.tenant('Staying');
  const [of, other] = [halls(tenantId, 'Oslo').rows['locations'] ?? [], halls(staying, 'Rome').rows['locations'] ?? []];
  const both = (...rows: typeof of) =>
    importDocument(world.system, { ...halls(staying), rows: { locations: rows } }, { dryRun: false, parts: [] });
  await expect(both(...of, ...other, { tenantId: staying })).rejects.toThrow('locations[');
  expect(await both(...of, ...other)).toMatchObject({ added: 1, left: [{ reason: refusal }] });
});

it('lasts longer than a minute as one transaction only while nobody waits for its rows', async () => {
  const { tenantId } = await world.tenant();
  const created = await world.call(all, 'PUT', '/v1/locations', { name: 'Hall', tenantId });
  const row = { text: 'update location set city = $2 where location_id = $1', values: [created.body['locationId'], 'Oslo'] };
  const requireTime = timeLimit(false, true, { soft: 0, max: 600 });
  await world.system.db.transaction(async (db) => {
    await db.query(row);
    await requireTime(db, 'locations[1]');
    const other = world.system.db.query(row);
    const looks = timeLimit(false, true, { soft: 0, max: 600 });
    // Until the other one has come to its lock.
    const waits = () => db.query<{ n: number | null }>({ text: 'select count(*)::int as n from pg_locks where not granted' });
    await expect.poll(async () => (await waits())[0]?.n).toBeGreaterThan(0);
    await expect(looks(db, 'locations[2]')).rejects.toThrow('others wait for rows that it has changed. Nothing was imported');
    void other.catch(() => undefined);
  });
  await expect(timeLimit(false, false, { soft: 0, max: 600 })(world.system.db, 'x')).rejects.toThrow('Nothing was imported');
  await expect(timeLimit(true, false, { soft: 0, max: 0 })(world.system.db, 'x')).rejects.toThrow('The rows before it were imported');
  await timeLimit(true, false, { soft: 0, max: 600 })(world.system.db, 'x');
});
