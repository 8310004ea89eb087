/** Base copies: the files of the cluster as of a moment, from which recovery replays the archived log. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, type FileHandle, open, readdir, rm, writeFile } from 'node:fs/promises';
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { ArchiveStore } from '../../platform/archive-store.ts';
import { StartError } from '../../platform/start-error.ts';
import { keepJson, meter, readJson } from './files.ts';
import { archiveFolders, removeLogBefore, sendLog } from './log.ts';

/** Number of base copies that stay in the archive; every moment since the end of the oldest one can be restored. */
const keptCopies = 7;
/** Bytes of the cluster in one part of the copy, so that a draft needs little space and can be sent again. */
const partBytes = 64 * 1_048_576;

export interface BaseCopy {
  /** The name of the copy, made from the time when it began. */
  name: string;
  started: string;
  /** When the copy ended; it cannot restore an earlier moment. */
  ended: string;
  /** The first segment of the log that a restore of this copy needs. */
  firstSegment: string;
  /** The content of PostgreSQL's `backup_label`, where recovery starts; older copies store it as a separate file. */
  label?: string;
  bytes: number;
  /**
   * The number of stored files that together contain the files of the cluster; in older copies each file of the cluster is
   * stored separately.
   */
  parts?: number;
  files: { path: string; bytes: number; sha256: string }[];
  folders: string[];
}

/** Folders whose content is not copied: recovery recreates it, or it belongs to a running server or another moment. */
const emptied = new RegExp(
  `^(?:pg_wal|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|pg_replslot|${archiveFolders.join('|')})/.`,
);
const leftOut =
  /(?:^|\/)(?:postmaster\.(?:pid|opts)|\.s\.PGSQL\..*|pgsql_tmp.*|pg_internal\.init.*|backup_label.*|tablespace_map.*|recovery\.signal|standby\.signal)$/;

const partName = (copy: string, part: number): string => `base/${copy}/part-${String(part).padStart(5, '0')}.gz`;

interface CopyOptions {
  url: string;
  cluster: string;
  store: ArchiveStore;
  /** Folder in which PostgreSQL puts finished segments. */
  log: string;
}

/**
 * Copies the files of the running cluster; replaying the log makes them consistent. The manifest is written last: a
 * copy without a manifest is ignored.
 */
export async function takeBaseCopy({ url, cluster, store, log }: CopyOptions): Promise<BaseCopy> {
  const started = new Date().toISOString();
  const name = started.replace(/[:-]|\.\d+/g, '');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>("select pg_walfile_name(pg_backup_start('CloudFit', true)) as name");
    const copied = await copyFiles(store, name, cluster);
    // `pg_backup_stop` waits until the last segment that the copy needs is archived, ten minutes at most.
    await client.query("set statement_timeout = '10min'");
    const { rows: stopped } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(true)');
    await sendLog(store, log);
    const content: Omit<BaseCopy, 'name'> = {
      started,
      ended: new Date().toISOString(),
      firstSegment: rows[0]?.name ?? '',
      label: stopped[0]?.labelfile ?? '',
      bytes: copied.files.reduce((sum, { bytes }) => sum + bytes, 0),
      ...copied,
    };
    await keepJson(store, `base/${name}/manifest.json`, content);
    return { name, ...content };
  } finally {
    await client.end();
  }
}

