/** The open units around one: what they share, what the caller may know of it, and in which order they come. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { sampleBody } from '../../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let tenantId: string;
let otherId: string;
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant('Northwind');
  ({ tenantId } = home);
  ({ tenantId: otherId } = await world.tenant('Southwind'));
});
afterAll(() => world.close());

const make = async (path: string, body: object) => (await world.call(holder('all'), 'PUT', `/v1/${path}`, body)).body;

async function unit(title: string, more: object = {}, devices: readonly unknown[] = []): Promise<number> {
  const body = { title, severityId: 'Sev2', workUnitTypeId: 1, tenantId, ...more };
  const { workUnitId } = await make('workunits', body);
  for (const referenceId of devices) await make('workunitrelations', { workUnitId, referenceId, referenceType: 'Device' });
  return Number(workUnitId);
}

const around = (caller: TestCaller | null, id: number) => world.call(caller, 'GET', `/v1/workunits/${id}/alsoNow`);

it('lists open units of the same device, location, rule and group, the closest first', async () => {
  const location = await make('locations', { name: 'Hall 3', tenantId });
  const device = async (name: string, locationId?: unknown) => (await make('devices', { ...home, name, locationId }))['deviceId'];
  const pump = await device('pump-1', location['locationId']);
  const valve = await device('valve-2', location['locationId']);
  const far = await device('far-3');
  const mine = await unit('Pump is silent', { assignmentGroup: 'Network' }, [pump]);
  const ofGroup = await unit('Cable is loose', { assignmentGroup: 'Network', severityId: 'Sev0' });
  const ofPlace = await unit('Valve is hot', {}, [valve]);
  const ofDevice = await unit('Pump is hot', {}, [String(pump).toUpperCase(), 'not an id']);
  await unit('Far away', { assignmentGroup: 'Databases' }, [far]);
  await unit('Of another tenant', { tenantId: otherId, assignmentGroup: 'Network' });
  const ended = await unit('Pump was hot', {}, [pump]);
  await world.call(holder('all'), 'POST', `/v1/workunits/${ended}`, { stateId: 'Canceled' });

  const answer = await around(holder([tenantId]), mine);
  expect(answer.status).toBe(200);
  const sharedBy = (body: Record<string, unknown>) =>
    (body['value'] as Record<string, unknown>[]).map(({ workUnitId, device: name, location: place, sameRule, sameGroup }) => [
      workUnitId,
      name,
      place,
      sameRule,
      sameGroup,
    ]);
  expect(sharedBy(answer.body)).toEqual([
    [ofDevice, 'pump-1', 'Hall 3', false, false],
    [ofPlace, null, 'Hall 3', false, false],
    [ofGroup, null, null, false, true],
  ]);
  expect(answer.body).toMatchObject({ total: 3 });
  expect((answer.body['value'] as unknown[])[0]).toMatchObject({
    title: 'Pump is hot',
    severityId: 'Sev2',
    stateId: 'New',
    created: expect.stringMatching(/^\d{4}-.*Z$/),
  });

  // Whoever may view devices only learns no location.
  const ofDevices = holder([tenantId], [permission('WorkUnits', 'view'), permission('Devices', 'view')]);
  expect(sharedBy((await around(ofDevices, mine)).body)).toEqual([
    [ofDevice, 'pump-1', null, false, false],
    [ofGroup, null, null, false, true],
  ]);
  // Whoever may not view devices learns nothing of them.
  const reader = holder([tenantId], [permission('WorkUnits', 'view')]);
  expect(sharedBy((await around(reader, mine)).body)).toEqual([[ofGroup, null, null, false, true]]);
  // Where a deleted device was, nothing is.
  const removed = await device('gone-4', location['locationId']);
  const ofRemoved = await unit('Old pump is silent', {}, [removed]);
  expect((await world.call(holder('all'), 'DELETE', `/v1/devices/${String(removed)}`)).status).toBe(204);
  expect(sharedBy((await around(holder([tenantId]), ofRemoved)).body)).toEqual([]);
});

it('counts more units of the same rule than it lists, for callers who may view rules', async () => {
  const { ruleId } = await make('rules', await sampleBody(world, rules, home));
  const ids: number[] = [];
  for (let n = 0; n < 9; n += 1) ids.push(await unit(`Disk ${n} is full`));
  await world.system.db.query({
    name: 'test-rule',
    text: 'update work_unit set rule_id = $1 where work_unit_id = any($2)',
    values: [ruleId, ids],
  });
  const { body } = await around(holder([tenantId]), ids[0] ?? 0);
  expect(body).toMatchObject({ total: 8 });
  expect(body['value']).toHaveLength(6);
  expect((body['value'] as Record<string, unknown>[]).every((row) => row['sameRule'] === true)).toBe(true);
  expect((await around(holder([tenantId], [permission('WorkUnits', 'view')]), ids[0] ?? 0)).body).toEqual({ total: 0, value: [] });
});

it('needs a sign-in, the permission and a unit that the caller may see', async () => {
  const id = await unit('Gate is open');
  expect((await around(null, id)).status).toBe(401);
  expect((await around(holder([tenantId], [permission('Devices', 'view')]), id)).status).toBe(403);
  expect((await around(holder([otherId]), id)).status).toBe(404);
  expect((await world.call(holder([tenantId]), 'GET', '/v1/workunits/x/alsoNow')).body).toMatchObject({
    error: { details: [{ target: 'id' }] },
  });
});
