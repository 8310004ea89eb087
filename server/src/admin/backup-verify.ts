/** `backup verify`: restores the newest base copy or a backup into an empty folder, compares all rows, records the outcome. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { recordShown, requireSameShown, type Shown } from '../app/shown.ts';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey } from '../auth/master-key.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { folderArchive } from '../db/archive/folder-store.ts';
import { isArchived, logFolder, sendLog } from '../db/archive/log.ts';
import { archivedUploads, mirrorOfUploads } from '../db/archive/uploads.ts';
import { fileOf, type TableCopy } from '../db/backup.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { compareDatabase, compareTables, digestsAtPoint } from '../db/compare.ts';
import { digestOf, type TableDigest } from '../db/digest.ts';
import { startEmbedded, type EmbeddedServer } from '../db/embedded/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { recover } from '../db/recover.ts';
import { restoreDatabase } from '../db/restore.ts';
import { databaseAt } from '../db/snapshot.ts';
import type { ArchiveStore } from '../platform/archive-store.ts';
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';
import { archiveOf } from './archive-of.ts';
import { readManifest, storedFiles, type ReportProgress } from '../app/backup/backup-folder.ts';
import type { AdminCommand, CommandContext, CommandResult } from './command.ts';
import { runOption, withProgress } from './progress.ts';
import { recordChange } from './record.ts';

interface Copy {
  what: string;
  /** Digests of the original, with which the restored tables were compared. */
  expected: Record<string, TableDigest>;
  /** What people saw of the original; a text says why that is not known. */
  shown: Shown | string;
  server: EmbeddedServer;
  uploads: ArchiveStore | undefined;
}

