/** Connection poolers and locked or paused databases: refused or reported in one line, before anything is done. */
import { createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { startPooler, type PoolerOptions } from '../testing/pooler.ts';
import { serverProcess } from '../testing/server-process.ts';
import { requireSessions } from './pooler.ts';
import { requireVersion } from './prepare.ts';
import { takeTurn } from './turn.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

it('accepts PostgreSQL itself', async () => {
  await expect(requireSessions(test.url)).resolves.toBeUndefined();
});

const shared = /shares sessions.*pool_mode = transaction or statement.*pool_mode = session.*PostgreSQL itself/;

async function refusalOf(options: PoolerOptions): Promise<string> {
  const pooler = await startPooler(test.url, options);
  try {
    return await requireSessions(pooler.url).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  } finally {
    await pooler.close();
  }
}

it('accepts a pooler in session mode whose role has the settings, and names the settings that are missing', async () => {
  expect(await refusalOf({ mode: 'session' })).toBe('accepted');
  const without = await refusalOf({ mode: 'session', settings: '-c timezone=UTC -c lock_timeout=5s' });
  expect(without).toMatch(/^DATABASE_URL leads to a pooler that drops the settings of a connection/);
  expect(without).toMatch(/alter role \w+ set statement_timeout = '10s'; alter role \w+ set idle_in_transaction_session_timeout = '30s'\./);
});

it('refuses a pooler in transaction mode and in statement mode in the same words', async () => {
  expect(await refusalOf({ mode: 'transaction' })).toMatch(shared);
  expect(await refusalOf({ mode: 'statement' })).toMatch(shared);
});

it.each(['transaction', 'statement'] as const)('a server of two users behind a pooler in %s mode does not start', async (mode) => {
  const owner = new pg.Client({ connectionString: test.url });
  await owner.connect();
  const name = `pooled_${mode}_${process.pid}`;
  await owner.query(`create role ${name} login noinherit superuser password 'secret'`);
  const login = new URL(test.url);
  [login.username, login.password] = [name, 'secret'];
  const pooler = await startPooler(login.href, { mode });
  const server = await serverProcess({
    databaseUrl: pooler.url,
    env: { DATABASE_OWNER_URL: test.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
  });
  try {
    const refusal = await server.start().then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(refusal).toContain('The server cannot sign in to the database: DATABASE_URL leads to a pooler');
    expect(refusal).toMatch(shared);
  } finally {
    await server.remove();
    await pooler.close();
    await owner.query(`drop role ${name}`);
    await owner.end();
  }
});

it('names an older PostgreSQL with its version before anything is done', async () => {
  const older = (bytes: Buffer): Buffer =>
    Buffer.from(
      bytes
        .toString('latin1')
        .replace(/1800(\d\d)/, '1500$1')
        .replace(/\b18\./, '15.'),
      'latin1',
    );
  const pooler = await startPooler(test.url, { mode: 'session', rewrite: older });
  try {
    await expect(requireVersion(pooler.url)).rejects.toThrow(
      /^DATABASE_URL leads to PostgreSQL 15\.\d+.*, and this program needs version 18 or newer\./,
    );
    await expect(requireVersion(test.url)).resolves.toBeUndefined();
  } finally {
    await pooler.close();
  }
});

it.each(['SIGTERM', 'SIGINT'] as const)('a start that waits for a database that never answers ends by %s within 5 s', async (signal) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const { port } = silent.address() as AddressInfo;
  const server = await serverProcess({ databaseUrl: `postgres://nobody@127.0.0.1:${port}/nothing` });
  try {
    const connected = new Promise((done) => silent.once('connection', done));
    const starting = server.start().catch((error: Error) => error.message);
    await connected;
    const began = performance.now();
    expect(await server.stop(signal)).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await starting).toContain('Stopped before the start was complete.');
  } finally {
    await server.remove();
    silent.close();
  }
});

it('a server behind a pooler in transaction mode does not start, says what to do, and leaves no lock', async () => {
  const pooler = await startPooler(test.url);
  const server = await serverProcess({ databaseUrl: pooler.url, env: { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') } });
  try {
    // The pooler itself works with the driver.
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    const refusal = await server.start().then(
      () => 'started',
      (error: Error) => error.message,
    );
    const lines = refusal.split('\n').filter((line) => line.includes('pooler'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(shared);
  } finally {
    await server.remove();
    await pooler.close();
  }
  const direct = new pg.Client({ connectionString: test.url });
  await direct.connect();
  expect((await direct.query("select 1 from pg_locks where locktype = 'advisory' and objid = 7400")).rows).toEqual([]);
  await direct.end();
});

it('waits a while for its turn, and says who holds the database', async () => {
  const [holder, waiter] = ['cloudfit-restore', 'cloudfit prepare'].map(
    (name) => new pg.Client({ connectionString: test.url, application_name: name }),
  );
  if (!holder || !waiter) throw new Error('There are two.');
  await Promise.all([holder.connect(), waiter.connect()]);
  await takeTurn(holder, () => undefined);
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  const who = `the session ${rows[0]?.pid} (cloudfit-restore`;
  const lines: string[] = [];
  await expect(takeTurn(waiter, (line) => lines.push(line), 5)).rejects.toThrow(`held for more than 5 s by ${who}`);
  expect(lines).toEqual([expect.stringMatching(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\); waiting up to 5 s\.$/)]);
  expect(lines[0]).toContain(who);
  await holder.end();
  await takeTurn(waiter, () => undefined, 5);
  await waiter.end();
});
