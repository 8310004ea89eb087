/** Starts one PostgreSQL for a test run and creates the migrated template in it. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { serverVariable, withDatabase } from './database.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cloudfit-test-'));
  // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(dataDir, 0o711);
  // Test databases need no durability, which other tests check with servers of their own. `max_connections` is enough for
  // simultaneous test files of which some start five processes with connection pools.
  const server = await startEmbedded({
    dataDir,
    log: () => undefined,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '200' },
  });
  const admin = withDatabase(server.url, 'postgres');
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  await client.query('create database template_cloudfit');
  await client.end();
  await migrate(withDatabase(admin, 'template_cloudfit'));
  process.env[serverVariable] = admin;
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
}
