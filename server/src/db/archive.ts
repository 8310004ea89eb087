/** The archive for restoring to a point in time: the write-ahead log of the embedded PostgreSQL, base copies, uploaded files. */
import { createHash } from 'node:crypto';
import { chownSync, createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { chown, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { StartError } from '../platform/start-error.ts';

/** Number of base copies; every moment since the oldest can be restored. */
const keptCopies = 7;
/** Seconds after which a segment of the log is archived even if it is not full: the maximum loss when a machine is lost. */
const archiveTimeoutSeconds = 60;
/** The shell that decompresses segments is missing there. */
const compresses = process.platform !== 'win32';
const segment = /^[0-9A-F]{24}/;

export interface BaseCopy {
  folder: string;
  started: string;
  /** This copy cannot restore a moment before this time. */
  ended: string;
  /** First segment of the log that it needs. */
  firstSegment: string;
  bytes: number;
  files: { path: string; bytes: number; sha256: string }[];
  folders: string[];
}

const walOf = (archive: string): string => join(archive, 'wal');
const basesOf = (archive: string): string => join(archive, 'base');

/** Settings with which PostgreSQL archives its log; creates the folder, to which PostgreSQL's user writes. */
export function archiveSettings(
  archive: string,
  libraries: string,
  user: { uid: number; gid: number } | undefined,
): Record<string, string> {
  if (
    !['postgresql', '.'].some((folder) => ['so', 'dylib', 'dll'].some((end) => existsSync(join(libraries, folder, `basic_archive.${end}`))))
  )
    throw new StartError(
      'The embedded PostgreSQL of this platform cannot archive: leave ARCHIVE_DIR out, or use a PostgreSQL of your own.',
    );
  try {
    if (!existsSync(archive)) mkdirSync(archive, { recursive: true, mode: user ? 0o711 : 0o700 });
    mkdirSync(walOf(archive), { recursive: true, mode: 0o700 });
    if (user) chownSync(walOf(archive), user.uid, user.gid);
  } catch (error) {
    throw new StartError(`The archive ${archive} cannot be written: ${(error as Error).message}.`);
  }
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    archive_timeout: String(archiveTimeoutSeconds),
    'basic_archive.archive_directory': walOf(archive),
  };
}

/** The command with which PostgreSQL gets one segment during recovery. */
export function restoreCommand(archive: string): string {
  const folder = walOf(archive).replaceAll('%', '%%');
  if (!compresses) return `copy "${folder.replaceAll('/', '\\')}\\%f" "%p"`;
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  return `if [ -f ${quoted}/%f.gz ]; then gzip -dc ${quoted}/%f.gz > "%p"; else cp ${quoted}/%f "%p"; fi`;
}

export async function isArchived(archive: string, name: string): Promise<boolean> {
  return [name, `${name}.gz`].some((one) => existsSync(join(walOf(archive), one)));
}

/** A segment that was archived early is nearly empty. */
export async function compressLog(archive: string): Promise<void> {
  if (!compresses) return;
  const folder = walOf(archive);
  for (const name of (await readdir(folder)).filter((one) => /^[0-9A-F]{24}$/.test(one))) {
    const [source, draft] = [join(folder, name), join(folder, `.${name}.gz`)];
    const { uid, gid } = await stat(source);
    await pipeline(createReadStream(source), createGzip({ level: 1 }), createWriteStream(draft, { mode: 0o600, flush: true }));
    // PostgreSQL reads it as its own user.
    if (process.getuid?.() === 0) await chown(draft, uid, gid);
    await rename(draft, join(folder, `${name}.gz`));
    await rm(source);
  }
}

/** Files that recovery recreates, that identify a running server, or that belong to another moment. */
const emptied = /^(?:pg_wal|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|pg_replslot)\/./;
const leftOut =
  /(?:^|\/)(?:postmaster\.(?:pid|opts)|\.s\.PGSQL\..*|pgsql_tmp.*|pg_internal\.init.*|backup_label.*|tablespace_map.*|recovery\.signal|standby\.signal)$/;

/**
 * Copies the files of the running cluster; replaying the log makes them consistent. Returns the copy, whose folder gets
 * its final name when it is complete.
 */
export async function takeBaseCopy(url: string, cluster: string, archive: string): Promise<BaseCopy> {
  const started = new Date().toISOString();
  const folder = join(basesOf(archive), started.replace(/[:-]|\.\d+/g, ''));
  const draft = join(basesOf(archive), '.draft');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const { rows } = await client.query<{ name: string }>("select pg_walfile_name(pg_backup_start('CloudFit', true)) as name");
    const copy: BaseCopy = { folder, started, ended: '', firstSegment: rows[0]?.name ?? '', bytes: 0, files: [], folders: [] };
    const entries = await readdir(cluster, { recursive: true, withFileTypes: true });
    const paths = entries.map((entry) => ({
      entry,
      path: join(entry.parentPath, entry.name)
        .slice(cluster.length + 1)
        .replaceAll('\\', '/'),
    }));
    // The control file says where recovery starts, so it is copied last.
    const isControl = (path: string): boolean => path === 'global/pg_control';
    for (const { entry, path } of paths.toSorted((a, b) => Number(isControl(a.path)) - Number(isControl(b.path)))) {
      if (emptied.test(path) || leftOut.test(path)) continue;
      if (entry.isDirectory()) copy.folders.push(path);
      else if (entry.isFile()) {
        const file = await copyPart(join(cluster, path), join(draft, 'files', `${path}.gz`));
        if (file) copy.files.push({ path, ...file });
      }
    }
    // Waits until the last segment that the copy needs is archived.
    await client.query("set statement_timeout = '10min'");
    const { rows: stopped } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(true)');
    const label = join(draft, 'backup_label');
    await writeFile(label, stopped[0]?.labelfile ?? '', { mode: 0o600, flush: true });
    copy.bytes = copy.files.reduce((sum, { bytes }) => sum + bytes, 0);
    copy.ended = new Date().toISOString();
    const { folder: _, ...content } = copy;
    await writeFile(join(draft, 'manifest.json'), JSON.stringify(content), { mode: 0o600, flush: true });
    await rename(draft, folder);
    return copy;
  } finally {
    await client.end();
    await rm(draft, { recursive: true, force: true });
  }
}

