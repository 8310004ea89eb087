/** The disk of the data folder: free space, warnings, whether it is full, and whether the database's log is archived. */
import { existsSync, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db } from './db.ts';

export interface ArchiveState {
  /**
   * `failing`: the latest attempt to archive a segment of the log failed; the segment stays in the data folder and is
   * tried again.
   */
  level: 'ok' | 'failing';
  /** When a segment was last archived. */
  archivedAt: string | null;
  /** Why the log could not be sent to the archive; null when it was, or when PostgreSQL failed to write the archive itself. */
  error: string | null;
}

/** The result of sending the log to the archive. */
export interface LogSent {
  error: string | null;
  /** When a segment was last sent by this process. */
  sentAt: string | null;
  /** Size of the segments that wait in the data folder. */
  waitingBytes: number;
}

export interface StorageState {
  /** `full`: a write failed for lack of space, or less is free than PostgreSQL needs for its write-ahead log. */
  level: 'ok' | 'low' | 'full';
  freeBytes: number;
  sizeBytes: number;
  /** The size of the database; null until the database has reported it, or if it cannot. */
  databaseBytes: number | null;
  walBytes: number | null;
  /** Null if the log is not archived. */
  archive: ArchiveState | null;
}

export interface Storage {
  state(): StorageState;
  /** Whether a lost or refused connection probably comes from a full disk. */
  isFull(): boolean;
  /** Call this when a write was refused because the disk is full. */
  onFull(): void;
  /** Call this after each attempt to send the log to the archive. */
  onLog(sent: LogSent): void;
  /** Starts to read the free space and the size of the database at intervals. */
  watch(db: Db): void;
  stop(): void;
}

// `pg_stat_archiver` keeps its values after a start without an archive, so `archive_mode` decides.
const useOfDatabase = `select database_bytes, wal_bytes, (
  select jsonb_build_object('level', case when last_failed_time > coalesce(last_archived_time, '-infinity') then 'failing' else 'ok' end, 'archivedAt', last_archived_time, 'error', null)
  from pg_stat_archiver where current_setting('archive_mode') <> 'off'
) as archive from storage_use()`;

const lowPart = 0.1;
/**
 * Free bytes below which the disk counts as full: PostgreSQL writes its log in files of this size, and stops when there
 * is no room for the next one.
 */
const minBytes = 16 * 1_048_576;
const intervalMs = 10_000;
const logMs = 60_000;
/** Milliseconds for which the state stays `full` after a refused write. */
const refusedMs = 15_000;

/** Creates the `Storage` of the data folder. `isDatabaseHere`: the database is in that folder, so it uses the same disk. */
export function openStorage(options: { dataDir: string; isDatabaseHere: boolean; log: Logger }): Storage {
  const { isDatabaseHere, log } = options;
  // The data folder is created at its first use, so its nearest existing parent may be measured.
  let dataDir = options.dataDir;
  while (!existsSync(dataDir)) dataDir = dirname(dataDir);
  let space = { freeBytes: 0, sizeBytes: 0 };
  let lookedAt = -Infinity;
  let refusedAt = -Infinity;
  let loggedAt = -Infinity;
  let isLowLogged = false;
  let archiveLoggedAt = -Infinity;
  let use: Pick<StorageState, 'databaseBytes' | 'walBytes' | 'archive'> = { databaseBytes: null, walBytes: null, archive: null };
  let sent: LogSent = { error: null, sentAt: null, waitingBytes: 0 };
  let timer: NodeJS.Timeout | undefined;

  const archiveOf = (): ArchiveState | null => {
    if (!use.archive || sent.error === null) return use.archive;
    return { level: 'failing', archivedAt: sent.sentAt, error: sent.error };
  };

  const note = ({ bavail, blocks, bsize }: { bavail: number; blocks: number; bsize: number }): void => {
    space = { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
    lookedAt = performance.now();
  };
  const lookNow = (): void => {
    if (performance.now() - lookedAt > 1_000) note(statfsSync(dataDir));
  };
  const isRefused = (): boolean => performance.now() - refusedAt < refusedMs;

  function levelOf(): StorageState['level'] {
    if (isRefused() || (isDatabaseHere && space.freeBytes < minBytes)) return 'full';
    return space.freeBytes < space.sizeBytes * lowPart ? 'low' : 'ok';
  }

  function report(): void {
    const level = levelOf();
    const figures = { folder: dataDir, freeBytes: space.freeBytes, sizeBytes: space.sizeBytes };
    if (level === 'full' && performance.now() - loggedAt > logMs) {
      loggedAt = performance.now();
      log.error(figures, 'The storage is full: writes are refused until there is room.');
    }
    if (level === 'low' && !isLowLogged) log.warn(figures, 'Less than a tenth of the storage is free.');
    isLowLogged = level !== 'ok';
  }

  function reportArchive(): void {
    const archive = archiveOf();
    if (archive?.level !== 'failing' || performance.now() - archiveLoggedAt < logMs) return;
    archiveLoggedAt = performance.now();
    log.error(
      { archivedAt: archive.archivedAt, walBytes: use.walBytes, reason: archive.error },
      'The log of the database cannot be archived: what was written since then cannot be restored from the archive, and the log grows in the data folder.',
    );
  }

  const failed = (error: unknown): void => {
    // An unavailable database is reported elsewhere.
    if (!(error instanceof ApiError)) log.warn({ err: error, folder: dataDir }, 'The free space of the data folder could not be read.');
  };

  async function look(db: Db): Promise<void> {
    note(await statfs(dataDir));
    report();
    const [row] = await db.query<{ database_bytes: number; wal_bytes: number | null; archive: ArchiveState | null }>({
      text: useOfDatabase,
    });
    if (row) use = { databaseBytes: row.database_bytes, walBytes: row.wal_bytes, archive: row.archive };
    reportArchive();
  }

  lookNow();
  report();
  return {
    state: () => ({
      level: levelOf(),
      ...space,
      ...use,
      walBytes: use.walBytes === null ? null : use.walBytes + sent.waitingBytes,
      archive: archiveOf(),
    }),
    isFull() {
      if (!isDatabaseHere) return isRefused();
      lookNow();
      report();
      return levelOf() === 'full';
    },
    onFull() {
      refusedAt = performance.now();
      if (isDatabaseHere) lookNow();
      report();
    },
    onLog(latest) {
      sent = latest;
      reportArchive();
    },
    watch(db) {
      const again = (): void => void look(db).catch(failed);
      again();
      timer = setInterval(again, intervalMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
