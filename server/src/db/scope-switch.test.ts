/** A connection that had another scope gets that of its borrower together with his first statement. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import pg from 'pg';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { openDatabase, type Database } from './connection.ts';

let base: TestDatabase;
let database: Database;
const ids: string[] = [];
beforeAll(async () => {
  base = await testDatabase();
  // One connection, which each of them gets in turn.
  database = openDatabase({ url: base.url, max: 1, onError: () => undefined });
  for (const name of ['Alder', 'Birch']) {
    const [row] = await database.scoped('all').query<{ id: string | null }>({
      text: `with t as (insert into tenant (name) values ($1) returning tenant_id) insert into location (tenant_id, name) select tenant_id, 'Hall' from t returning tenant_id as id`,
      values: [name],
    });
    ids.push(row?.id ?? '');
  }
});
afterAll(async () => {
  await database.close();
  await base.close();
});
afterEach(() => void vi.restoreAllMocks());

/** Notes the texts of all statements; `change` replaces one. */
function texts(change: (text: string) => string = (text) => text): string[] {
  const sent: string[] = [];
  const query = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first, ...others] = args;
    const text = typeof first === 'string' ? first : (first as { text: string }).text;
    sent.push(text);
    return query.call(this, typeof first === 'string' ? change(first) : first, ...others);
  } as never);
  return sent;
}

const count = 'select count(*)::int as n from location';
const rename = { text: `update location set name = name || '!'` };
const names = async () =>
  (await database.scoped('all').query<{ name: string }>({ text: 'select name from location order by tenant_id' })).map(({ name }) => name);
const scopeOf = (id: string | undefined) => `begin; set role app_scoped; set app.tenants = '${id}'`;

it('is sent with a statement and its commit, and only when it differs', async () => {
  const [one, other] = ids;
  await names();
  const sent = texts();
  const counts: (number | undefined)[] = [];
  for (const id of [one, one, other]) counts.push((await database.scoped([id ?? '']).query<{ n: number }>({ text: count }))[0]?.n);
  expect(counts).toEqual([1, 1, 1]);
  expect(sent).toEqual([scopeOf(one), count, 'commit', count, scopeOf(other), count, 'commit']);
});

it('is set again after a transaction that was rolled back', async () => {
  const [one, other] = ids;
  await database.scoped([one ?? '']).query({ text: count });
  const db = database.scoped([other ?? '']);
  await expect(db.transaction(async (tx) => tx.query({ text: 'select 1/0' }))).rejects.toThrow('divides by zero');
  await expect(db.query({ text: 'select 1/0' })).rejects.toThrow('divides by zero');
  expect(await db.query({ text: 'select tenant_id from location' })).toEqual([{ tenant_id: other }]);
});

it.each(['query', 'last', 'defer', 'transaction'] as const)('lets nothing run in the scope of before when it fails (%s)', async (kind) => {
  const before = await names();
  // This connection has the scope of all tenants now.
  const sent = texts((text) => text.replace('app_scoped', 'nobody_of_this_name'));
  const db = database.scoped([ids[0] ?? '']);
  const run = kind === 'transaction' ? db.transaction((tx) => tx.query(rename)) : db[kind](rename);
  await expect(run).rejects.toMatchObject({ cause: { message: expect.stringContaining('nobody_of_this_name') as string } });
  expect(sent.slice(0, 2)).toEqual([scopeOf(ids[0]), rename.text]);
  vi.restoreAllMocks();
  expect(await names()).toEqual(before);
  expect(await db.query({ text: 'select tenant_id from location' })).toEqual([{ tenant_id: ids[0] }]);
});
