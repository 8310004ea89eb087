/** `backup` and `restore`: the database and the uploaded files as a folder, without the master key. */
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { recordShown } from '../app/shown.ts';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey, masterKeyPath } from '../auth/master-key.ts';
import { runSetting } from '../features/installation/run.ts';
import type { Config } from '../platform/config.ts';
import { databaseAt } from '../db/snapshot.ts';
import { restoreDatabase } from '../db/restore.ts';
import { readManifest, rowCount, storedFiles, writeBackup, type ReportProgress } from '../app/backup/backup-folder.ts';
import type { AdminCommand, CommandContext, CommandResult } from './command.ts';
import { runOption, withProgress } from './progress.ts';
import { restoreAt } from './restore-at.ts';
import { recordChange } from './record.ts';

export const backup: AdminCommand = {
  name: 'backup',
  about:
    'Copies database and uploaded files into a new folder, as they are at one moment; servers may run. The master key is not in it: keep it apart.',
  operand: { name: 'FOLDER', about: 'The folder to make.' },
  options: runOption,
  run: (context) => withProgress(context.db, context.text('run'), (progress) => writeAndRecord(context, progress)),
};

async function writeAndRecord({ db, database, config, url, operand }: CommandContext, progress: ReportProgress): Promise<CommandResult> {
  const folder = resolve(operand);
  let unseen = '';
  const { tables, uploads, masterKeys } = await writeBackup({
    url,
    folder,
    masterKeys: await masterKeysInUse(db),
    uploads: config.s3Endpoint === undefined ? storedFiles(config) : undefined,
    progress,
    // A database that the API cannot answer about needs its backup most.
    record: (snapshot) =>
      recordShown(databaseAt(database, snapshot), config).catch((error: unknown) => {
        unseen = messageOf(error);
        return undefined;
      }),
  });
  const rows = rowCount(tables);
  await recordChange(db, { verb: 'backup', entity: 'installation', entityId: folder, after: { rows, uploads } });
  const key = masterKeyPath(config) ?? 'MASTER_KEY';
  return {
    lines: [
      `Backup of ${rows} rows in ${tables.length} tables${uploads ? ' and the uploaded files' : ''}: ${folder}`,
      ...(unseen === '' ? [] : [`What people see could not be recorded (${unseen}), so a drill compares only the tables.`]),
      ...(config.s3Endpoint === undefined ? [] : ['Uploaded files are in the store of S3_ENDPOINT and not in this backup.']),
      `The master key (${key}) is not in it. Keep a copy of it apart: without it the secrets in this backup cannot be read.`,
    ],
    json: { folder, rows, tables: tables.length, uploads, masterKeys },
  };
}

async function lacksKey(config: Config, masterKeys: readonly string[]): Promise<boolean> {
  return loadMasterKey({ ...config, inUse: masterKeys, log: { warn: () => undefined } }).then(
    () => false,
    () => true,
  );
}

export const restore: AdminCommand = {
  name: 'restore',
  about: 'Restores a backup into an installation whose servers are stopped: all of it, or nothing when something is wrong.',
  operand: { name: 'FOLDER', about: 'What backup wrote.', insteadOf: 'at' },
  options: {
    replace: { type: 'boolean', about: 'Replaces what is in the installation now.' },
    at: {
      type: 'string',
      value: 'TIME',
      about: 'Instead of a backup: the embedded database as it was at this time, or latest, from ARCHIVE_DIR.',
    },
  },
  runAlone: (config, text) => (text('at') === '' ? undefined : restoreAt(config, text('at'))),
  run: async ({ db, config, url, operand, isSet }) => {
    const folder = resolve(operand);
    const copy = await readManifest(folder);
    await restoreDatabase({ url, folder: join(folder, 'database'), copy, replace: isSet('replace') });
    // The backup was made in the middle of the run that made it.
    await db.query({ text: 'delete from setting where name = $1', values: [runSetting] });
    if (copy.uploads) await cp(join(folder, 'uploads'), storedFiles(config), { recursive: true });
    await recordChange(db, { verb: 'restore', entity: 'installation', entityId: folder, after: { taken: copy.taken } });
    const rows = rowCount(copy.tables);
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
