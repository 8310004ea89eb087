/** Runs backups and trial restores as commands in processes of their own, so that they delay no request. */
import { spawn } from 'node:child_process';
import { mkdir, statfs } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { RunKind } from '@cloudfit/contract/actions/installation-work.ts';
import { mebibytes } from './backup/backup-folder.ts';
import { backupsFolder } from './backup/places.ts';
import type { Db } from '../db/db.ts';
import type { InstallationRuns } from '../features/installation/work.action.ts';
import type { Config } from '../platform/config.ts';
import { programFile } from '../platform/programs.ts';

/** Returns a folder for a new backup; throws when its disk may be too small. */
async function newBackup(parent: string, db: Db): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const [size] = await db.query<{ bytes: number }>({ text: 'select pg_database_size(current_database())::float8 as bytes' });
  const { bavail, bsize } = await statfs(parent);
  const [needed, free] = [size?.bytes ?? 0, bavail * bsize];
  if (free < needed)
    throw new ApiError(
      'Conflict',
      `A backup needs up to ${mebibytes(needed)} in ${parent}, and ${mebibytes(free)} are free. Make room, or set BACKUP_DIR to a folder on another disk.`,
    );
  return join(parent, new Date().toISOString().replace(/[:-]|\.\d+/g, ''));
}

/** Returns the newest backup that is still where the command or the page made it. */
async function newestBackup(db: Db): Promise<string> {
  const rows = await db.query<{ folder: string }>({
    text: "select entity_id as folder from audit where entity = 'installation' and verb = 'backup' order by audit_id desc limit 50",
  });
  const folder = rows.map((row) => row.folder).find((item) => existsSync(join(item, 'manifest.json')));
  if (folder === undefined)
    throw new ApiError('Conflict', 'There is no backup on the machine of this server whose restore could be tested. Make one first.');
  return folder;
}

/** `env` are the settings of the commands, those of this process. */
export function installationRuns(config: Config, env: NodeJS.ProcessEnv = process.env): InstallationRuns {
  const backupFolder = backupsFolder(config);
  const folderFor = async (kind: RunKind, db: Db): Promise<string | null> => {
    if (kind === 'backup') return newBackup(backupFolder, db);
    return config.archiveDir === undefined ? newestBackup(db) : null;
  };
  return {
    backupFolder,
    folderFor,
    start: ({ id, kind, folder }) => {
      const place = kind === 'backup' ? [folder ?? ''] : ['verify', ...(folder === null ? [] : ['--folder', folder])];
      const child = spawn(process.execPath, [programFile('admin'), 'backup', ...place, '--run', id], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let message = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(-2_000)));
      return new Promise((done) => {
        child.once('error', (error) => done(error.message));
        child.once('close', (code, signal) => done(code === 0 ? undefined : message.trim() || `It ended (${signal ?? code}).`));
      });
    },
  };
}
