import { afterAll, beforeAll, expect, it } from 'vitest';
import { localeOf } from '../../context/locale.ts';
import { readerOf, readerOfPage } from '../../platform/language.ts';
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
    { verb: 'update', before: none, after: german },
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

it('writes to who has chosen no language in that which the portal showed last, and tells nobody of it', async () => {
  const { personId, ada } = await caller('ines@northwind.example');
  const visit = async (language: string, more: object = {}) =>
    (await world.call({ ...ada, ...more }, 'GET', '/v1/currentUser', undefined, { 'accept-language': language })).body['locale'];
  const language = async () => readerOf(await localeOf(world.system.db, personId)).language;
  expect(await language()).toBe('en');
  expect([await visit('de-AT'), await language()]).toEqual([none, 'de']);
  expect([await visit('fr'), await language()]).toEqual([none, 'de']);
  await visit('en');
  expect(await language()).toBe('en');
  await world.call(ada, 'PUT', path, german);
  expect([await visit('en'), await language()]).toEqual([german, 'de']);
  await world.call(ada, 'PUT', path, none);
  expect([await language(), await visit('de'), await language()]).toEqual(['en', none, 'de']);
  // A page that another person looks at is in the language of its browser.
  expect(readerOfPage({ 'accept-language': 'en' }, await localeOf(world.system.db, personId)).language).toBe('en');
});
