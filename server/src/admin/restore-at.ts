/** `restore --at`: restores the embedded database and the uploads to a point in time, from the archive. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveStore } from '../platform/archive-store.ts';
import type { Config } from '../platform/config.ts';
import { archiveOf } from './archive-of.ts';
import { storedFiles } from '../app/backup/backup-folder.ts';
import { isOwner, logFolder, sendLog } from '../db/archive/log.ts';
import { fetchUploads } from '../db/archive/uploads.ts';
import { claimFolder } from '../db/embedded/embedded.ts';
import { lastChange, recover, type RecoveryTarget } from '../db/recover.ts';
import { UsageError, type CommandResult } from './command.ts';

function targetOf(text: string): RecoveryTarget {
  if (text === 'latest') return 'latest';
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError('--at is a time such as 2026-11-22T14:30:00Z, or latest.');
  if (time.getTime() > Date.now()) throw new UsageError(`--at ${time.toISOString()} lies ahead; latest is all that is archived.`);
  return { time };
}

/**
 * Sends the segments of the present write-ahead log that the store does not have yet, unless the archive is of another
 * database.
 */
async function sendWaiting(archive: string, store: ArchiveStore, cluster: string): Promise<void> {
  const folder = logFolder(archive, cluster);
  if (!existsSync(folder) || !existsSync(join(cluster, 'global/pg_control'))) return;
  if (await isOwner(store, cluster)) await sendLog(store, folder);
}

export async function restoreAt(config: Config, at: string): Promise<CommandResult> {
  const target = targetOf(at);
  const { archive, store } = await archiveOf(config);
  const stamp = new Date().toISOString().replace(/[:-]|\.\d+/g, '');
  await mkdir(config.dataDir, { recursive: true });
  const release = claimFolder(config.dataDir);
  const staging = join(config.dataDir, `restore-${stamp}`);
  try {
    await sendWaiting(archive, store, join(config.dataDir, 'postgres'));
    const { server, copy } = await recover({ store, dataDir: staging, target, archive });
    const last = (await lastChange(server.url)) ?? 'before it';
    await server.stop();
    const [cluster, before] = [join(config.dataDir, 'postgres'), join(config.dataDir, `postgres.before-${stamp}`)];
    const hadCluster = await rename(cluster, before).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    await rename(join(staging, 'postgres'), cluster);
    // Files that were uploaded after the target time stay: no row names them, so the sweep of uploads will remove them.
    if (config.s3Endpoint === undefined) await fetchUploads(store, storedFiles(config));
    return {
      lines: [
        `Restored from the base copy of ${copy.ended} and the log after it; the last change is of ${last}.`,
        ...(hadCluster ? [`The previous database is in ${before}; remove it when you do not need it any more.`] : []),
        'Start the server with the same ARCHIVE_DIR: it takes a new base copy at once.',
      ],
      json: { baseCopy: copy.ended, lastChange: last, before: hadCluster ? before : null },
    };
  } finally {
    store.close();
    await rm(staging, { recursive: true, force: true });
    release();
  }
}
