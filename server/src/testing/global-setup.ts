/** Starts one PostgreSQL for a test run and creates the migrated template in it. */
import { chmod, mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { claimFolder, startEmbedded } from '../db/embedded/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { serverVariable, withDatabase } from './database.ts';
import { clustersVariable, copyCluster } from './programs/prepared-cluster.ts';

const inMemory = '/dev/shm';
const roomNeeded = 2 * 1024 ** 3;
/** With the folders of servers that tests start, of which some write for a minute and archive what they write. */
const roomForServers = 6 * 1024 ** 3;
const prefix = 'cloudfit-test-';
const startsWithinMs = 60_000;

/** Removes the folders of runs that were killed, which would fill the memory. */
async function removeLeftovers(): Promise<void> {
  const names = await readdir(inMemory).catch(() => []);
  for (const folder of names.filter((name) => name.startsWith(prefix)).map((name) => join(inMemory, name))) {
    try {
      // A run that has just made its folder claims it a moment later.
      if (Date.now() - (await stat(folder)).mtimeMs < startsWithinMs) continue;
      claimFolder(folder)();
      await rm(folder, { recursive: true, force: true });
    } catch {
      // It is in use, belongs to another user, or has just been removed.
    }
  }
}

/** The bytes that are free in memory. */
async function roomInMemory(): Promise<number> {
  return statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
}

export default async function setup(): Promise<() => Promise<void>> {
  await removeLeftovers();
  // In memory where there is room, because each clone of the template writes two thousand files.
  const room = await roomInMemory();
  const dataDir = await mkdtemp(join(room >= roomNeeded ? inMemory : tmpdir(), prefix));
  // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(dataDir, 0o711);
  await copyCluster(dataDir);
  // Test databases need no durability, which other tests check with servers of their own. `max_connections` is enough for
  // simultaneous test files of which some start five processes with connection pools.
  const server = await startEmbedded({
    dataDir,
    log: () => undefined,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '200', max_wal_size: '256MB' },
  });
  const admin = withDatabase(server.url, 'postgres');
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  await client.query('create database template_cloudfit template cloudfit strategy file_copy');
  await client.end();
  await migrate(withDatabase(admin, 'template_cloudfit'));
  process.env[serverVariable] = admin;
  if (room >= roomForServers) {
    const servers = join(dataDir, 'servers');
    await mkdir(servers);
    await chmod(servers, 0o711);
    process.env[clustersVariable] = servers;
  }
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
}
