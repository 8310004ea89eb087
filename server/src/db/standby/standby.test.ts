/** Which addresses are taken for a standby, and who is known to have written. A real standby is in `testing/faults/standby.test.ts`. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { requireStandby } from '../../app/read-standby.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { startPooler } from '../../testing/pooler.ts';
import { openDatabase, type Database } from '../connection.ts';
import { checkStandby, systemOf } from './check-standby.ts';
import { positionOf, primaryPosition } from './log-position.ts';
import { openStandby } from './standby.ts';
import { recentWriters } from './writers.ts';

const log = pino({ level: 'silent' });
const role = `standby_${process.pid}`;
let test: TestDatabase;
let database: Database;
let system: string;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 4, onError: () => undefined });
  system = await systemOf(test.url);
});
afterAll(async () => {
  await database.close();
  await test.close();
});

it('compares positions as numbers', () => {
  expect(positionOf('0/FFFFFFFF') < positionOf('1/0')).toBe(true);
  expect(positionOf('16/B374D848')).toBe(0x16_b374_d848n);
});

it('says that the database is away when the address of the primary leads to a standby, as during a fail-over', async () => {
  const refusal = new ApiError('InternalError', 'cannot access temporary or unlogged relations during recovery');
  const query = () => Promise.reject(refusal);
  const db = { query, last: query, defer: query, transaction: query };
  await expect(recentWriters(database, 1_000, log).position(db, 'token 1')).rejects.toMatchObject({ code: 'Unavailable', status: 503 });
  await expect(primaryPosition(db)).rejects.toMatchObject({ code: 'Unavailable' });
});

it('refuses a pooler in transaction mode by the name of its setting', async () => {
  const pooler = await startPooler(test.url);
  try {
    await expect(checkStandby(pooler.url, system)).rejects.toThrow(/^DATABASE_READ_URL leads to a pooler that shares sessions/);
  } finally {
    await pooler.close();
  }
});

it('refuses a copy of another database, and a user who may not take the roles of callers', async () => {
  await expect(checkStandby(test.url, '1')).rejects.toThrow('is no copy of the one of DATABASE_URL');
  const owner = new pg.Client({ connectionString: test.url });
  await owner.connect();
  await owner.query(`create role ${role} login noinherit password 'secret'`);
  const url = new URL(test.url);
  [url.username, url.password] = [role, 'secret'];
  try {
    await expect(checkStandby(url.href, system)).rejects.toThrow('may not take the roles of callers');
  } finally {
    await owner.query(`drop role ${role}`);
    await owner.end();
  }
});

it('says of a primary that it is no standby, and does not read it', async () => {
  expect(await checkStandby(test.url, system)).toBe(false);
  const standby = openStandby({ url: test.url, max: 2, maxLagMs: 5_000, primary: database, log });
  await expect.poll(() => standby.state().problem, { timeout: 20_000 }).toBe('noStandby');
  await sleep(600);
  expect(standby.isRead()).toBe(false);
  await standby.close();
});

it('does not read a standby that is behind a pooler in transaction mode, also when the pooler comes later', async () => {
  const pooler = await startPooler(test.url);
  const standby = openStandby({ url: pooler.url, max: 2, maxLagMs: 5_000, primary: database, log });
  await expect.poll(() => standby.state().problem, { timeout: 20_000 }).toBe('refused');
  expect(standby.state().reason).toContain('DATABASE_READ_URL leads to a pooler that shares sessions');
  await standby.close();
  await pooler.close();
});

it('a start without DATABASE_URL is refused, and one whose standby is away is not', async () => {
  const settings = { databaseReadUrl: 'postgres://nobody@127.0.0.1:1/nothing', standbyMaxLagSeconds: 5, dbPool: 4 };
  await expect(requireStandby({ ...settings, databaseUrl: undefined }, test.url, log)).rejects.toThrow('DATABASE_URL is not');
  await expect(requireStandby({ ...settings, databaseUrl: test.url }, test.url, log)).resolves.toBeUndefined();
  await expect(requireStandby({ ...settings, databaseReadUrl: undefined, databaseUrl: undefined }, test.url, log)).resolves.toBeUndefined();
});

it('knows in every process who has written lately, in any scope, and forgets it', async () => {
  const writers = recentWriters(database, 1_000, log);
  const other = recentWriters(database, 1_000, log);
  const scoped = database.scoped([]);
  expect(await other.position(scoped, 'token 1')).toBeUndefined();
  await writers.note('token 1');
  const before = await primaryPosition(scoped);
  const needed = await other.position(scoped, 'token 1');
  expect(needed).toBeGreaterThanOrEqual(before);
  expect(await other.position(scoped, 'token 2')).toBeUndefined();
  const owner = new pg.Client({ connectionString: test.url });
  await owner.connect();
  await owner.query("update recent_writer set until = now() - interval '1 second'");
  await owner.end();
  expect(await other.position(scoped, 'token 1')).toBeUndefined();
});
