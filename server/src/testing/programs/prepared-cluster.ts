/** A migrated cluster that servers of tests copy, because initdb and all migrations cost more processor time than their start. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { migrate, readMigrations } from '../../db/migrate.ts';

/** Environment variable with the folder of the data folders of servers. */
export const clustersVariable = 'TEST_CLUSTERS';

/**
 * Where servers of tests have their data folders: in memory while Vitest runs, which kill -9 of their processes does not empty. Their
 * PostgreSQL writes everything through to the disk, and after a crash reads and writes through each of its two thousand files.
 */
export const placeOfClusters = (): string => process.env[clustersVariable] ?? tmpdir();

const root = join(import.meta.dirname, '../../../..');
const cache = join(root, 'node_modules/.cache');
const prefix = 'cluster-';
const unusedMs = 24 * 3_600_000;
let prepared: Promise<string> | undefined;

const copy = (from: string, to: string): Promise<unknown> => promisify(execFile)('cp', ['-a', from, to]);

/** What the cluster depends on: the migrations, the code that makes it, PostgreSQL, and the user to whom it belongs. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.getuid?.() ?? ''}`);
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum} `);
  for (const file of ['server/src/db/embedded/cluster.ts', 'server/src/testing/programs/prepared-cluster.ts', 'package-lock.json'])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Removes clusters of other migrations, unless a run that has begun with them may still use them. */
function removeOld(): void {
  for (const path of readdirSync(cache).map((name) => join(cache, name)))
    if (basename(path).startsWith(prefix) && Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > unusedMs)
      rmSync(path, { recursive: true, force: true });
}

async function prepare(): Promise<string> {
  const folder = join(cache, prefix + (await fingerprint()));
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'cloudfit-prepare-'));
  try {
    // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
    chmodSync(dataDir, 0o711);
    const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
    const server = await startEmbedded({ dataDir, log: () => undefined, settings });
    await migrate(server.url);
    await server.stop();
    mkdirSync(cache, { recursive: true });
    const side = mkdtempSync(join(cache, `.${prefix}`));
    await copy(join(dataDir, 'postgres'), join(side, 'postgres'));
    try {
      renameSync(join(side, 'postgres'), folder);
    } catch (error) {
      // Another process may have made it at the same time.
      if (!existsSync(folder)) throw error;
    }
    rmSync(side, { recursive: true, force: true });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  removeOld();
  return folder;
}

/** Puts a migrated cluster, in which no server has run, into a data folder that has none. */
export async function copyCluster(dataDir: string): Promise<void> {
  const target = join(dataDir, 'postgres');
  if (process.platform === 'win32' || existsSync(target)) return;
  prepared ??= prepare();
  const from = await prepared;
  mkdirSync(dirname(dataDir), { recursive: true });
  if (!existsSync(dataDir)) mkdirSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  await copy(from, target);
}
