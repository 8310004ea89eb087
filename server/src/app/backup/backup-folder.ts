/** A backup as a folder: copied tables, uploaded files, and a manifest. The folder gets its final name when it is complete. */
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { RunStep } from '@cloudfit/contract/actions/installation-work.ts';
import { shownSchema, type Shown } from '../shown.ts';
import { copyDatabase, type TableCopy } from '../../db/backup.ts';
import type { Config } from '../../platform/config.ts';
import { StartError } from '../../platform/start-error.ts';

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
  /** Ids of the master keys that encrypt the secrets of the backup. */
  masterKeys: z.array(z.string()),
  uploads: z.boolean(),
  migrations: z.array(z.string()),
  tables: z.array(table),
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Of a copy before an upgrade: the last migration of that upgrade. */
  upgrade: z.string().optional(),
  /** What people saw at that moment, for a drill; absent in copies before an upgrade, whose program is not here. */
  shown: shownSchema.optional(),
});

export const storedFiles = (config: Config): string => join(config.dataDir, 'uploads/kept');
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

export const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;

export type BackupManifest = z.infer<typeof manifest>;

export const rowCount = (tables: readonly TableCopy[]): number => tables.reduce((sum, { rows }) => sum + rows, 0);

/** Called when a backup or restore begins a step, and while it copies. */
export type ReportProgress = (step: RunStep, done?: number, all?: number) => void;

interface BackupRequest {
  url: string;
  /** Must not exist yet. */
  folder: string;
  masterKeys: string[];
  /** Folder of uploaded files; undefined when they are not copied. */
  uploads: string | undefined;
  /** The last migration of the upgrade for which the copy is made. */
  upgrade?: string | undefined;
  /** Records what people see in the snapshot with this name. */
  record?: (snapshot: string) => Promise<Shown | undefined>;
  progress?: ReportProgress;
}

export async function writeBackup({
  url,
  folder,
  masterKeys,
  uploads,
  upgrade,
  record,
  progress = () => undefined,
}: BackupRequest): Promise<BackupManifest> {
  if (await exists(folder)) throw new StartError(`${folder} exists already.`);
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}`);
  try {
    await mkdir(join(draft, 'database'), { recursive: true, mode: 0o700 });
    let shown: Shown | undefined;
    const copy = await copyDatabase(url, join(draft, 'database'), {
      beside: async (snapshot) => {
        if (!record) return;
        progress('ask');
        shown = await record(snapshot);
      },
      copied: (done, all) => progress('copy', done, all),
    });
    progress('files');
    const hasUploads = uploads !== undefined && (await exists(uploads));
    if (hasUploads) await cp(uploads, join(draft, 'uploads'), { recursive: true });
    const content = manifest.parse({
      cloudfit: 'backup',
      version: 1,
      taken: new Date().toISOString(),
      masterKeys,
      uploads: hasUploads,
      ...copy,
      upgrade,
      shown,
    });
    await writeFile(join(draft, 'manifest.json'), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, folder);
    return content;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => {
    throw new StartError(`${folder} holds no backup.`);
  });
  try {
    return manifest.parse(JSON.parse(text));
  } catch {
    throw new StartError(`${folder} holds no backup that this version can read.`);
  }
}
