/** Removes stored files that no row names: files of failed uploads, and those of deleted versions and work units. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../db/db.ts';
import type { FileStore } from '../../platform/file-store.ts';
import type { Periodic } from '../../jobs/schedule.ts';

/**
 * The milliseconds after which a file without a row is removed. An upload, which writes the row of its file last, is shorter.
 */
const graceMs = 3_600_000;
const atOnce = 500;

async function removeOrphans(db: Db, store: FileStore, names: readonly string[]): Promise<void> {
  const rows = await db.query<{ name: string }>({
    text: `select storage_name as name from package_version where storage_name = any($1::text[])
      union all select storage_name from work_unit_file where storage_name = any($1::text[]) and deleted_at is null
      union all select storage_name from mailbox_mail where storage_name = any($1::text[])
      union all select archive_name from offboarding where archive_name = any($1::text[])`,
    values: [names],
  });
  const storedNames = new Set(rows.map((row) => row.name));
  for (const name of names) if (!storedNames.has(name)) await store.remove(name);
}

/** Periodic removal of orphaned files; `incoming` is the folder of uploads that are being received. */
export function sweepWork(store: FileStore, incoming: string, now: () => number = Date.now): Periodic {
  return {
    name: 'orphaned-uploads',
    everyMs: graceMs,
    run: async (db) => {
      const then = new Date(now() - graceMs);
      let names: string[] = [];
      for await (const name of store.keptBefore(then)) {
        names.push(name);
        if (names.length >= atOnce) await removeOrphans(db, store, names.splice(0));
      }
      if (names.length > 0) await removeOrphans(db, store, names);
      names = await readdir(incoming).catch(() => []);
      for (const name of names) {
        const stats = await stat(join(incoming, name)).catch(() => undefined);
        if (stats && stats.mtimeMs < then.getTime()) await rm(join(incoming, name), { force: true });
      }
    },
  };
}
