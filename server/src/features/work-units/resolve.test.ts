/** Resolving over HTTP: a New unit is acknowledged first, in one transaction, and a repeat changes nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
const mara = 'mara@northwind.example';

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  me = { ...holder([tenantId]), actor: { kind: 'person', id: crypto.randomUUID(), name: 'Mara', userName: mara } };
});
afterAll(() => world.close());

async function add(more: object = {}): Promise<number> {
  const { body } = await world.call(me, 'PUT', '/v1/workunits', { title: 'Pump 4', workUnitTypeId: 1, tenantId, ...more });
  return Number(body['workUnitId']);
}
const resolve = (ids: readonly unknown[], resolution: unknown = 'A fuse.', caller: TestCaller | null = me) =>
  world.call(caller, 'POST', '/v1/workUnits/resolve', { ids, resolution });
const unitOf = async (id: number) => (await world.call(me, 'GET', `/v1/workUnits(${id})`)).body;
const states = async (id: number) => {
  const { body } = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
  return body.value
    ?.filter((entry) => entry['field'] === 'stateId')
    .map((entry) => `${String(entry['oldValue'])} ${String(entry['newValue'])}`);
};

it('acknowledges a New unit first, with both changes in its history, audit and events, and gives it to the caller', async () => {
  const id = await add();
  const { body, status } = await resolve([id]);
  expect([status, body.value]).toMatchObject([200, [{ workUnitId: id, stateId: 'Resolved', resolution: 'A fuse.', assignedTo: mara }]]);
  expect(await states(id)).toEqual(['Acknowledged Resolved', 'New Acknowledged']);
  const audits = await world.system.db.query<{ state: string }>({
    text: "select after->>'stateId' as state from audit where entity = 'workUnits' and entity_id = $1 and verb = 'update' order by audit_id",
    values: [String(id)],
  });
  expect(audits.map(({ state }) => state)).toEqual(['Acknowledged', 'Resolved']);
  const events = await world.system.db.query<{ state: string }>({
    text: "select payload->'after'->>'stateId' as state from job where name = 'work-unit-event' and payload->>'workUnitId' = $1 and payload->>'verb' = 'update' order by job_id",
    values: [String(id)],
  });
  expect(events.map(({ state }) => state)).toEqual(['Acknowledged', 'Resolved']);
});

it('[WU-099] leaves the transition from New to Resolved refused for a plain change', async () => {
  const id = await add();
  expect((await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId: 'Resolved', resolution: 'A fuse.' })).status).toBe(400);
});

it('takes a unit from nobody, keeps who has it, and changes nothing when it is sent again', async () => {
  const jonas = 'jonas@northwind.example';
  const id = await add();
  await world.system.db.query({ text: 'update work_unit set assigned_to = $2 where work_unit_id = $1', values: [id, jonas] });
  await resolve([id]);
  expect(await unitOf(id)).toMatchObject({ stateId: 'Resolved', assignedTo: jonas });
  const before = await unitOf(id);
  expect((await resolve([id])).status).toBe(200);
  expect(await unitOf(id)).toEqual(before);
});

it('resolves all or none, and names the unit that has ended otherwise', async () => {
  const [fresh, closed] = [await add(), await add()];
  await world.call(me, 'POST', `/v1/workunits/${closed}`, { stateId: 'Canceled' });
  const { status, body } = await resolve([fresh, closed]);
  const { publicWorkUnitId } = await unitOf(closed);
  expect([status, body['error']]).toMatchObject([
    409,
    { details: [{ target: `${closed}/stateId`, message: `Work unit #${String(publicWorkUnitId)} is Canceled already.` }] },
  ]);
  expect(await unitOf(fresh)).toMatchObject({ stateId: 'New', assignedTo: null });
  expect(await states(fresh)).toEqual([]);
  expect((await resolve([fresh])).status).toBe(200);
});

it('resolves once when two call at the same moment', async () => {
  const id = await add();
  const answers = await Promise.all([resolve([id]), resolve([id])]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await states(id)).toEqual(['Acknowledged Resolved', 'New Acknowledged']);
});

it('refuses callers without the right, and wrong input by its field', async () => {
  const id = await add();
  expect((await resolve([id], 'A fuse.', null)).status).toBe(401);
  expect((await resolve([id], 'A fuse.', holder([tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
  expect((await resolve([id], 'A fuse.', holder([otherId]))).status).toBe(404);
  const targets = async (...input: Parameters<typeof resolve>) =>
    ((await resolve(...input)).body['error'] as { details: { target: string }[] }).details.map(({ target }) => target);
  for (const text of ['', ' \n', 'x'.repeat(4_001), 7]) expect(await targets([id], text)).toEqual(['resolution']);
  for (const ids of [[], [id, id], ['x'], Array.from({ length: 101 }, (_, at) => at + 1)]) expect((await targets(ids))[0]).toMatch(/^ids/);
  expect(await unitOf(id)).toMatchObject({ stateId: 'New' });
});
