/** Which of the idle connections a statement gets: one that has planned it, of the same role. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { openDatabase, type Database } from './connection.ts';
import type { Db, TenantScope } from './db.ts';

let base: TestDatabase;
let database: Database;
beforeAll(async () => {
  base = await testDatabase();
  database = openDatabase({ url: base.url, max: 4, onError: () => undefined });
});
afterAll(async () => {
  await database.close();
  await base.close();
});

interface Session {
  pid: number;
  planned: number;
}
const session = (name: string) => ({
  name,
  text: 'select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as planned',
});
const on = async (db: Db, name: string): Promise<Session> => (await db.query<Session>(session(name)))[0] ?? { pid: 0, planned: 0 };
const [one, other] = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'];

it('stays where its like were planned, however the connections were used in between', async () => {
  const db = database.scoped('all');
  const [warm] = await Promise.all([on(db, 'a'), on(db, 'a'), on(db, 'a'), on(db, 'a')]);
  for (const name of ['b', 'c']) await on(db, name);
  const { pid, planned } = await on(db, 'a');
  expect(planned).toBe(3);
  for (let n = 0; n < 5; n++) {
    // All are used, and given back in another order.
    await Promise.all([on(db, 'a'), on(db, 'a'), on(db, 'a'), db.query({ text: 'select pg_sleep(0.02)' })]);
    expect((await on(db, 'c')).pid).toBe(pid);
  }
  expect(warm).toBeDefined();
});

it('takes a connection of its role, and of its tenants if that is as warm', async () => {
  const scopes: TenantScope[] = ['all', [one], [other]];
  const pids = await Promise.all(scopes.map(async (scope) => (await on(database.scoped(scope), 'd')).pid));
  expect(new Set(pids).size).toBe(3);
  const again: number[][] = [];
  for (let n = 0; n < 3; n++) {
    const round: number[] = [];
    for (const scope of scopes) round.push((await on(database.scoped(scope), 'd')).pid);
    again.push(round);
  }
  const [first = [], ...others] = again;
  expect(first[1]).not.toBe(first[0]);
  for (const round of others) expect(round).toEqual(first);
});
