/** `backup` and `restore`: the database and the uploaded files as a folder. The master key is not in it. */
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey, masterKeyPath } from '../auth/master-key.ts';
import type { Config } from '../platform/config.ts';
import { copyDatabase } from '../db/backup.ts';
import { restoreDatabase } from '../db/restore.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { recordChange } from './record.ts';

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.number(),
  sha256: z.string(),
  partitions: z.array(z.object({ name: z.string(), bound: z.string() })),
});
const manifest = z.object({
  cloudfit: z.literal('backup'),
  version: z.literal(1),
  taken: z.string(),
  /** Master keys without which its secrets cannot be read. */
  masterKeys: z.array(z.string()),
  uploads: z.boolean(),
  migrations: z.array(z.string()),
  tables: z.array(table),
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
});

const storedFiles = (config: Config): string => join(config.dataDir, 'uploads/kept');
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

export const backup: AdminCommand = {
  name: 'backup',
  about:
    'Copies database and uploaded files into a new folder, as they are at one moment; servers may run. The master key is not in it: keep it apart.',
  operand: { name: 'FOLDER', about: 'The folder to make.' },
  options: {},
  run: async ({ db, config, url, operand }) => {
    const folder = resolve(operand);
    if (await exists(folder)) throw new UsageError(`${folder} exists already.`);
    // Only a whole backup gets the name.
    const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}`);
    try {
      await mkdir(join(draft, 'database'), { recursive: true, mode: 0o700 });
      const copy = await copyDatabase(url, join(draft, 'database'));
      const masterKeys = await masterKeysInUse(db);
      const uploads = config.s3Endpoint === undefined && (await exists(storedFiles(config)));
      if (uploads) await cp(storedFiles(config), join(draft, 'uploads'), { recursive: true });
      const text = manifest.parse({ cloudfit: 'backup', version: 1, taken: new Date().toISOString(), masterKeys, uploads, ...copy });
      await writeFile(join(draft, 'manifest.json'), `${JSON.stringify(text, null, 2)}\n`, { mode: 0o600, flush: true });
      await rename(draft, folder);
      const rows = copy.tables.reduce((sum, { rows }) => sum + rows, 0);
      await recordChange(db, { verb: 'backup', entity: 'installation', entityId: folder, after: { rows, uploads } });
      const key = masterKeyPath(config) ?? 'MASTER_KEY';
      return {
        lines: [
          `Backup of ${rows} rows in ${copy.tables.length} tables${uploads ? ' and the uploaded files' : ''}: ${folder}`,
          ...(config.s3Endpoint === undefined ? [] : ['Uploaded files are in the store of S3_ENDPOINT and not in this backup.']),
          `The master key (${key}) is not in it. Keep a copy of it apart: without it the secrets in this backup cannot be read.`,
        ],
        json: { folder, rows, tables: copy.tables.length, uploads, masterKeys },
      };
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
  },
};

async function readManifest(folder: string): Promise<z.infer<typeof manifest>> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => {
    throw new UsageError(`${folder} holds no backup.`);
  });
  try {
    return manifest.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${folder} holds no backup that this version can read.`);
  }
}

async function lacksKey(config: Config, masterKeys: readonly string[]): Promise<boolean> {
  return loadMasterKey({ ...config, inUse: masterKeys, log: { warn: () => undefined } }).then(
    () => false,
    () => true,
  );
}

export const restore: AdminCommand = {
  name: 'restore',
  about: 'Puts a backup into an installation without servers running: all of it, or when something is wrong nothing.',
  operand: { name: 'FOLDER', about: 'What backup wrote.' },
  options: { replace: { type: 'boolean', about: 'What is in the installation now may go.' } },
  run: async ({ db, config, url, operand, isSet }) => {
    const folder = resolve(operand);
    const copy = await readManifest(folder);
    await restoreDatabase({ url, folder: join(folder, 'database'), copy, replace: isSet('replace') });
    if (copy.uploads) await cp(join(folder, 'uploads'), storedFiles(config), { recursive: true });
    await recordChange(db, { verb: 'restore', entity: 'installation', entityId: folder, after: { taken: copy.taken } });
    const rows = copy.tables.reduce((sum, { rows }) => sum + rows, 0);
    const missing = copy.masterKeys.length > 0 && (await lacksKey(config, copy.masterKeys));
    return {
      lines: [
        `Restored ${rows} rows of ${copy.taken}${copy.uploads ? ', and the uploaded files' : ''}.`,
        ...(missing
          ? [
              `Its secrets need the master key ${copy.masterKeys.join(' and ')}: put it into ${masterKeyPath(config) ?? 'MASTER_KEY'} before you start.`,
            ]
          : []),
      ],
      json: { folder, taken: copy.taken, rows, uploads: copy.uploads, masterKeyMissing: missing },
    };
  },
};