async function fromArchive(config: Config, database: Database, url: string, dataDir: string, progress: ReportProgress): Promise<Copy> {
  const { archive, store } = await archiveOf(config);
  const logs = logFolder(archive, join(config.dataDir, 'postgres'));
  try {
    const point = `verify-${randomUUID()}`;
    let shown: Shown | string = '';
    progress('ask');
    const madeAfter = new Date();
    const { expected, segment } = await digestsAtPoint(url, point, async (snapshot) => {
      shown = await recordShown(databaseAt(database, snapshot), config);
    });
    for (const end = Date.now() + 60_000; ; await sleep(100)) {
      await sendLog(store, logs);
      if (await isArchived(store, segment)) break;
      if (Date.now() > end) throw new StartError(`PostgreSQL does not archive into ${archive}: ${segment} is missing after a minute.`);
    }
    await mirrorOfUploads(storedFiles(config), store)(undefined);
    progress('restore');
    const { server, copy } = await recover({ store, dataDir, target: { point, madeAfter }, settings: { fsync: 'off' } });
    try {
      progress('compare');
      await compareDatabase(server.url, expected);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return { what: `the base copy of ${copy.ended} with the log after it`, expected, shown, server, uploads: store };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Returns the digests of the files of a backup, which are known to be whole. */
async function digestsOf(folder: string, tables: readonly TableCopy[]): Promise<Record<string, TableDigest>> {
  const digests: Record<string, TableDigest> = {};
  for (const { name } of tables) {
    const lines = createGunzip();
    const unpacked = pipeline(createReadStream(join(folder, 'database', fileOf(name))), lines);
    digests[name] = await digestOf(lines);
    await unpacked;
  }
  return digests;
}

async function fromBackup(folder: string, dataDir: string, progress: ReportProgress): Promise<Copy> {
  const copy = await readManifest(folder);
  const server = await startEmbedded({ dataDir, log: () => undefined, settings: { fsync: 'off' } });
  try {
    await migrate(server.url);
    let expected: Record<string, TableDigest> = {};
    const later = await restoreDatabase({
      url: server.url,
      folder: join(folder, 'database'),
      copy,
      replace: false,
      filled: (done, all) => progress('restore', done, all),
      loaded: async (client) => {
        progress('compare');
        expected = await digestsOf(folder, copy.tables);
        await compareTables(client, expected);
      },
    });
    const shown = later.length > 0 ? 'the backup is of an older version' : (copy.shown ?? 'the backup does not say what people saw');
    return {
      what: `the backup ${folder} of ${copy.taken}`,
      expected,
      shown,
      server,
      uploads: copy.uploads ? folderArchive(folder) : undefined,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Decrypts every secret of the restored database with the master key of this installation. */
async function openSecrets(db: Db, config: Config): Promise<number> {
  const keys = await loadMasterKey({ ...config, inUse: await masterKeysInUse(db), log: { warn: () => undefined } });
  const secrets = openTenantSecrets(keys);
  const rows = await db.query<{ tenant_id: string; tenant_secret_id: string; secret_version: number }>({
    text: 'select tenant_id, tenant_secret_id, secret_version from tenant_secret_version',
  });
  for (const row of rows)
    await secrets
      .read(db, { tenantId: row.tenant_id, secretId: row.tenant_secret_id, version: row.secret_version })
      .catch((error: unknown) => {
        throw new StartError(`A secret of the restored copy does not open (${row.tenant_secret_id}): ${messageOf(error)}.`);
      });
  return rows.length;
}

/** Reads the file of every package version in the restored database. */
async function readUploads(db: Db, store: ArchiveStore): Promise<number> {
  const rows = await db.query<{ storage_name: string; sha256: string; file_name: string }>({
    text: 'select storage_name, sha256, file_name from package_version',
  });
  const openUpload = await archivedUploads(store);
  for (const { storage_name, sha256, file_name } of rows) {
    const file = await openUpload(storage_name);
    const hash = createHash('sha256');
    if (file) for await (const chunk of file as AsyncIterable<Buffer>) hash.update(chunk);
    if (!file || hash.digest('hex') !== sha256)
      throw new StartError(`The uploaded file ${file_name} (${storage_name}) ${file ? 'is damaged' : 'is missing'} in the copy.`);
  }
  return rows.length;
}

async function readRestored(
  { server, shown, uploads }: Copy,
  config: Config,
  progress: ReportProgress,
): Promise<{ answers: number; secrets: number; files: number }> {
  const database = openDatabase({ url: server.url, max: 2, name: 'cloudfit-admin', onError: () => undefined });
  try {
    const db = database.scoped('all');
    progress('secrets');
    const files = uploads !== undefined && config.s3Endpoint === undefined ? await readUploads(db, uploads) : 0;
    const secrets = await openSecrets(db, config);
    if (typeof shown === 'string') return { answers: 0, secrets, files };
    progress('ask');
    await requireSameShown(database, config, shown);
    return { answers: shown.answers.length, secrets, files };
  } finally {
    await database.close();
  }
}

export const backupVerify: AdminCommand = {
  name: 'backup verify',
  about:
    'Restores the newest base copy with its log, or the backup of --folder, into an empty place, compares everything and records the date.',
  options: { folder: { type: 'string', value: 'FOLDER', about: 'What backup wrote, instead of the archive.' }, ...runOption },
  run: (context) => withProgress(context.db, context.text('run'), (progress) => verify(context, progress)),
};

async function verify({ db, database, config, url, isSet, text }: CommandContext, progress: ReportProgress): Promise<CommandResult> {
  const began = Date.now();
  const home = join(config.dataDir, `verify-${process.pid}`);
  const record = async (outcome: Record<string, unknown>): Promise<void> => {
    await db.transaction(async (tx) => {
      await tx.query({
        text: "insert into setting (name, value) values ('restoreDrill', $1) on conflict (name) do update set value = excluded.value",
        values: [JSON.stringify(outcome)],
      });
      await recordChange(tx, { verb: 'verify', entity: 'installation', entityId: String(outcome['what'] ?? 'backup'), after: outcome });
    });
  };
  await mkdir(config.dataDir, { recursive: true });
  await rm(home, { recursive: true, force: true });
  let server: EmbeddedServer | undefined;
  let uploads: ArchiveStore | undefined;
  try {
    const copy = isSet('folder')
      ? await fromBackup(resolve(text('folder')), home, progress)
      : await fromArchive(config, database, url, home, progress);
    ({ server, uploads } = copy);
    const { answers, secrets, files } = await readRestored(copy, config, progress);
    const tables = Object.keys(copy.expected).length;
    const rows = Object.values(copy.expected).reduce((sum, item) => sum + item.rows, 0);
    const seconds = Math.round((Date.now() - began) / 100) / 10;
    await record({ at: new Date().toISOString(), what: copy.what, rows, tables, answers, secrets, files, seconds });
    return {
      lines: [
        `Restored ${copy.what} in ${seconds} s: ${rows} rows in ${tables} tables and ${answers} answers of the API are the same, ${secrets} secrets open, ${files} uploaded files are whole.`,
        ...(typeof copy.shown === 'string' ? [`Answers of the API were not compared: ${copy.shown}.`] : []),
      ],
      json: { what: copy.what, rows, tables, answers, secrets, files, seconds },
    };
  } catch (error) {
    await recordChange(db, { verb: 'verify', entity: 'installation', entityId: 'backup', after: { failed: messageOf(error) } });
    throw error;
  } finally {
    uploads?.close();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  }
}
