/** The last administrator remains, also when two remove each other at the same moment; a disabled person is locked out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase } from '../testing/database.ts';
import { administers, requireAdministrators } from './administrators.ts';
import { createOneTimeLink, findLinkOwner } from './sign-in/one-time-link.ts';
import { lockOut } from './sessions.ts';
import { ensureShippedSets, shippedSets } from './shipped.ts';

let database: Database;
let db: Db;
let closeDatabase: () => Promise<void>;

beforeAll(async () => {
  const test = await testDatabase();
  database = openDatabase({ url: test.url, max: 6, onError: () => undefined });
  db = database.scoped('all');
  closeDatabase = test.close;
  await ensureShippedSets(db);
});
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

async function idOf(text: string, ...values: unknown[]): Promise<string> {
  const [row] = await db.query<{ id: string }>({ text, values });
  return row?.id ?? '';
}
const tenant = (name: string) => idOf('insert into tenant (name) values ($1) returning tenant_id as id', name);
const person = (name: string) =>
  idOf('insert into person (name, user_name, email) values ($1, $1, $1) returning person_id as id', `${name}@example.org`);
const grant = (personId: string, tenantId: string | null, set: string = shippedSets.administrator.id) =>
  db.query({
    text: 'insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)',
    values: [personId, set, tenantId],
  });

it('is one by the groups of the last sign-in too, and nobody beside them', async () => {
  const east = await tenant('Eastwind');
  const desk = crypto.randomUUID();
  const [member, outsider] = [await person(`${desk}-member`), await person(`${desk}-outsider`)];
  await db.query({ text: 'update person set claims = $2 where person_id = $1', values: [member, [desk]] });
  await db.query({
    text: 'insert into access_grant (claim, permission_set_id, tenant_id) values ($1, $2, $3)',
    values: [desk, shippedSets.administrator.id, east],
  });
  expect([await administers(db, member), await administers(db, outsider)]).toEqual([[east], []]);
  await expect(requireAdministrators(db, [east])).resolves.toBeUndefined();
  await grant(outsider, null);
  await grant(outsider, east, shippedSets.reader.id);
  expect(await administers(db, outsider)).toEqual([null]);
  await expect(requireAdministrators(db, [null])).resolves.toBeUndefined();
  await db.query({ text: 'delete from access_grant where person_id = $1', values: [outsider] });
});

it('is missing where the last grant, or its person, is gone', async () => {
  const [north, south] = [await tenant('Northwind'), await tenant('Southwind')];
  const [ada, bob] = [await person('ada'), await person('bob')];
  await grant(ada, north);
  await grant(bob, north);
  await grant(bob, null, shippedSets.operator.id);
  expect([await administers(db, ada), await administers(db, bob)]).toEqual([[north], [north]]);
  await expect(requireAdministrators(db, [north])).resolves.toBeUndefined();
  await expect(requireAdministrators(db, [])).resolves.toBeUndefined();
  await expect(requireAdministrators(db, [north, south])).rejects.toMatchObject({
    code: 'Conflict',
    message: 'This would leave Southwind without an administrator of its own. Give somebody else Administrator there first.',
  });
  await expect(requireAdministrators(db, [null])).rejects.toThrow(
    'This would leave the installation without an administrator. Give somebody else Administrator in all tenants first.',
  );
  await db.query({ text: 'update person set enabled = false where person_id = any($1)', values: [[ada, bob]] });
  await expect(requireAdministrators(db, [north])).rejects.toThrow('Northwind');
});

it('stays when the two that there are end each other at the same moment', async () => {
  const west = await tenant('Westwind');
  const people = [await person('eve'), await person('kim')];
  for (const id of people) await grant(id, west);
  const remove = (id: string) =>
    db.transaction(async (tx) => {
      await tx.query({ text: 'delete from access_grant where person_id = $1', values: [id] });
      await requireAdministrators(tx, [west]);
    });
  for (let round = 0; round < 5; round += 1) {
    const results = await Promise.allSettled(people.map(remove));
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const rest = await db.query<{ person_id: string | null }>({
      text: 'select person_id from access_grant where tenant_id = $1',
      values: [west],
    });
    expect(rest).toHaveLength(1);
    for (const id of people.filter((person) => person !== rest[0]?.person_id)) await grant(id, west);
  }
});

it('is a permission set of this installation that each start resets, of which every server is told', async () => {
  const notified: string[] = [];
  const stop = await database.listen('people', (text) => notified.push(text));
  // Sends one more notification and waits for it: earlier notifications arrive first. Returns the number of earlier ones.
  const arrived = async () => {
    const mark = crypto.randomUUID();
    await db.query({ text: "select pg_notify('people', $1)", values: [mark] });
    await expect.poll(() => notified.includes(mark)).toBe(true);
    return notified.splice(0).length - 1;
  };
  await arrived();
  const sets = () => db.query({ text: 'select permission_set_id, description, permissions, modified from permission_set order by name' });
  const before = await sets();
  await ensureShippedSets(db);
  expect([await arrived(), await sets()]).toEqual([0, before]);
  await db.query({
    text: "update permission_set set permissions = '[]', description = '' where permission_set_id = $1",
    values: [shippedSets.reader.id],
  });
  await ensureShippedSets(db);
  expect(await arrived()).toBe(1);
  const without = (rows: object[]) => rows.map((row) => ({ ...row, modified: undefined }));
  expect(without(await sets())).toEqual(without(before));
  await stop();
});

it('locks a person out of sessions and of links to choose a password', async () => {
  const [mia, other] = [await person('mia'), await person('other')];
  const tokens = await Promise.all([mia, other].map(async (id) => (await createOneTimeLink(db, id, 'https://x')).split('/').at(-1) ?? ''));
  const owners = () => Promise.all(tokens.map(async (token) => (await findLinkOwner(db, token))?.personId));
  expect(await owners()).toEqual([mia, other]);
  await lockOut(db, mia);
  expect(await owners()).toEqual([undefined, other]);
});
