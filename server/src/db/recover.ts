/** Creates a cluster from a base copy and the archived log, as of one moment. */
import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { StartError } from '../platform/start-error.ts';
import { type BaseCopy, baseCopies, restoreCommand } from './archive.ts';
import { type EmbeddedServer, startEmbedded } from './embedded.ts';

/** A time, a restore point, or the end of the archived log. */
export type RecoveryTarget = { time: Date } | { point: string } | 'latest';

export async function copyFor(archive: string, target: RecoveryTarget): Promise<BaseCopy> {
  const copies = await baseCopies(archive);
  const [oldest] = copies;
  if (!oldest)
    throw new StartError(`There is no base copy in ${archive}: a server with ARCHIVE_DIR makes one at its start and then daily.`);
  const before = typeof target === 'object' && 'time' in target ? target.time.toISOString() : undefined;
  const copy = copies.findLast(({ ended }) => before === undefined || ended <= before);
  if (!copy) throw new StartError(`The archive goes back to ${oldest.ended}, not to ${before}.`);
  return copy;
}

async function unpack(copy: BaseCopy, cluster: string): Promise<void> {
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  for (const folder of copy.folders) mkdirSync(join(cluster, folder), { recursive: true, mode: 0o700 });
  for (const { path, sha256 } of copy.files) {
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const [source, target] = [join(copy.folder, 'files', `${path}.gz`), join(cluster, path)];
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    try {
      await pipeline(createReadStream(source), createGunzip(), hashing, createWriteStream(target, { mode: 0o600 }));
    } catch (error) {
      throw new StartError(`The base copy is damaged: ${source} cannot be read: ${(error as Error).message}.`);
    }
    if (hash.digest('hex') !== sha256) throw new StartError(`The base copy is damaged: ${source} is not what was written.`);
  }
  copyFileSync(join(copy.folder, 'backup_label'), join(cluster, 'backup_label'));
  writeFileSync(join(cluster, 'recovery.signal'), '');
}

function targetSettings(target: RecoveryTarget): Record<string, string> {
  if (target === 'latest') return {};
  return {
    recovery_target_action: 'promote',
    ...('time' in target
      ? { recovery_target_time: target.time.toISOString().replace('Z', '+00') }
      : { recovery_target_name: target.point }),
  };
}

interface RecoverOptions {
  archive: string;
  /** Must not exist yet; the cluster is created in its folder `postgres`. */
  dataDir: string;
  target: RecoveryTarget;
  /** Whether later changes are archived too; not in a trial restore. */
  goesOn: boolean;
}

/** Returns the server, which has completed recovery. */
export async function recover({ archive, dataDir, target, goesOn }: RecoverOptions): Promise<{ server: EmbeddedServer; copy: BaseCopy }> {
  const copy = await copyFor(archive, target);
  // Under root, PostgreSQL runs as another user, who must be able to enter the folder.
  mkdirSync(dataDir, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  await unpack(copy, join(dataDir, 'postgres'));
  const settings = {
    ...targetSettings(target),
    restore_command: restoreCommand(archive),
    recovery_target_timeline: 'latest',
    hot_standby: 'off',
  };
  const server = await startEmbedded({ dataDir, log: () => undefined, settings, ...(goesOn ? { archive } : {}) }).catch(
    (error: unknown) => {
      if (error instanceof StartError && error.message.includes('before configured recovery target'))
        throw new StartError('The archive does not reach that moment: give an earlier one, or --at latest for all that is archived.');
      throw error;
    },
  );
  return { server, copy };
}

/** The time of the last change that recovery replayed; undefined when the base copy had all changes. */
export async function lastChange(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ at: string | null }>(
      `select to_char(pg_last_xact_replay_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
    );
    return rows[0]?.at ?? undefined;
  } finally {
    await client.end();
  }
}