async function copyFiles(store: ArchiveStore, name: string, cluster: string): Promise<Pick<BaseCopy, 'files' | 'folders' | 'parts'>> {
  const entries = (await readdir(cluster, { recursive: true, withFileTypes: true }))
    .map((entry) => ({
      entry,
      path: join(entry.parentPath, entry.name)
        .slice(cluster.length + 1)
        .replaceAll('\\', '/'),
    }))
    .filter(({ path }) => !emptied.test(path) && !leftOut.test(path));
  const folders = entries.filter(({ entry }) => entry.isDirectory()).map(({ path }) => path);
  // The control file says where recovery starts, so it is copied last.
  const isControl = (path: string): boolean => path === 'global/pg_control';
  const paths = entries.filter(({ entry }) => entry.isFile()).map(({ path }) => path);
  const files: BaseCopy['files'] = [];
  let parts = 0;
  let part: CopyPart | undefined;
  try {
    for (const path of paths.toSorted((a, b) => Number(isControl(a)) - Number(isControl(b)))) {
      const source = await openUnlessGone(join(cluster, path));
      if (!source) continue;
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of source.createReadStream({ highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
        part ??= await openPart(store);
        hash.update(chunk);
        bytes += chunk.length;
        await part.write(chunk);
        if (part.bytes() < partBytes) continue;
        await part.keep(partName(name, ++parts));
        part = undefined;
      }
      files.push({ path, bytes, sha256: hash.digest('hex') });
    }
    await part?.keep(partName(name, ++parts));
  } catch (error) {
    await part?.discard();
    throw error;
  }
  return { files, folders, parts };
}

/** Opens a file. Undefined when it was deleted meanwhile, such as that of a temporary table; the log has the deletion. */
async function openUnlessGone(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface CopyPart {
  bytes(): number;
  write(chunk: Buffer): Promise<void>;
  keep(name: string): Promise<void>;
  discard(): Promise<void>;
}

async function openPart(store: ArchiveStore): Promise<CopyPart> {
  await mkdir(store.drafts, { recursive: true, mode: 0o700 });
  const draft = join(store.drafts, randomUUID());
  const gzip = createGzip({ level: 1 });
  const { stream, result } = meter();
  const written = pipeline(gzip, stream, createWriteStream(draft, { mode: 0o600, flush: true }));
  // Prevents an unhandled rejection; the error is thrown where the stream is written or closed.
  written.catch(() => undefined);
  let bytes = 0;
  const discard = async (): Promise<void> => {
    gzip.destroy();
    await written.catch(() => undefined);
    await rm(draft, { force: true });
  };
  return {
    bytes: () => bytes,
    write: async (chunk) => {
      bytes += chunk.length;
      if (!gzip.write(chunk)) await Promise.race([once(gzip, 'drain'), written]);
    },
    keep: async (name) => {
      gzip.end();
      await written;
      await store.keep(name, draft, result());
    },
    discard,
  };
}

/** Returns the complete base copies, the oldest first. */
export async function baseCopies(store: ArchiveStore): Promise<BaseCopy[]> {
  const copies: BaseCopy[] = [];
  for (const path of (await store.list('base/')).toSorted()) {
    const [, name] = /^base\/([^/]+)\/manifest\.json$/.exec(path) ?? [];
    const content = name === undefined ? undefined : await readJson<Omit<BaseCopy, 'name'>>(store, path);
    if (name !== undefined && content) copies.push({ ...content, name });
  }
  return copies;
}

/**
 * Returns whether a new copy is due: `everyMs` after the newest one, or after a restore, which starts a new timeline of
 * the log.
 */
export async function isCopyDue(url: string, newest: BaseCopy | undefined, everyMs: number): Promise<boolean> {
  if (!newest || Date.now() - Date.parse(newest.ended) >= everyMs) return true;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
    return newest.firstSegment.slice(0, 8) !== rows[0]?.name.slice(0, 8);
  } finally {
    await client.end();
  }
}

/** Keeps the newest copies and the log since the oldest of them; deletes older and unfinished copies, and older log. */
export async function removeOldCopies(store: ArchiveStore): Promise<void> {
  const remaining = (await baseCopies(store)).slice(-keptCopies);
  const names = new Set(remaining.map(({ name }) => name));
  const old = (await store.list('base/')).filter((path) => !names.has(path.split('/')[1] ?? ''));
  // The manifest is deleted first, so that a copy that is half deleted is not mistaken for a complete one.
  const isManifest = (path: string): boolean => path.endsWith('/manifest.json');
  for (const path of old.toSorted((a, b) => Number(isManifest(b)) - Number(isManifest(a)))) await store.remove(path);
  const [oldest] = remaining;
  if (oldest) await removeLogBefore(store, oldest.firstSegment);
}

/** Writes the files of the copy into an empty folder. */
export async function unpackCopy(store: ArchiveStore, copy: BaseCopy, cluster: string): Promise<void> {
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  for (const folder of copy.folders) await mkdir(join(cluster, folder), { recursive: true, mode: 0o700 });
  const target = unpacking(copy, cluster);
  const { parts } = copy;
  const names =
    parts === undefined
      ? copy.files.map(({ path }) => `base/${copy.name}/files/${path}.gz`)
      : Array.from({ length: parts }, (_, index) => partName(copy.name, index + 1));
  for (const name of names) {
    const source = await store.open(name);
    if (!source) throw new StartError(`The base copy is damaged: ${name} is missing in ${store.name}.`);
    try {
      await pipeline(source, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await target.write(chunk);
      });
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError(`The base copy is damaged: ${name} in ${store.name} cannot be read: ${messageOf(error)}.`);
    }
  }
  await target.end();
  const label = copy.label ?? (await store.open(`base/${copy.name}/backup_label`)) ?? '';
  await writeFile(join(cluster, 'backup_label'), label, { mode: 0o600 });
  await writeFile(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
}

/** Unpacks a stream of the bytes of all files, one file after the other. */
function unpacking(copy: BaseCopy, cluster: string): { write(chunk: Buffer): Promise<void>; end(): Promise<void> } {
  const files = copy.files.values();
  let current: { path: string; sha256: string; left: number; hash: Hash; handle: FileHandle } | undefined;

  const finish = async (): Promise<void> => {
    if (!current || current.left > 0) return;
    const { path, sha256, hash, handle } = current;
    await handle.close();
    current = undefined;
    if (hash.digest('hex') !== sha256) throw new StartError(`The base copy ${copy.name} is damaged: ${path} is not what was written.`);
  };
  /** Creates empty files and opens the next file that has content. */
  const openNext = async (): Promise<void> => {
    for (let next = files.next(); !next.done; next = files.next()) {
      const { path, bytes, sha256 } = next.value;
      const target = join(cluster, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      current = { path, sha256, left: bytes, hash: createHash('sha256'), handle: await open(target, 'w', 0o600) };
      await finish();
      if (current) return;
    }
  };
  return {
    async write(chunk) {
      for (let rest = chunk; rest.length > 0;) {
        if (!current) await openNext();
        if (!current) throw new StartError(`The base copy ${copy.name} is damaged: it has more than its manifest says.`);
        const piece = rest.subarray(0, current.left);
        await current.handle.write(piece);
        current.hash.update(piece);
        current.left -= piece.length;
        rest = rest.subarray(piece.length);
        await finish();
      }
    },
    async end() {
      if (!current) await openNext();
      if (!current) return;
      await current.handle.close();
      throw new StartError(`The base copy ${copy.name} is damaged: ${current.path} is not whole.`);
    },
  };
}
