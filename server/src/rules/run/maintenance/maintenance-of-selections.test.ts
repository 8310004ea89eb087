/** Maintenance of a selection: it holds devices while they are in the selection, and remembers when they were. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { followSelections } from '../../../automation/selections/follow.ts';
import { readMaintenance } from '../../../features/status-pages/read-status.ts';
import { openIngest, type Ingest } from '../../../ingest/accept.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';
import { explainMaintenance } from '../../explain/explain-maintenance.ts';
import { cpu, cpuOver90, send, silent, until } from '../../testing/flow.ts';
import { keepUp } from '../../testing/pulse.ts';
import { readEntities } from '../entities.ts';
import { maintenanceWork } from './maintenance-work.ts';

let world: TestWorld;
let ingest: Ingest;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
  await keepUp(world.system.db);
  ingest = await openIngest({ database: world.database, log: silent });
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

const put = (resource: string, body: object, by = me): Promise<WorldReply> => world.call(by, 'PUT', `/v1/${resource}`, body);
async function idOf(resource: string, key: string, body: object, by = me): Promise<string> {
  const reply = await put(resource, body, by);
  expect(reply.status, reply.text).toBe(201);
  return String(reply.body[key]);
}
const details = ({ body }: WorldReply) => (body['error'] as { details: { target: string; message: string }[] }).details[0];
const device = (name: string, tags: string) => idOf('devices', 'deviceId', { name, tags, ...home });
const selection = (tag: string, tenantId: string | null = home.tenantId) =>
  idOf('deviceSelections', 'deviceSelectionId', { name: `Tagged ${tag}`, tenantId, filter: `contains(tags,'${tag}')` }, holder('all'));
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const start = (deviceSelectionId: string, more: object = {}) =>
  put('maintenanceWindows', { reason: 'New racks', tenantId: home.tenantId, deviceSelectionId, endsAt: inMinutes(60), ...more });
const end = (id: string) => world.call(me, 'POST', `/v1/maintenance/end/${id}`);
async function tag(id: string, tags: string): Promise<void> {
  await world.call(me, 'POST', `/v1/devices/${id}`, { tags });
  await followSelections(world.database, silent, false);
}
/** How a device is held now: since when, and because of which selection. */
async function heldBy(deviceId: string) {
  const { body } = await world.call(me, 'POST', '/v1/maintenance/now', { entityIds: [deviceId] });
  const [one] = body['value'] as unknown as { by: { id: string; since: string; selection: { name: string } | null }[] }[];
  return one?.by.map(({ id, since, selection: of }) => [id, Date.parse(since), of?.name]) ?? [];
}
const windowsAt = async (deviceId: string, at: number) => {
  const [entity] = await readEntities(world.system.db, [deviceId]);
  return entity
    ? (await explainMaintenance(world.system, entity, at)).windows.map((window) => [window.reason, window.selection])
    : undefined;
};
const devicesOf = async (id: string) =>
  (
    (await world.call(me, 'GET', `/v1/devices/GetDevicesInMaintenance(maintenanceWindowId=${id})?$orderby=name`)).body.value as {
      name: string;
    }[]
  ).map(({ name }) => name);

