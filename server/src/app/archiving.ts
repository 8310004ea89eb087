/** Maintains the archive of an embedded PostgreSQL: compresses the write-ahead log, copies uploads, makes a base copy each day. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { compressLog, isCopyDue, mirrorUploads, removeOldCopies, takeBaseCopy } from '../db/archive.ts';

const everyMs = 60_000;
const copyEveryMs = 24 * 3_600_000;

interface ArchivingOptions {
  /** Connects as the owner, who may copy. */
  url: string;
  db: Db;
  dataDir: string;
  archive: string;
  log: Logger;
}

/** What administrators read: since when and why the rounds fail. Removed by the next round that succeeds. */
const noteFault = `insert into setting (name, value) values ('archiveFault', jsonb_build_object('since', now(), 'error', $1::text))
on conflict (name) do update set value = setting.value || jsonb_build_object('error', $1::text)`;

/** One round; the next one repeats what a killed process left incomplete. */
export async function archiveOnce(options: ArchivingOptions): Promise<void> {
  const { url, db, dataDir, archive } = options;
  await compressLog(archive);
  await mirrorUploads(join(dataDir, 'uploads/kept'), archive);
  if (await isCopyDue(url, archive, copyEveryMs)) await keepBaseCopy(options);
  await db.query({ text: "delete from setting where name = 'archiveFault'" });
}

async function keepBaseCopy({ url, db, dataDir, archive, log }: ArchivingOptions): Promise<void> {
  const copy = await takeBaseCopy(url, join(dataDir, 'postgres'), archive);
  await removeOldCopies(archive);
  await db.query({
    text: "insert into setting (name, value) values ('baseCopy', jsonb_build_object('at', $1::text, 'bytes', $2::bigint)) on conflict (name) do update set value = excluded.value",
    values: [copy.ended, copy.bytes],
  });
  log.info({ folder: copy.folder, bytes: copy.bytes }, 'A base copy was taken.');
}

/** Runs a round at once and then each minute, one at a time. */
export function startArchiving(options: ArchivingOptions): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const { db, log } = options;
  const report = async (error: unknown): Promise<void> => {
    log.error({ err: error }, 'The archive could not be kept; it is tried again in a minute.');
    await db
      .query({ text: noteFault, values: [error instanceof Error ? error.message : String(error)] })
      .catch((fault: unknown) => log.warn({ err: fault }, 'That the archive could not be kept is not noted in the database.'));
  };
  const round = (): void => {
    running ??= archiveOnce(options)
      .catch(report)
      .finally(() => (running = undefined));
  };
  round();
  const timer = setInterval(round, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
