/** Backs up the database before an upgrade, because migrations cannot be undone. */
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { masterKeysInUse } from '../../auth/keys-in-use.ts';
import { openDatabase } from '../../db/connection.ts';
import type { Config } from '../../platform/config.ts';
import { StartError } from '../../platform/start-error.ts';
import { mebibytes, readManifest, rowCount, writeBackup } from './backup-folder.ts';
import { removeHalfCopies, upgradesFolder } from './leftovers.ts';

const keptVersions = 3;

interface CopySettings {
  config: Pick<Config, 'dataDir' | 'copyBeforeUpgrade'>;
  url: string;
  log: (line: string) => void;
  /** Free bytes on the folder's disk; a parameter because tests cannot fill a disk. */
  freeBytes?: (folder: string) => Promise<number>;
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Returns the path of the backup; undefined when the database is empty or the setting disables it. */
export async function copyBeforeUpgrade(settings: CopySettings, missing: readonly string[]): Promise<string | undefined> {
  const { config, url, log, freeBytes = freeBytesOf } = settings;
  await removeHalfCopies(config);
  if (!config.copyBeforeUpgrade) return undefined;
  const database = openDatabase({ url, max: 1, name: 'cloudfit-admin', onError: () => undefined });
  try {
    const db = database.scoped('all');
    const [state] = await db.query<{ filled: boolean; bytes: number }>({
      text: 'select exists (select from tenant) as filled, pg_database_size(current_database())::float8 as bytes',
    });
    if (!state?.filled) return undefined;
    const parent = upgradesFolder(config);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const free = await freeBytes(parent);
    if (free < state.bytes)
      throw new StartError(
        `The copy of the database before the upgrade needs up to ${mebibytes(state.bytes)} in ${parent}, and ${mebibytes(free)} are free. Make room; or make a backup of your own and start with COPY_BEFORE_UPGRADE=off.`,
      );
    const stamp = new Date().toISOString().replace(/[:-]|\.\d+/g, '');
    const folder = join(parent, `${stamp}-before-${(missing[0] ?? '').replace(/\.sql$/, '')}`);
    log(`Copying the database before ${missing.length === 1 ? 'a migration changes' : `${missing.length} migrations change`} it ...`);
    const upgrade = missing.at(-1);
    const { tables } = await writeBackup({ url, folder, masterKeys: await masterKeysInUse(db), uploads: undefined, upgrade });
    log(`The ${rowCount(tables)} rows from before the upgrade are in ${folder}; npm run admin -- restore reads them.`);
    await removeOldest(parent);
    return folder;
  } finally {
    await database.close();
  }
}

interface UpgradeCopy {
  name: string;
  /** Number of migrations that the copied database had run. */
  migrations: number;
  upgrade: string | undefined;
}

/**
 * Keeps the newest copy of each of the last three versions. A copy that an upgrade made which a kill had ended between two
 * migrations is of no version: only the newest of these is kept, and it takes no place of another.
 */
async function removeOldest(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => !name.startsWith('.')).toSorted();
  const copies: UpgradeCopy[] = [];
  for (const name of names) {
    const { migrations, upgrade } = await readManifest(join(parent, name)).catch(() => ({ migrations: [], upgrade: undefined }));
    copies.push({ name, migrations: migrations.length, upgrade });
  }
  const isBetween = (copy: UpgradeCopy): boolean =>
    copy.upgrade !== undefined && copies.some((candidate) => candidate.upgrade === copy.upgrade && candidate.migrations < copy.migrations);
  const versions = new Map(copies.filter((copy) => !isBetween(copy)).map((copy) => [copy.migrations, copy.name]));
  const remaining = new Set([...[...versions.values()].toSorted().slice(-keptVersions), copies.findLast(isBetween)?.name]);
  for (const { name } of copies) if (!remaining.has(name)) await rm(join(parent, name), { recursive: true, force: true });
}