it('covers a device from when it comes into the selection until it leaves, and holds its matches so long', async () => {
  const [first, second] = [await device('rack-1', 'racks'), await device('rack-2', '')];
  const id = await selection('racks');
  const rule = await idOf('rules', 'ruleId', {
    name: 'Hot',
    ruleTypeId: 1,
    tenantId: home.tenantId,
    conditions: [cpuOver90],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev3' } }],
  });
  const { body } = await start(id);
  const [window, from] = [String(body['maintenanceWindowId']), Date.parse(String(body['startsAt']))];
  await until(async () => (await heldBy(first)).length === 1);
  expect([await heldBy(first), await heldBy(second)]).toEqual([[[window, from, 'Tagged racks']], []]);

  await tag(second, 'racks');
  const joined = Date.now();
  const since = Number((await heldBy(second))[0]?.[1]);
  expect(since).toBeGreaterThan(from);
  await until(() => ingest.rules.ingestion().get(rule));
  await until(() => ingest.rules.windows().size > 0);
  await until(async () => (await ingest.entities.find([second])).get(second)?.device?.selections?.includes(id));
  const token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  await send(ingest, token, cpu(first, 95), cpu(second, 95));
  const matches = async () =>
    (
      await world.system.db.query<{ name: string; is_held: boolean }>({
        text: `select d.name, m.held_since is not null and m.held_until is null as is_held from rule_match m join device d on d.device_id = m.subject_id
          where m.rule_id = $1 order by d.name`,
        values: [rule],
      })
    ).map(({ name, is_held }) => [name, is_held]);
  expect(await matches()).toEqual([
    ['rack-1', true],
    ['rack-2', true],
  ]);
  expect((await world.call(me, 'POST', '/v1/maintenance/held', { ids: [window] })).body.value).toMatchObject([{ devices: 2, matches: 2 }]);
  expect(await devicesOf(window)).toEqual(['rack-1', 'rack-2']);

  await tag(first, '');
  await until(async () => !(await ingest.entities.find([first])).get(first)?.device?.selections);
  expect([(await heldBy(first)).length, (await heldBy(second)).length]).toEqual([0, 1]);
  await maintenanceWork(ingest).run(world.system.db);
  expect(await matches()).toEqual([
    ['rack-1', false],
    ['rack-2', true],
  ]);
  expect(await devicesOf(window)).toEqual(['rack-2']);

  // What was so then is still so of then: for explanations, and for packets that arrive late.
  expect([await windowsAt(first, joined), await windowsAt(first, Date.now())]).toEqual([[['New racks', 'Tagged racks']], []]);
  expect([await windowsAt(second, since - 1), await windowsAt(second, since)]).toEqual([[], [['New racks', 'Tagged racks']]]);
  const [entity] = await readEntities(world.system.db, [first]);
  await until(() => entity && ingest.rules.windows().concerning(entity, joined).length === 1);
  const page = { tenantId: home.tenantId, components: [{ name: 'Racks', kind: 'Selection' as const, of: id }] };
  const shown = () => readMaintenance(world.system.db, page, new Date(from - 1_000), new Date(Date.now() + 1_000), 5);
  expect((await shown()).map(({ id: of, ats }) => [of, ats])).toEqual([[window, [0]]]);

  await end(window);
  await until(async () => (await heldBy(second)).length === 0);
  await tag(second, '');
  expect(await devicesOf(window)).toEqual(['rack-1', 'rack-2']);
});

it('takes back a device that left and came back, and lists each stay', async () => {
  const one = await device('back-1', 'backs');
  const id = await selection('backs');
  const window = String((await start(id)).body['maintenanceWindowId']);
  const stays: number[] = [];
  for (const tags of ['', 'backs', '']) {
    stays.push(Date.now());
    await until(() => Date.now() > (stays.at(-1) ?? 0) + 1);
    await tag(one, tags);
  }
  const [atFirst, between = 0, again = 0] = stays;
  expect(await Promise.all([atFirst, between + 1, again].map(async (at) => (await windowsAt(one, at ?? 0))?.length))).toEqual([1, 0, 1]);
  await end(window);
});

it('is of a selection for the tenant, which is not deleted before its end, and is explained after that', async () => {
  const foreign = await selection('theirs', other.tenantId);
  expect(details(await start(foreign))).toMatchObject({ target: 'deviceSelectionId' });
  const both = holder([home.tenantId, other.tenantId]);
  const refused = await put(
    'maintenanceWindows',
    { reason: 'x', tenantId: home.tenantId, deviceSelectionId: foreign, endsAt: inMinutes(9) },
    both,
  );
  expect(details(refused)?.message).toBe('Selection was not found.');
  expect((await start(await selection('everywhere', null))).status).toBe(201);

  const one = await device('gone-1', 'gone');
  const id = await selection('gone');
  const window = String((await start(id)).body['maintenanceWindowId']);
  const within = Date.now();
  const remove = () => world.call(holder('all'), 'DELETE', `/v1/deviceSelections/${id}`);
  expect(details(await remove())?.message).toBe('Maintenance is for this selection: New racks. End it first.');
  const moved = await world.call(holder('all'), 'POST', `/v1/deviceSelections/${id}`, { tenantId: other.tenantId });
  expect(details(moved)).toMatchObject({
    target: 'tenantId',
    message: 'The maintenance New racks is for this selection and for other tenants.',
  });
  await end(window);
  expect((await remove()).status).toBeLessThan(300);
  expect(await windowsAt(one, within)).toEqual([['New racks', null]]);
});
