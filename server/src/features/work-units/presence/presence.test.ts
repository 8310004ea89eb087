/** Who else views a work unit: reported by pages, shared by servers, visible inside the tenant only. */
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../db/connection.ts';
import { createChangeFeed, type ChangeFeed, type ChangeRow } from '../../../http/change-feed.ts';
import { pruneWork } from '../../../jobs/retention.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
/** A second server on the same database. */
let elsewhere: Database;
let feed: ChangeFeed;
const events: ChangeRow[] = [];

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  elsewhere = openDatabase({ url: world.url, max: 2, onError: () => undefined });
  feed = await createChangeFeed(elsewhere, pino({ level: 'silent' }));
  feed.subscribe((rows) => events.push(...rows.filter((row) => row.entity === 'workUnitPresence')));
});
afterAll(async () => {
  await feed.close();
  await elsewhere.close();
  await world.close();
});

function person(name: string, permissions?: readonly string[]): TestCaller {
  const actor = { kind: 'person', id: crypto.randomUUID(), name, userName: `${name.toLowerCase()}@example.com` } as const;
  return { ...holder([tenantId], permissions), actor };
}

async function open(): Promise<number> {
  const body = { title: 'Pump is silent', severityId: 'Sev1', workUnitTypeId: 1, tenantId };
  return (await world.call(holder([tenantId]), 'PUT', '/v1/workunits', body)).body['workUnitId'] as number;
}

const tell = (caller: TestCaller, id: number, page: string, state: string) =>
  world.call(caller, 'POST', `/v1/workunits/${id}/presence`, { page, state });
const names = async (caller: TestCaller, id: number, page: string, state = 'looking') =>
  (await tell(caller, id, page, state)).body.value?.map((item) => `${String(item['name'])} ${String(item['state'])}`);
const newsOf = (id: number) => events.filter((row) => row.id === String(id)).length;

it('names the others, each once, and who edits first', async () => {
  const id = await open();
  const [mara, tom, ana] = [person('Mara'), person('Tom'), person('Ana')];
  const page = () => crypto.randomUUID();
  const myPage = page();
  expect(await names(mara, id, myPage)).toEqual([]);
  await tell(tom, id, page(), 'looking');
  await tell(tom, id, page(), 'looking');
  await tell(ana, id, page(), 'editing');
  expect(await names(mara, id, myPage)).toEqual(['Ana editing', 'Tom looking']);
  expect(await names(mara, id, page())).toEqual(['Ana editing', 'Tom looking']);
});

it('forgets a page that leaves, and one that is not heard of', async () => {
  const id = await open();
  const [mara, tom, ana] = [person('Mara'), person('Tom'), person('Ana')];
  const pages = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()] as const;
  await tell(tom, id, pages[1], 'editing');
  await tell(ana, id, pages[2], 'looking');
  expect(await names(mara, id, pages[0])).toHaveLength(2);
  await tell(tom, id, pages[1], 'gone');
  expect(await names(mara, id, pages[0])).toEqual(['Ana looking']);
  await world.system.db.query({
    text: "update work_unit_presence set until = now() - interval '1 second' where page_id = $1",
    values: [pages[2]],
  });
  expect(await names(mara, id, pages[0])).toEqual([]);
});

it('tells pages on every server when somebody comes, edits or goes, and not that they are still there', async () => {
  const id = await open();
  const tom = person('Tom');
  const page = crypto.randomUUID();
  for (const state of ['looking', 'looking', 'looking', 'editing', 'editing', 'gone', 'gone']) await tell(tom, id, page, state);
  const last = await open();
  await tell(tom, last, page, 'looking');
  await expect.poll(() => newsOf(last)).toBe(1);
  expect(newsOf(id)).toBe(3);
  expect(events.every((row) => row.tenantId === tenantId && row.position === '')).toBe(true);
});

it('is a secret of the tenant: 404 from another one, 403 without the permission to view', async () => {
  const id = await open();
  const page = crypto.randomUUID();
  expect((await tell(holder([(await world.tenant()).tenantId]), id, page, 'looking')).status).toBe(404);
  expect((await tell(person('Blind', ['CloudFit.CFS.Devices:view']), id, page, 'looking')).status).toBe(403);
  expect(await names(person('Mara'), id, crypto.randomUUID())).toEqual([]);
});

it('is refused with a state that there is not', async () => {
  const answer = await tell(person('Mara'), await open(), 'no page', 'dancing');
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('state');
});

it('leaves nothing behind', async () => {
  const id = await open();
  await tell(person('Tom'), id, crypto.randomUUID(), 'looking');
  await world.system.db.query({ text: "update work_unit_presence set until = now() - interval '1 second'" });
  await pruneWork({ packets: 30, records: 400, audit: 1_095, seriesHours: 730, seriesDays: 3_650 }).run(world.system.db);
  expect(await world.system.db.query({ text: 'select 1 from work_unit_presence' })).toEqual([]);
});
