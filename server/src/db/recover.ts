/** Creates a cluster from a base copy and the archived log, as of one moment. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { ArchiveStore } from '../platform/archive-store.ts';
import { StartError } from '../platform/start-error.ts';
import { type BaseCopy, baseCopies, unpackCopy } from './archive/base-copies.ts';
import { fetchLog, removeFetchedLog, restoreCommand } from './archive/log.ts';
import { type EmbeddedServer, startEmbedded } from './embedded/embedded.ts';

/** A time, a restore point that was made at or after a time, or the end of the archived log. */
export type RecoveryTarget = { time: Date } | { point: string; madeAfter: Date } | 'latest';

async function copyFor(store: ArchiveStore, target: RecoveryTarget): Promise<BaseCopy> {
  const copies = await baseCopies(store);
  const [oldest] = copies;
  if (!oldest)
    throw new StartError(`There is no base copy in ${store.name}: a server with ARCHIVE_DIR makes one at its start and then daily.`);
  // A copy that ended after the target does not contain it.
  const before = target === 'latest' ? undefined : ('time' in target ? target.time : target.madeAfter).toISOString();
  const copy = copies.findLast(({ ended }) => before === undefined || ended <= before);
  if (!copy) throw new StartError(`The archive goes back to ${oldest.ended}, not to ${before}.`);
  return copy;
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
  store: ArchiveStore;
  /** Must not exist yet; the cluster is created in its folder `postgres`. */
  dataDir: string;
  target: RecoveryTarget;
  /** Archive for the log of the restored database; absent in a trial restore. */
  archive?: string;
  /** Further settings of PostgreSQL. */
  settings?: Record<string, string>;
}

/** Restores the database into `dataDir`; returns the server, which has completed recovery. */
export async function recover({
  store,
  dataDir,
  target,
  archive,
  settings,
}: RecoverOptions): Promise<{ server: EmbeddedServer; copy: BaseCopy }> {
  const copy = await copyFor(store, target);
  // Under root, PostgreSQL runs as another user, who must be able to enter the folder.
  mkdirSync(dataDir, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const cluster = join(dataDir, 'postgres');
  await unpackCopy(store, copy, cluster);
  const damaged = await fetchLog(store, copy.firstSegment, cluster);
  if (damaged !== undefined && target === 'latest')
    throw new StartError(`The log in ${store.name} is damaged: ${damaged}. Give an earlier moment with --at.`);
  const server = await startEmbedded({
    dataDir,
    log: () => undefined,
    settings: {
      ...targetSettings(target),
      restore_command: restoreCommand(),
      recovery_target_timeline: 'latest',
      hot_standby: 'off',
      // Without this, PostgreSQL syncs each of some thousand files separately.
      ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
      ...settings,
    },
    ...(archive === undefined ? {} : { archive }),
  }).catch((error: unknown) => {
    if (!(error instanceof StartError) || !error.message.includes('before configured recovery target')) throw error;
    throw new StartError(
      damaged === undefined
        ? 'The archive does not reach that moment: give an earlier one, or --at latest for all that is archived.'
        : `The log in ${store.name} is damaged: ${damaged}. Give an earlier moment with --at.`,
    );
  });
  await removeFetchedLog(cluster);
  return { server, copy };
}

/** Returns the time of the last change that recovery replayed; undefined when the base copy had all changes. */
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
