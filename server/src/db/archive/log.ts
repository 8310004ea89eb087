/** The write-ahead log of the embedded PostgreSQL on its way into the archive, and back for recovery. */
import { chownSync, createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { ArchiveStore } from '../../platform/archive-store.ts';
import { StartError } from '../../platform/start-error.ts';
import { keepJson, keepStream, readJson } from './files.ts';

/** Seconds after which a segment of the log is archived even if not full: this limits the loss when a machine fails. */
const archiveTimeoutSeconds = 60;
/** Names of folders in the cluster's folder: segments that wait for a store, and segments for recovery. */
const waitingName = 'archive_waiting';
const restoredName = 'archive_restored';
export const archiveFolders: readonly string[] = [waitingName, restoredName];
const isWindows = process.platform === 'win32';
const logFile = /^(?:[0-9A-F]{24}(?:\.partial|\.[0-9A-F]{8}\.backup)?|[0-9A-F]{8}\.history)$/;
const gzipped = /\.gz$/;

const isStore = (archive: string): boolean => archive.startsWith('s3://');

/**
 * Returns the folder for finished segments: in the archive if that is a folder, otherwise in the cluster's folder, from
 * which the segments are sent.
 */
export function logFolder(archive: string, cluster: string): string {
  return isStore(archive) ? join(cluster, waitingName) : join(archive, 'wal');
}

/** Returns the settings with which PostgreSQL archives its log; creates the folder, to which PostgreSQL's user writes. */
export function archiveSettings(
  archive: string,
  cluster: string,
  libraries: string,
  user: { uid: number; gid: number } | undefined,
): Record<string, string> {
  if (
    !['postgresql', '.'].some((folder) => ['so', 'dylib', 'dll'].some((end) => existsSync(join(libraries, folder, `basic_archive.${end}`))))
  )
    throw new StartError(
      'The embedded PostgreSQL of this platform cannot archive: leave ARCHIVE_DIR out, or use a PostgreSQL of your own.',
    );
  const folder = logFolder(archive, cluster);
  try {
    if (!isStore(archive) && !existsSync(archive)) mkdirSync(archive, { recursive: true, mode: user ? 0o711 : 0o700 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
  } catch (error) {
    throw new StartError(`The archive ${archive} cannot be written: ${messageOf(error)}.`);
  }
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    archive_timeout: String(archiveTimeoutSeconds),
    'basic_archive.archive_directory': folder,
  };
}

/** Returns the system identifier that initdb gave the cluster; the control file begins with it. */
async function databaseOf(cluster: string): Promise<string> {
  return (await readFile(join(cluster, 'global/pg_control'))).readBigUInt64LE(0).toString();
}

const ownerName = 'archive.json';
type ArchiveOwner = { database: string };

/** Returns whether the archive belongs to this database, or to no database yet. */
export async function isOwner(store: ArchiveStore, cluster: string): Promise<boolean> {
  const owner = await readJson<ArchiveOwner>(store, ownerName);
  return owner === undefined || owner.database === (await databaseOf(cluster));
}

/**
 * Claims the archive for this database. Throws if another database owns it: two databases in one archive would
 * overwrite each other's log.
 */
export async function claimArchive(store: ArchiveStore, cluster: string): Promise<void> {
  if (!(await isOwner(store, cluster)))
    throw new StartError(
      `The archive ${store.name} belongs to another database: restore that one from it, or set ARCHIVE_DIR to an empty place`,
    );
  await keepJson(store, ownerName, { database: await databaseOf(cluster) } satisfies ArchiveOwner);
}

/**
 * Sends finished segments to the archive, compressed, the oldest first, and returns their number. A segment that was
 * archived before it was full compresses to little. Another process may send the same segments at the same time.
 */
export async function sendLog(store: ArchiveStore, folder: string): Promise<number> {
  let sent = 0;
  for (const name of await waiting(folder))
    try {
      await keepStream(store, `wal/${name}.gz`, createReadStream(join(folder, name)), createGzip({ level: 1 }));
      await rm(join(folder, name), { force: true });
      sent++;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(join(folder, name))) throw error;
    }
  return sent;
}

const waiting = async (folder: string): Promise<string[]> => (await readdir(folder)).filter((name) => logFile.test(name)).toSorted();

export async function waitingBytes(folder: string): Promise<number> {
  const sizes = (await waiting(folder)).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export async function isArchived(store: ArchiveStore, segment: string): Promise<boolean> {
  return (await store.list('wal/')).some((name) => name.replace(gzipped, '') === `wal/${segment}`);
}

/** Deletes the log before `firstSegment`. */
export async function removeLogBefore(store: ArchiveStore, firstSegment: string): Promise<void> {
  // The first eight digits are the timeline, which increases with each restore; the rest is the position in the log.
  const first = firstSegment.slice(8);
  for (const name of await store.list('wal/'))
    if (/^[0-9A-F]{24}/.test(name.slice(4)) && name.slice(12, 28) < first) await store.remove(name);
}

/**
 * Copies the log since `firstSegment` into the cluster. Returns the name of a damaged file, if any, because PostgreSQL
 * would take an unreadable file for the end of the log.
 */
export async function fetchLog(store: ArchiveStore, firstSegment: string, cluster: string): Promise<string | undefined> {
  const folder = join(cluster, restoredName);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const needed = (await store.list('wal/')).filter((name) => {
    const file = name.slice(4).replace(gzipped, '');
    return logFile.test(file) && (file.endsWith('.history') || file.slice(8, 24) >= firstSegment.slice(8));
  });
  let damaged: string | undefined;
  for (const name of needed.toSorted()) {
    const target = join(folder, name.slice(4));
    const file = await store.open(name);
    // The segment was compressed and renamed since the list was read.
    if (!file) continue;
    await pipeline(file, createWriteStream(target, { mode: 0o600 }));
    if (!gzipped.test(name)) continue;
    try {
      const plain = isWindows
        ? createWriteStream(target.replace(gzipped, ''))
        : new Writable({ write: (_chunk, _encoding, done) => done() });
      await pipeline(createReadStream(target), createGunzip(), plain);
    } catch (error) {
      damaged ??= `${name} (${messageOf(error)})`;
      await rm(target);
    }
  }
  return damaged;
}

/** Returns the command with which PostgreSQL gets one segment during recovery; it runs in the folder of the cluster. */
export function restoreCommand(): string {
  if (isWindows) return `copy "${restoredName}\\%f" "%p"`;
  return `if [ -f ${restoredName}/%f.gz ]; then gzip -dc ${restoredName}/%f.gz > "%p"; else cp ${restoredName}/%f "%p"; fi`;
}

export async function removeFetchedLog(cluster: string): Promise<void> {
  await rm(join(cluster, restoredName), { recursive: true, force: true });
}

const memory = (dataDir: string): string => join(dataDir, 'archive.folder');

/**
 * Stores the archive's address in the data folder: commands start the database without the server's settings, and must
 * not cause a gap in the archived log.
 */
export async function rememberArchive(dataDir: string, archive: string | undefined): Promise<void> {
  if (archive === undefined) await rm(memory(dataDir), { force: true });
  else await writeFile(memory(dataDir), archive, { mode: 0o600, flush: true });
}

export async function rememberedArchive(dataDir: string): Promise<string | undefined> {
  return readFile(memory(dataDir), 'utf8').catch(() => undefined);
}
