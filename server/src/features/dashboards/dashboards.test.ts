/** Dashboards: who may see and change which dashboard, and which tiles are refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string };
let owner: TestCaller;
let colleague: TestCaller;
let administrator: TestCaller;
const rights = (['view', 'create', 'edit', 'delete'] as const).map((verb) => `CloudFit.CFS.Visualizations:${verb}` as const);

const person = (permissions: readonly string[]): TestCaller => {
  const id = crypto.randomUUID();
  return { ...holder([home.tenantId], permissions), actor: { kind: 'person', id, name: `Name ${id}`, userName: `${id}@example.com` } };
};

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  [owner, colleague] = [person(rights), person(rights)];
  administrator = person([...rights, 'CloudFit.CFS.Settings:edit']);
});
afterAll(() => world.close());

async function createShared(sharing: string): Promise<string> {
  const reply = await world.call(owner, 'PUT', '/v1/dashboards', { name: `Wall ${crypto.randomUUID()}`, tenantId: home.tenantId, sharing });
  expect(reply.status).toBe(201);
  return String(reply.body['dashboardId']);
}
const change = (caller: TestCaller, id: string, body: object): Promise<WorldReply> =>
  world.call(caller, 'POST', `/v1/dashboards/${id}`, body);
const statuses = async (callers: readonly TestCaller[], call: (caller: TestCaller) => Promise<WorldReply>): Promise<number[]> => {
  const all: number[] = [];
  for (const caller of callers) all.push((await call(caller)).status);
  return all;
};

it('shows a private one to its owner alone', async () => {
  const id = await createShared('Only me');
  expect(await statuses([owner, colleague, administrator], (caller) => world.call(caller, 'GET', `/v1/dashboards(${id})`))).toEqual([
    200, 404, 404,
  ]);
  const listed = (await world.call(colleague, 'GET', '/v1/dashboards?$top=1000')).body.value ?? [];
  expect(listed.map((row) => row['dashboardId'])).not.toContain(id);
  expect((await change(colleague, id, { name: 'Taken over' })).status).toBe(404);
});

it('lets others change a shared one only if its owner says so, and administrators always', async () => {
  const [visible, editable] = [await createShared('Everybody sees it'), await createShared('Everybody changes it')];
  expect(await statuses([owner, colleague, administrator], (caller) => change(caller, visible, { name: crypto.randomUUID() }))).toEqual([
    200, 403, 200,
  ]);
  expect((await change(colleague, visible, { name: 'Mine' })).body['error']).toMatchObject({
    message: expect.stringContaining('Make a copy'),
  });
  expect((await change(colleague, editable, { name: 'Another name' })).status).toBe(200);
  expect((await change(colleague, editable, { sharing: 'Only me' })).status).toBe(400);
  expect(await statuses([colleague, owner], (caller) => world.call(caller, 'DELETE', `/v1/dashboards/${editable}`))).toEqual([403, 204]);
  const reader = person(['CloudFit.CFS.Visualizations:view']);
  expect(await statuses([reader], (caller) => change(caller, visible, { name: 'No' }))).toEqual([403]);
});

it('refuses tiles that nobody could show, by name', async () => {
  const id = await createShared('Only me');
  const place = { id: 'a', title: '', x: 0, y: 0, w: 3, h: 2 };
  const entityId = crypto.randomUUID();
  const refusal = async (...tiles: object[]) => {
    const { status, text } = await change(owner, id, { tiles });
    expect(status).toBe(400);
    return text;
  };
  expect(await refusal({ ...place, kind: 'clock' })).toContain('The kind of a tile is one of number, chart');
  expect(await refusal({ ...place, kind: 'number', series: [] })).toContain('A number has one series.');
  expect(await refusal({ ...place, kind: 'units', x: 10 })).toContain('A tile ends within the 12 columns.');
  expect(await refusal({ ...place, kind: 'units' }, { ...place, kind: 'units' })).toContain('Each tile has an id of its own.');
  const tiles = [
    { ...place, kind: 'number', series: [{ entityId, metric: 'Cpu', label: 'web-1 Cpu' }] },
    { ...place, id: 'b', kind: 'chart', series: [{ entityId, metric: 'Cpu', label: 'web-1 Cpu' }], hours: 24 },
    { ...place, id: 'c', kind: 'versions' },
  ];
  expect((await change(owner, id, { tiles })).body['tiles']).toEqual(tiles);
});
