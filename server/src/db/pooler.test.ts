/** Connection poolers and locked or paused databases: refused or reported in one line, before anything is done. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { startPooler } from '../testing/pooler.ts';
import { serverProcess } from '../testing/server-process.ts';
import { requireSessions } from './pooler.ts';
import { takeTurn } from './turn.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

it('accepts PostgreSQL itself', async () => {
  await expect(requireSessions(test.url)).resolves.toBeUndefined();
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
    expect(lines[0]).toMatch(/shares sessions.*pool_mode = session.*PostgreSQL itself/);
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
