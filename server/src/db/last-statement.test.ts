/** The last statement of a transaction: what is written together with it, and what happens when it fails. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { openDatabase, type Database } from './connection.ts';
import type { Db } from './db.ts';

let base: TestDatabase;
let database: Database;
let db: Db;
beforeAll(async () => {
  base = await testDatabase();
  database = openDatabase({ url: base.url, max: 1, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await base.close();
});

const named = (name: string) => ({
  text: 'insert into tenant (name) values ($1) returning pg_current_xact_id()::text as xid',
  values: [name],
});
const fails = { text: 'insert into tenant (name) values (1 / $1::int)', values: [0] };
async function stored(names: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ name: string }>({ text: 'select name from tenant where name = any($1) order by name', values: [names] });
  return rows.map((row) => row.name);
}
function unique(count: number): string[] {
  const id = randomUUID();
  return Array.from({ length: count }, (_, n) => `${id} ${n}`);
}

it('is a transaction by itself when it is the only one', async () => {
  const [one = ''] = unique(1);
  const rows = await db.transaction((tx) => tx.last<{ xid: string }>(named(one)));
  expect(rows).toHaveLength(1);
  expect(await stored([one])).toEqual([one]);
  await expect(db.transaction((tx) => tx.last(fails))).rejects.toThrow('The query divides by zero.');
  // The failed statement leaves the connection usable: the pool has only one connection.
  expect(await stored([one])).toEqual([one]);
});

it('is written with what came before it and what was deferred, or nothing is', async () => {
  const names = unique(3);
  const [one = '', two = '', three = ''] = names;
  const rows = await db.transaction(async (tx) => {
    const [first] = await tx.query<{ xid: string }>(named(one));
    await tx.defer(named(two));
    const [last] = await tx.last<{ xid: string }>(named(three));
    return [first?.xid, last?.xid];
  });
  expect(rows[0]).toBe(rows[1]);
  expect(await stored(names)).toEqual(names);
  const others = unique(2);
  const [four = '', five = ''] = others;
  const failing = db.transaction(async (tx) => {
    await tx.query(named(four));
    await tx.defer(named(five));
    return tx.last(fails);
  });
  await expect(failing).rejects.toThrow('The query divides by zero.');
  const deferred = db.transaction(async (tx) => {
    await tx.defer(fails);
    return tx.last(named(five));
  });
  await expect(deferred).rejects.toThrow('The query divides by zero.');
  expect(await stored(others)).toEqual([]);
});

it('is followed by nothing, and by anything in a transaction that joined another', async () => {
  const names = unique(3);
  const [one = '', two = '', three = ''] = names;
  const late = db.transaction(async (tx) => {
    await tx.last(named(one));
    return tx.query(named(two));
  });
  await expect(late).rejects.toThrow('A statement came after the last one of its transaction.');
  expect(await stored(names)).toEqual([one]);
  const outer = db.transaction(async (tx) => {
    await tx.transaction((joined) => joined.last(named(two)));
    await tx.query(named(three));
    throw new Error('Undone.');
  });
  await expect(outer).rejects.toThrow('Undone.');
  expect(await stored(names)).toEqual([one]);
});
