/** Installed versions over time: what is counted, what stays, and who reads it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePackage, type CreatedPackage } from '../../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { countVersionsWork } from './count-versions.ts';

let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let theirs: { tenantId: string; subscriptionId: string };
let created: CreatedPackage;

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant(), await world.tenant()];
  created = await makePackage(world, {
    tenantId: null,
    name: 'Checks',
    versions: [
      { version: '1.9.0', precedence: '1.09', status: 2 },
      { version: '1.10.0', precedence: '1.10', status: 1 },
    ],
  });
});
afterAll(() => world.close());

async function install(of: { tenantId: string; subscriptionId: string }, version: string): Promise<string> {
  const { body } = await world.call(holder([of.tenantId]), 'PUT', '/v1/devices', { name: 'Pump', ...of, operatingSystemId: 4 });
  const deviceId = String(body['deviceId']);
  await report(deviceId, version);
  return deviceId;
}
const report = (deviceId: string, version: string) =>
  world.system.db.query({
    text: `insert into device_installation (tenant_id, device_id, package_id, installed_version_id, install_status)
      select tenant_id, device_id, $2, $3, 'Installed' from device where device_id = $1
      on conflict (device_id, package_id) do update set installed_version_id = $3`,
    values: [deviceId, created.packageId, created.versions[version]],
  });
const count = () => countVersionsWork.run(world.system.db);
/** Turns the counts of today into those of an earlier day. */
const age = (days: number) =>
  world.system.db.query({
    text: `update version_day set day = day - $1::int where day = (now() at time zone 'UTC')::date`,
    values: [days],
  });
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const read = async (caller: TestCaller | null, query = '', days = 30) =>
  world.call(caller, 'GET', `/v1/complianceReport/GetVersionsOverTime(days=${days})${query}`);

it('counts devices of each version day by day, and never rewrites a day that is over', async () => {
  const [first, second] = [await install(mine, '1.9.0'), await install(mine, '1.9.0')];
  await install(theirs, '1.9.0');
  await count();
  await age(3);
  await report(first, '1.10.0');
  await count();
  await count();
  await age(1);
  await report(second, '1.10.0');
  await count();
  const me = holder([mine.tenantId]);
  const { body } = await read(me);
  // A test that runs over midnight counts on two days, so the days are compared only with each other.
  expect(body).toMatchObject({
    packages: [{ packageId: created.packageId, packageName: 'Checks' }],
    packageId: created.packageId,
    versions: ['1.10.0', '1.9.0'],
    days: [{ devices: [0, 2] }, { devices: [1, 1] }, { devices: [2, 0] }],
  });
  expect((await read(me, '', 2)).body['days']).toHaveLength(2);
  expect((await read(holder('all'))).body['days']).toMatchObject([{ devices: [0, 3] }, { devices: [1, 2] }, { devices: [2, 1] }]);
  expect((await read(holder('all'), `?tenantId=${theirs.tenantId}`)).body['versions']).toEqual(['1.9.0']);
  expect([dayBefore(0), dayBefore(1)]).toContain((body['days'] as { day: string }[]).at(-1)?.day);

  // The counts of past days stay when the devices are deleted.
  await world.call(me, 'DELETE', `/v1/devices(${first})`);
  await world.call(me, 'DELETE', `/v1/devices(${second})`);
  await count();
  expect((await read(me)).body['days']).toMatchObject([{ devices: [0, 2] }, { devices: [1, 1] }]);
});

it('shows a caller what belongs to their tenants, and names wrong input', async () => {
  expect((await read(null)).status).toBe(401);
  expect((await read(holder([mine.tenantId], ['CloudFit.CFS.Packages:view']))).status).toBe(403);
  const { tenantId } = await world.tenant();
  const nothing = { packages: [], packageId: null, versions: [], days: [] };
  expect((await read(holder([tenantId]))).body).toEqual(nothing);
  expect((await read(holder([tenantId]), `?tenantId=${mine.tenantId}`)).body).toEqual(nothing);
  expect((await read(holder([tenantId]), `?packageId=${created.packageId}`)).body['days']).toEqual([]);
  expect((await read(holder([tenantId]), '', 401)).body).toMatchObject({ error: { details: [{ target: 'days' }] } });
});
