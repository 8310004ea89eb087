/**
 * A real PgBouncer before the server's own sign-in, while the owner signs in to PostgreSQL itself. The cases of `pooler.test.ts` with a
 * pooler of the tests run everywhere; these need Debian's package `pgbouncer`, which `npm test` installs where it may.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { hasPgBouncer, startPgBouncer } from '../testing/programs/pgbouncer.ts';
import { serverProcess, type ServerProcess } from '../testing/server-process.ts';

const role = `pgbouncer_${process.pid}`;
let test: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  test = await testDatabase();
  owner = new pg.Client({ connectionString: test.url });
  await owner.connect();
  await owner.query(`create role ${role} login noinherit password 'secret'`);
});
afterAll(async () => {
  await owner.query(`drop role ${role}`);
  await owner.end();
  await test.close();
});

/** Runs `work` with a server that signs in through PgBouncer. */
async function behind(options: { mode: string; poolSize?: number }, work: (server: ServerProcess) => Promise<void>): Promise<void> {
  const login = new URL(test.url);
  [login.username, login.password] = [role, 'secret'];
  const pooler = await startPgBouncer(login.href, options);
  const env = { DATABASE_OWNER_URL: test.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '4' };
  const server = await serverProcess({ databaseUrl: pooler.url, env });
  try {
    await work(server);
  } finally {
    await server.remove();
    await pooler.close();
  }
}

async function refusalOf(server: ServerProcess): Promise<string> {
  return server.start().then(
    () => 'started',
    (error: Error) => error.message,
  );
}

describe.skipIf(!hasPgBouncer)('PgBouncer', { timeout: 120_000 }, () => {
  it.each(['transaction', 'statement'])('in %s mode is refused, with what to do', async (mode) => {
    await behind({ mode }, async (server) => {
      const refusal = await refusalOf(server);
      expect(refusal).toContain('DATABASE_URL leads to a pooler that shares sessions, such as PgBouncer with pool_mode');
      expect(refusal).toContain('Set pool_mode = session for this database, or let DATABASE_URL name PostgreSQL itself.');
    });
  });

  it('in session mode works once the role has the settings that are named', async () => {
    await behind({ mode: 'session' }, async (server) => {
      const refusal = await refusalOf(server);
      const [, statements = ''] =
        /the role does not have them: (.+)\. Run these, and let the pooler open new connections/.exec(refusal) ?? [];
      expect(refusal).toContain('DATABASE_URL leads to a pooler that drops the settings of a connection');
      expect(statements).toMatch(/alter role pgbouncer_\d+ set statement_timeout = '10s'/);
      for (const one of statements.split('; ')) await owner.query(`alter role ${one.replace(/^alter role /, '')}`);
    });
    await behind({ mode: 'session' }, async (server) => {
      await server.start();
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(await server.stop()).toBe(0);
    });
    await owner.query(`alter role ${role} reset all`);
  });

  it.each(['transaction', 'statement'])('before the standby is refused in %s mode too', async (mode) => {
    const login = new URL(test.url);
    [login.username, login.password] = [role, 'secret'];
    const pooler = await startPgBouncer(login.href, { mode });
    const env = { DATABASE_OWNER_URL: test.url, DATABASE_READ_URL: pooler.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
    const server = await serverProcess({ databaseUrl: login.href, env: { ...env, DB_POOL: '4' } });
    try {
      const refusal = await refusalOf(server);
      expect(refusal).toContain('The standby cannot be read: DATABASE_READ_URL leads to a pooler that shares sessions');
      expect(refusal).toContain('let DATABASE_READ_URL name PostgreSQL itself.');
    } finally {
      await server.remove();
      await pooler.close();
    }
  });

  it('whose pool is too small lets the start wait, which SIGTERM ends', async () => {
    await behind({ mode: 'session', poolSize: 1 }, async (server) => {
      const starting = refusalOf(server);
      const waits = 'select 1 from pg_stat_activity where usename = $1';
      await expect.poll(async () => (await owner.query(waits, [role])).rows.length, { timeout: 60_000 }).toBeGreaterThan(0);
      expect(await server.stop()).toBe(0);
      expect(await starting).toContain('Stopped before the start was complete.');
    });
  });
});
