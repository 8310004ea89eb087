/** Maintains the archive of an embedded PostgreSQL: sends the write-ahead log, copies uploads, makes a base copy each day. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { baseCopies, type BaseCopy, isCopyDue, removeOldCopies, takeBaseCopy } from '../db/archive/base-copies.ts';
import { removeLostDrafts } from '../db/archive/files.ts';
import { claimArchive, logFolder, sendLog, waitingBytes } from '../db/archive/log.ts';
import { mirrorOfUploads } from '../db/archive/uploads.ts';
import type { Db } from '../db/db.ts';
import type { Storage } from '../db/storage.ts';
import type { ArchiveStore } from '../platform/archive-store.ts';

const everyMs = 5_000;
/** How often the server checks whether a base copy is due. */
const copyLookMs = 60_000;
const copyEveryMs = 24 * 3_600_000;

interface ArchivingOptions {
  /** Database address with the credentials of the owner, who may copy the cluster. */
  url: string;
  db: Db;
  dataDir: string;
  /** The value of the setting: the archive's address. */
  archive: string;
  store: ArchiveStore;
  storage: Storage;
  log: Logger;
}

/** Stores, for administrators, since when and why copies fail. The next round without a fault deletes the entry. */
const noteFault = `insert into setting (name, value) values ('archiveFault', jsonb_build_object('since', now(), 'error', $1::text))
on conflict (name) do update set value = setting.value || jsonb_build_object('error', $1::text)`;

const noteCopy = `insert into setting (name, value) values ('baseCopy', jsonb_build_object('at', $1::text, 'bytes', $2::bigint))
on conflict (name) do update set value = excluded.value`;

/** Runs a round at once and then every few seconds, one at a time. A round repeats what a killed process left incomplete. */
export function startArchiving(options: ArchivingOptions): { stop(): Promise<void> } {
  const { url, db, dataDir, archive, store, storage, log } = options;
  const cluster = join(dataDir, 'postgres');
  const logs = logFolder(archive, cluster);
  const mirror = mirrorOfUploads(join(dataDir, 'uploads/kept'), store);
  let copies: BaseCopy[] | undefined;
  let isClaimed = false;
  let sentAt: string | null = null;
  let dueAt = 0;
  let isFaultless = false;
  let isStopping = false;

  async function send(): Promise<void> {
    if (!isClaimed) {
      await claimArchive(store, cluster);
      isClaimed = true;
    }
    if ((await sendLog(store, logs)) > 0) sentAt = new Date().toISOString();
  }

  async function takeDueCopy(): Promise<void> {
    copies ??= await baseCopies(store);
    if (Date.now() < dueAt) return;
    dueAt = Date.now() + copyLookMs;
    if (!(await isCopyDue(url, copies.at(-1), copyEveryMs))) return;
    await removeLostDrafts(store);
    const copy = await takeBaseCopy({ url, cluster, store, log: logs });
    await removeOldCopies(store);
    copies = undefined;
    await db.query({ text: noteCopy, values: [copy.ended, copy.bytes] });
    log.info({ archive: store.name, copy: copy.name, bytes: copy.bytes }, 'A base copy was taken.');
  }

  async function round(): Promise<void> {
    try {
      await send();
      storage.onLog({ error: null, sentAt, waitingBytes: 0 });
    } catch (error) {
      if (isStopping) return;
      const bytes = await waitingBytes(logs).catch(() => 0);
      storage.onLog({ error: messageOf(error), sentAt, waitingBytes: bytes });
      return;
    }
    try {
      await takeDueCopy();
      await mirror(copies?.[0]?.started);
      if (isFaultless) return;
      await db.query({ text: "delete from setting where name = 'archiveFault'" });
      isFaultless = true;
    } catch (error) {
      if (isStopping) return;
      isFaultless = false;
      log.error({ err: error }, 'The archive could not be kept; it is tried again.');
      await db
        .query({ text: noteFault, values: [messageOf(error)] })
        .catch((fault: unknown) => log.warn({ err: fault }, 'The failure of the archive could not be noted in the database.'));
    }
  }

  let running: Promise<void> | undefined;
  const begin = (): void => void (running ??= round().finally(() => (running = undefined)));
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      isStopping = true;
      store.close();
      await running;
    },
  };
}
