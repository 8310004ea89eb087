/** Maintenance that people start: what it accepts, who may start it, which actions it holds back, and its end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silent } from '../../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { filteredDevicesWork } from './filtered-devices.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let deviceId: string;

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant('Northwind'), await world.tenant('Southwind')];
  me = holder([home.tenantId]);
  deviceId = await device();
});
afterAll(() => world.close());

async function device(more: object = {}, by = me, of = home): Promise<string> {
  const { body } = await world.call(by, 'PUT', '/v1/devices', { name: `web-${crypto.randomUUID().slice(0, 8)}`, ...of, ...more });
  return String(body['deviceId']);
}
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const start = (more: object = {}, by: TestCaller | null = me) =>
  world.call(by, 'PUT', '/v1/maintenanceWindows', {
    reason: 'New disk',
    tenantId: home.tenantId,
    deviceIds: [deviceId],
    endsAt: inMinutes(60),
    ...more,
  });
const targets = (body: Record<string, unknown>) =>
  ((body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((detail) => detail.target);
const now = (ids: readonly string[], by = me) => world.call(by, 'POST', '/v1/maintenance/now', { entityIds: ids });
const end = (id: unknown, by: TestCaller | null = me) => world.call(by, 'POST', `/v1/maintenance/end/${String(id)}`);

it('starts now, says who and why, and is answered for its devices until it is ended', async () => {
  const ownDevice = await device();
  const { status, body } = await start({ deviceIds: [ownDevice, ownDevice] });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ reason: 'New disk', deviceIds: [ownDevice], isChange: false, ruleIds: null, createdBy: expect.any(String) }),
  ]);
  const id = String(body['maintenanceWindowId']);
  await expect
    .poll(async () => (await now([ownDevice, deviceId])).body.value, { timeout: 20_000 })
    .toEqual([
      {
        entityId: ownDevice,
        by: [
          {
            kind: 'window',
            id,
            name: 'New disk',
            until: body['endsAt'],
            workUnitId: null,
            publicWorkUnitId: null,
            expectedOnly: false,
            since: body['startsAt'],
            selection: null,
          },
        ],
      },
    ]);
  const longer = inMinutes(240);
  expect((await world.call(me, 'POST', `/v1/maintenanceWindows/${id}`, { endsAt: longer })).body).toMatchObject({ endsAt: longer });
  expect((await end(id)).status).toBe(200);
  await expect.poll(async () => (await now([ownDevice])).body.value, { timeout: 20_000 }).toEqual([]);
  expect((await end(id)).status).toBe(409);
  expect(targets((await world.call(me, 'POST', `/v1/maintenanceWindows/${id}`, { endsAt: inMinutes(600) })).body)).toEqual(['endsAt']);
  const audits = await world.system.db.query<{ verb: string }>({
    text: "select verb from audit where entity = 'maintenanceWindows' and entity_id = $1 order by audit_id",
    values: [id],
  });
  expect(audits.map(({ verb }) => verb)).toEqual(['create', 'update', 'update']);
});

it.each([
  ['without a reason', { reason: ' ' }, ['reason']],
  ['without devices and location', { deviceIds: [] }, ['deviceIds']],
  ['that is over before it begins', { endsAt: '2026-01-01T00:00:00Z' }, ['endsAt']],
  ['that ends before its start', { startsAt: '2036-01-02T00:00:00Z', endsAt: '2036-01-01T00:00:00Z' }, ['endsAt']],
  ['that began long ago', { startsAt: '2026-01-01T00:00:00Z' }, ['startsAt', 'endsAt']],
  ['of more than 92 days', { endsAt: inMinutes(60 * 24 * 93) }, ['endsAt']],
  ['of a device that does not exist', { deviceIds: [crypto.randomUUID()] }, ['deviceIds.0']],
])('refuses one %s', async (_what, more, expected) => {
  const { status, body } = await start(more);
  expect([status, targets(body).toSorted()]).toEqual([400, expected.toSorted()]);
});

it('is for those with the right, in the tenant of its devices', async () => {
  const theirs = await device({}, holder([other.tenantId]), other);
  expect(targets((await start({ deviceIds: [theirs] })).body)).toEqual(['deviceIds.0']);
  expect((await start({}, holder([home.tenantId], ['CloudFit.CFS.Maintenance:view', 'CloudFit.CFS.Devices:edit']))).status).toBe(403);
  const id = (await start()).body['maintenanceWindowId'];
  expect((await end(id, null)).status).toBe(401);
  expect((await end(id, holder([other.tenantId]))).status).toBe(404);
  expect((await end(id, holder([home.tenantId], ['CloudFit.CFS.Maintenance:view']))).status).toBe(403);
  expect((await world.call(null, 'POST', '/v1/maintenance/now', { entityIds: [deviceId] })).status).toBe(401);
  expect((await now([deviceId], holder([other.tenantId]))).body.value).toEqual([]);
  expect((await now([deviceId], holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
  expect((await now(['no'])).status).toBe(400);
  const askHeld = (by: TestCaller | null, ids: unknown = [id]) => world.call(by, 'POST', '/v1/maintenance/held', { ids });
  expect((await askHeld(null)).status).toBe(401);
  expect((await askHeld(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
  expect((await askHeld(holder([other.tenantId]))).body.value).toEqual([]);
  expect((await askHeld(me, 'x')).status).toBe(400);
});

it('covers the devices of a location, and tells what it holds', async () => {
  const locationId = String((await world.call(me, 'PUT', '/v1/locations', { name: 'Lisbon', tenantId: home.tenantId })).body['locationId']);
  const ownDevice = await device({ locationId });
  const id = String((await start({ deviceIds: [], locationId })).body['maintenanceWindowId']);
  await expect.poll(async () => (await now([ownDevice])).body.value?.length, { timeout: 20_000 }).toBe(1);
  const match = (subject: string, label: string, isHeld: boolean, { inMaintenance = true, ageSeconds = 0 } = {}) =>
    world.system.db.query({
      text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, in_maintenance, held_since, correlation_id)
values ($1, uuidv7(), $2, $3, now() + interval '1 hour', now() - make_interval(secs => $6), now(), $4, $5, uuidv7())`,
      values: [home.tenantId, subject, label, inMaintenance, isHeld ? new Date().toISOString() : null, ageSeconds],
    });
  // The newest is first.
  await match(ownDevice, 'told', false, { ageSeconds: 1 });
  await match(ownDevice, 'waits', true);
  await match(ownDevice, 'runs', false, { inMaintenance: false });
  await match(deviceId, 'elsewhere', true);
  const { body } = await world.call(me, 'POST', '/v1/maintenance/held', { ids: [id] });
  expect(body.value).toEqual([
    {
      maintenanceWindowId: id,
      devices: 1,
      matches: 2,
      waiting: 1,
      first: [
        expect.objectContaining({ label: 'waits', waits: true, since: expect.stringMatching(/Z$/) }),
        expect.objectContaining({ label: 'told', waits: false }),
      ],
    },
  ]);
  const blind = holder([home.tenantId], ['CloudFit.CFS.Maintenance:view']);
  expect((await world.call(blind, 'POST', '/v1/maintenance/held', { ids: [id] })).body.value).toMatchObject([{ matches: 2, first: [] }]);
  await end(id);
  expect((await world.call(me, 'POST', '/v1/maintenance/held', { ids: [id] })).body.value).toMatchObject([{ devices: 1, matches: 0 }]);
});

it('ends before it begins, and says on the work unit that it was made for one', async () => {
  const unit = { title: 'Swap the disk', severityId: 'Sev3', workUnitTypeId: 1, tenantId: home.tenantId };
  const workUnitId = Number((await world.call(me, 'PUT', '/v1/workunits', unit)).body['workUnitId']);
  const { body } = await start({ workUnitId, startsAt: inMinutes(60), endsAt: inMinutes(120) });
  const ended = (await end(body['maintenanceWindowId'])).body;
  expect(ended['startsAt']).toBe(ended['endsAt']);
  const feed = (await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${workUnitId})`)).body.value ?? [];
  expect(feed).toContainEqual(expect.objectContaining({ detail: `Maintenance until ${String(body['endsAt'])}: New disk` }));
});

it('takes all devices of a filter, those that come while it runs too, and loses none of them', async () => {
  const prefix = `lab-${crypto.randomUUID().slice(0, 8)}`;
  const named = (name: string) => device({ name: `${prefix}-${name}` });
  const [one, two] = [await named('1'), await named('2')];
  const theirs = await device({ name: `${prefix}-3` }, holder([other.tenantId]), other);
  const filter = `startswith(name, '${prefix}')`;
  const { status, body } = await start({ deviceIds: [], deviceFilter: filter });
  expect([status, body['deviceFilter'], body['deviceIds']]).toEqual([201, filter, []]);
  const id = String(body['maintenanceWindowId']);
  const inIt = async () => {
    const answer = await world.call(
      me,
      'GET',
      `/v1/devices/GetDevicesInMaintenance(maintenanceWindowId=${id})?$select=deviceId&$count=true`,
    );
    return (answer.body['value'] as { deviceId: string }[]).map((row) => row.deviceId).toSorted();
  };
  const isHeld = async (ids: readonly string[]) =>
    ((await now(ids)).body['value'] as { entityId: string; by: { id: string }[] }[])
      .filter(({ by }) => by.some((holding) => holding.id === id))
      .map(({ entityId }) => entityId)
      .toSorted();
  expect(await inIt()).toEqual([one, two].toSorted());
  await expect.poll(() => isHeld([one, two, theirs, deviceId]), { timeout: 20_000 }).toEqual([one, two].toSorted());
  expect((await world.call(me, 'POST', '/v1/maintenance/held', { ids: [id] })).body['value']).toMatchObject([{ devices: 2 }]);
  // One device is new, and one has been renamed.
  const late = await named('4');
  await world.call(me, 'POST', `/v1/devices/${one}`, { name: 'Renamed' });
  await Promise.all([1, 2].map(() => filteredDevicesWork(world.database, silent).run(world.system.db)));
  await expect.poll(() => isHeld([one, two, late, theirs]), { timeout: 20_000 }).toEqual([one, two, late].toSorted());
  expect(await inIt()).toEqual([one, two, late].toSorted());
  // Only people who may view both the maintenance and devices can read its devices.
  const list = (by: TestCaller) => world.call(by, 'GET', `/v1/devices/GetDevicesInMaintenance(maintenanceWindowId=${id})`);
  expect((await list(holder([other.tenantId]))).status).toBe(404);
  expect((await list(holder([home.tenantId], ['CloudFit.CFS.Maintenance:view']))).status).toBe(403);
  await end(id);
  await expect.poll(() => isHeld([one, two, late]), { timeout: 20_000 }).toEqual([]);
});

it('adds the devices of a filter when its start comes, and refuses a filter that matches none or cannot be read', async () => {
  const prefix = `plan-${crypto.randomUUID().slice(0, 8)}`;
  const one = await device({ name: `${prefix}-1` });
  const { body } = await start({
    deviceIds: [],
    deviceFilter: `startswith(name, '${prefix}')`,
    startsAt: inMinutes(30),
    endsAt: inMinutes(90),
  });
  const id = String(body['maintenanceWindowId']);
  const added = () =>
    world.system.db.query<{ id: string }>({
      text: 'select device_id as id from maintenance_window_device where maintenance_window_id = $1',
      values: [id],
    });
  const work = () => filteredDevicesWork(world.database, silent).run(world.system.db);
  await work();
  expect(await added()).toEqual([]);
  await world.system.db.query({
    text: 'update maintenance_window set starts_at = now() - make_interval(secs => 1) where maintenance_window_id = $1',
    values: [id],
  });
  await work();
  expect(await added()).toEqual([{ id: one }]);
  expect(targets((await start({ deviceIds: [], deviceFilter: "name eq 'nobody'" })).body)).toEqual(['deviceFilter']);
  expect((await start({ deviceIds: [], deviceFilter: 'nonsense eq 1' })).status).toBe(400);
  expect(targets((await start({ deviceIds: [] })).body)).toEqual(['deviceIds']);
});
