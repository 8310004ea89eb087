import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase } from '../testing/database.ts';
import { finishJobs, leaseAbandonedJobs, leaseJobs, maxAttempts } from './lease.ts';
import { announceWorker, freeLostLeases, workerLocks } from './lost-workers.ts';
import { enqueue } from './queue.ts';

const log = pino({ level: 'silent' });
let url: string;
let database: Database;
let db: Db;
let closeDatabase: () => Promise<void>;
/** Sessions of other workers. */
const sessions: pg.Client[] = [];
const caller = { worker: 'own', lockKey: 1, dataFolder: 'here:/data' };

beforeAll(async () => {
  ({ url, close: closeDatabase } = await testDatabase());
  database = openDatabase({ url, max: 4, onError: () => undefined });
  db = database.scoped('all');
});
beforeEach(() => enqueue(db, { name: 'test', payload: {}, tenantId: null, correlationId: randomUUID() }));
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.end()));
  await db.query({ text: 'delete from job' });
  await db.query({ text: 'delete from worker' });
});
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

/** Adds a worker that has leased the job; returns its session, whose end is the end of the worker. */
async function otherWorker(worker: string, { dataFolder = 'there:/data', pid = 1 } = {}): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  sessions.push(session);
  await session.query(`select pg_advisory_lock_shared(${workerLocks}, 77)`);
  await db.query({
    text: 'insert into worker (worker_id, lock_key, data_folder, pid) values ($1, 77, $2, $3)',
    values: [worker, dataFolder, pid],
  });
  expect(await leaseJobs(db, { worker, atMost: 1, perTenant: 1, busyTenants: [] })).toHaveLength(1);
  return session;
}

async function end(session: pg.Client): Promise<void> {
  sessions.splice(sessions.indexOf(session), 1);
  await session.end();
  // PostgreSQL removes a session shortly after its client has gone.
  await expect.poll(() => db.query({ text: `select 1 from pg_locks where classid = ${workerLocks} and objid = 77` })).toEqual([]);
}
const graceEnds = () => db.query({ text: "update worker set gone_since = gone_since - interval '3 seconds'" });
const jobs = () => db.query({ text: 'select leased_by, leased_until > now() as is_leased, attempts from job' });
const workers = async () =>
  (await db.query<{ id: string }>({ text: 'select worker_id as id from worker order by 1' })).map((row) => row.id);

it('frees the leases of a worker some seconds after its session has ended, with the try that it began', async () => {
  const session = await otherWorker('other');
  for (let n = 0; n < 2; n++) expect([await freeLostLeases(db, caller), await graceEnds()]).toEqual([0, []]);
  await end(session);
  expect(await freeLostLeases(db, caller)).toBe(0);
  expect(await freeLostLeases(db, caller)).toBe(0);
  expect(await jobs()).toEqual([{ leased_by: 'other', is_leased: true, attempts: 1 }]);
  await graceEnds();
  expect(await freeLostLeases(db, caller)).toBe(1);
  expect(await jobs()).toEqual([{ leased_by: null, is_leased: false, attempts: 1 }]);
  expect(await workers()).toEqual(['own']);
});

it('frees nothing of a worker that has connected again, nor of one that stalls', async () => {
  const session = await otherWorker('other');
  await end(session);
  await freeLostLeases(db, caller);
  const again = new pg.Client({ connectionString: url });
  await again.connect();
  sessions.push(again);
  await again.query(`select pg_advisory_lock_shared(${workerLocks}, 77)`);
  await graceEnds();
  expect(await freeLostLeases(db, caller)).toBe(0);
  // The next end counts from its own time.
  await end(again);
  await freeLostLeases(db, caller);
  expect(await freeLostLeases(db, caller)).toBe(0);
  expect(await jobs()).toEqual([{ leased_by: 'other', is_leased: true, attempts: 1 }]);
});

it('a worker never frees its own leases while it connects again', async () => {
  await leaseJobs(db, { worker: 'own', atMost: 1, perTenant: 1, busyTenants: [] });
  for (let n = 0; n < 3; n++) expect([await freeLostLeases(db, caller), await graceEnds()]).toEqual([0, []]);
  expect(await jobs()).toEqual([{ leased_by: 'own', is_leased: true, attempts: 1 }]);
});

it('a worker that was freed in error does not end the job of the next one', async () => {
  const session = await otherWorker('other');
  await end(session);
  await freeLostLeases(db, caller);
  await graceEnds();
  await freeLostLeases(db, caller);
  const [job] = await leaseJobs(db, { worker: 'own', atMost: 1, perTenant: 1, busyTenants: [] });
  await finishJobs(db, 'other', [job?.job_id ?? 0]);
  expect(await jobs()).toEqual([{ leased_by: 'own', is_leased: true, attempts: 2 }]);
});

it('a job that was lost in its last try is left to the sweep of abandoned jobs', async () => {
  const session = await otherWorker('other');
  await db.query({ text: `update job set attempts = ${maxAttempts}` });
  await end(session);
  await freeLostLeases(db, caller);
  await graceEnds();
  await freeLostLeases(db, caller);
  await expect.poll(async () => (await leaseAbandonedJobs(db, 'own')).length).toBe(1);
});

it('frees the leases of an earlier process of its data folder at its start, but not of one that runs', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const pid = dead.pid ?? 0;
  const dataFolder = caller.dataFolder;
  for (const [place, isFreed] of [
    [{ dataFolder, pid }, true],
    [{ dataFolder, pid: process.pid }, true],
    [{ dataFolder, pid: process.ppid }, false],
    [{ dataFolder: 'there:/data', pid }, false],
  ] as const) {
    await end(await otherWorker('other', place));
    const presence = await announceWorker(database, { worker: 'own', dataFolder, log });
    expect([place, await jobs()]).toEqual([
      place,
      [isFreed ? { leased_by: null, is_leased: false, attempts: 1 } : { leased_by: 'other', is_leased: true, attempts: 1 }],
    ]);
    await presence.stop();
    await db.query({ text: "delete from worker where worker_id = 'other'" });
    await db.query({ text: 'update job set leased_until = null, attempts = 0' });
  }
});

it('holds its lock while it runs, and again after its connection was lost', async () => {
  const presence = await announceWorker(database, { worker: 'own', dataFolder: caller.dataFolder, log });
  const holders = async () =>
    (await db.query<{ pid: number }>({ text: `select pid from pg_locks where classid = ${workerLocks}` })).map((row) => row.pid);
  const [pid] = await holders();
  const killer = new pg.Client({ connectionString: url });
  await killer.connect();
  sessions.push(killer);
  await killer.query('select pg_terminate_backend($1)', [pid]);
  await expect.poll(async () => (await holders()).filter((holder) => holder !== pid).length, { timeout: 10_000 }).toBe(1);
  await presence.stop();
  // The session of PostgreSQL ends a moment after its connection.
  await expect.poll(holders, { timeout: 10_000 }).toEqual([]);
  expect(await workers()).toEqual([]);
});
