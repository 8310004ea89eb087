/** Finds the archive that a command uses. */
import { openArchive } from '../app/open-archive.ts';
import { rememberedArchive } from '../db/archive/log.ts';
import type { ArchiveStore } from '../platform/archive-store.ts';
import type { Config } from '../platform/config.ts';
import { UsageError } from './command.ts';

/** Returns the archive of ARCHIVE_DIR, or by default that of the server that last ran on this data folder. */
export async function archiveOf(config: Config): Promise<{ archive: string; store: ArchiveStore }> {
  if (config.databaseUrl !== undefined)
    throw new UsageError('DATABASE_URL names a PostgreSQL of your own: its own tools restore it to a point in time.');
  const archive = config.archiveDir ?? (await rememberedArchive(config.dataDir));
  if (archive === undefined) throw new UsageError('There is no archive: set ARCHIVE_DIR to what a server with this setting wrote.');
  return { archive, store: openArchive(archive, config) };
}