/** Undefined when the file was deleted meanwhile, such as that of a temporary table; the log has the deletion. */
async function copyPart(source: string, target: string): Promise<{ bytes: number; sha256: string } | undefined> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  try {
    await pipeline(createReadStream(source), count, createGzip({ level: 1 }), createWriteStream(target, { mode: 0o600, flush: true }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await rm(target, { force: true });
    return undefined;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Oldest first. */
export async function baseCopies(archive: string): Promise<BaseCopy[]> {
  const names = (await readdir(basesOf(archive)).catch(() => [])).filter((name) => !name.startsWith('.')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const folder = join(basesOf(archive), name);
      return { ...(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Omit<BaseCopy, 'folder'>), folder };
    }),
  );
}

const hasTimeline = (copy: BaseCopy, name: string): boolean => copy.firstSegment.slice(0, 8) === name.slice(0, 8);

/** A copy each day, and one after a restore, which starts a new timeline of the log. */
export async function isCopyDue(url: string, archive: string, everyMs: number): Promise<boolean> {
  const newest = (await baseCopies(archive)).at(-1);
  if (!newest || Date.now() - Date.parse(newest.ended) >= everyMs) return true;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
    return !hasTimeline(newest, rows[0]?.name ?? '');
  } finally {
    await client.end();
  }
}

/** Keeps the newest copies and the log since the oldest of them; deletes the rest. */
export async function removeOldCopies(archive: string): Promise<void> {
  const copies = await baseCopies(archive);
  for (const { folder } of copies.slice(0, -keptCopies)) await rm(folder, { recursive: true, force: true });
  const [oldest] = copies.slice(-keptCopies);
  if (!oldest) return;
  // The first eight digits are the timeline, which increases with each restore; the rest is the position in the log.
  const first = oldest.firstSegment.slice(8);
  for (const name of await readdir(walOf(archive)))
    if (segment.test(name) && name.slice(8, 24) < first) await rm(join(walOf(archive), name), { force: true });
}

/** Copies new uploaded files. Files never change; removed ones stay while a restore may need them. */
export async function mirrorUploads(source: string, archive: string): Promise<void> {
  const target = join(archive, 'uploads');
  const list = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  };
  const [here, there] = [await list(source), new Set(await list(target))];
  for (const path of here.filter((one) => !there.has(one))) {
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    // Written under a temporary name, so that a file with its final name is complete.
    const draft = join(archive, '.upload');
    await copyFile(join(source, path), draft);
    await rename(draft, join(target, path));
  }
  const oldest = (await baseCopies(archive))[0];
  const removedFile = join(archive, 'removed-uploads.json');
  const before = JSON.parse(await readFile(removedFile, 'utf8').catch(() => '{}')) as Record<string, string>;
  const existing = new Set(here);
  const removed: Record<string, string> = {};
  for (const path of [...there].filter((one) => !existing.has(one))) {
    const at = before[path] ?? new Date().toISOString();
    if (oldest && at < oldest.started) await rm(join(target, path), { force: true });
    else removed[path] = at;
  }
  await writeFile(`${removedFile}.draft`, JSON.stringify(removed), { mode: 0o600, flush: true });
  await rename(`${removedFile}.draft`, removedFile);
}

const memory = (dataDir: string): string => join(dataDir, 'archive.folder');

/** Commands start the database without the server's settings, and must not cause a gap in the archived log. */
export async function rememberArchive(dataDir: string, archive: string | undefined): Promise<void> {
  if (archive === undefined) await rm(memory(dataDir), { force: true });
  else await writeFile(memory(dataDir), archive, { mode: 0o600, flush: true });
}

export async function rememberedArchive(dataDir: string): Promise<string | undefined> {
  return readFile(memory(dataDir), 'utf8').catch(() => undefined);
}
