import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
});
afterAll(() => world.close());

async function caller(userName: string) {
  const [row] = await world.system.db.query<{ id: string }>({
    text: "insert into person (name, user_name) values ('Ada', $1) returning person_id as id",
    values: [userName],
  });
  const personId = row?.id ?? '';
  const actor = { kind: 'person', id: personId, name: 'Ada', userName } as const;
  return { personId, ada: { ...holder([tenantId]), actor } };
}

const path = '/v1/currentUser/locale';
const german = { language: 'de', timeZone: 'Europe/Berlin', weekStart: 1, format: 'iso' };
const none = { language: null, timeZone: null, weekStart: null, format: null };

it('stores what a person chooses about language and region, audited, and tells it to their pages', async () => {
  const { personId, ada } = await caller('ada@northwind.example');
  const localeOf = async () => (await world.call(ada, 'GET', '/v1/currentUser')).body['locale'];
  expect(await localeOf()).toEqual(none);
  expect(await world.call(ada, 'PUT', path, german)).toMatchObject({ status: 200, body: german });
  expect(await localeOf()).toEqual(german);
  expect(await world.call(ada, 'PUT', path, none)).toMatchObject({ status: 200, body: none });
  expect(await localeOf()).toEqual(none);
  const audit = await world.system.db.query({
    text: "select verb, before->'locale' as before, after->'locale' as after from audit where entity_id = $1 and after ? 'locale' order by audit_id",
    values: [personId],
  });
  expect(audit).toEqual([
    { verb: 'update', before: null, after: german },
    { verb: 'update', before: german, after: none },
  ]);
});

it('refuses who is no person, and what is no language, zone, day or format', async () => {
  const { ada } = await caller('eva@northwind.example');
  expect((await world.call(null, 'PUT', path, german)).status).toBe(401);
  for (const wrong of [{ language: 'fr' }, { timeZone: 'Mars/Base' }, { weekStart: 3 }, { format: 'x' }])
    expect(await world.call(ada, 'PUT', path, { ...german, ...wrong })).toMatchObject({
      status: 400,
      body: { error: { details: [{ target: Object.keys(wrong)[0] }] } },
    });
});
