/** What is read where: the standby while it has what the caller must see, the primary otherwise, and for the rest of the call. */
import { expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db, Statement } from '../db.ts';
import { unreachable } from '../errors.ts';
import { isWrite, readerOf } from './reader.ts';
import type { Standby } from './readable.ts';

interface Situation {
  isRead?: boolean;
  needs?: bigint;
  /** The position that the standby has. */
  has?: bigint;
  /** What statements fail with on the standby. */
  fails?: Error;
}

function setUp({ isRead = true, needs, has = 0n, fails }: Situation = {}) {
  const log: string[] = [];
  let questions = 0;
  const dbOf = (where: string, error?: Error): Db => {
    const run = async <T>({ text }: Statement): Promise<T[]> => {
      log.push(`${where}: ${text}`);
      if (error) throw error;
      return [];
    };
    const db: Db = { query: run, last: run, defer: async (statement) => void (await run(statement)), transaction: (work) => work(db) };
    return db;
  };
  const standby: Standby = {
    isRead: () => isRead,
    run: (work) => work({ scoped: (scope) => dbOf(`standby ${String(scope)}`, fails) }),
    reaches: (position) => Promise.resolve(has >= position),
    caughtUp: () => Promise.resolve(),
    state: () => ({ isRead, problem: null, reason: null, lagSeconds: 0 }),
    close: () => Promise.resolve(),
  };
  const position = (): Promise<bigint | undefined> => {
    questions += 1;
    return Promise.resolve(needs);
  };
  return { db: readerOf({ primary: dbOf('primary'), standby, scope: ['t1'], position }), log, questions: () => questions };
}

it('reads from the standby in the scope of the caller, and asks once what the caller must see', async () => {
  const { db, log, questions } = setUp({ needs: 7n, has: 7n });
  await Promise.all([db.query({ text: 'select 1' }), db.query({ text: 'select 2' })]);
  await db.query({ text: 'select 3' });
  expect(log).toEqual(['standby t1: select 1', 'standby t1: select 2', 'standby t1: select 3']);
  expect(questions()).toBe(1);
});

it.each<[string, Situation]>([
  ['lacks what the caller has written', { needs: 8n, has: 7n }],
  ['is not read', { isRead: false }],
])('reads from the primary while the standby %s', async (_what, situation) => {
  const { db, log } = setUp(situation);
  await db.query({ text: 'select 1' });
  await db.query({ text: 'select 2' });
  expect(log).toEqual(['primary: select 1', 'primary: select 2']);
});

it('reads again from the primary what the standby could not answer, and stays there', async () => {
  const { db, log } = setUp({ fails: unreachable() });
  await db.query({ text: 'select 1' });
  await db.query({ text: 'select 2' });
  expect(log).toEqual(['standby t1: select 1', 'primary: select 1', 'primary: select 2']);
});

it('does not ask the primary what would fail there too, or has taken long already', async () => {
  const { db, log } = setUp({ fails: new ApiError('Timeout', 'This took too long.') });
  await expect(db.query({ text: 'select 1' })).rejects.toThrow('This took too long.');
  expect(log).toEqual(['standby t1: select 1']);
});

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['a write', (db) => db.query({ text: 'insert into audit default values' })],
  ['the last statement', (db) => db.last({ text: 'select write()' })],
  ['a write without a result', (db) => db.defer({ text: 'select write()' })],
  ['a transaction', (db) => db.transaction((tx) => tx.query({ text: 'select 1 for update' }))],
])('stays at the primary after %s, so that the call sees it', async (_what, write) => {
  const { db, log } = setUp();
  await db.query({ text: 'select 1' });
  await write(db);
  await db.query({ text: 'select 2' });
  expect(log.map((line) => line.split(':')[0])).toEqual(['standby t1', 'primary', 'primary']);
});

it.each([
  ['select name from location', false],
  ['select updated, inserted_by from t where name = $1', false],
  ['with a as (select 1) select * from a', false],
  ['  UPDATE location set name = $1', true],
  ['with a as (insert into audit default values returning 1) select * from a', true],
  ['with a as (delete from job returning 1) select * from a', true],
  ['select 1 from location t where true for no key update of t', true],
  ['select 1 from location t for update', true],
])('%s: a write? %s', (text, expected) => {
  expect(isWrite({ text })).toBe(expected);
});
