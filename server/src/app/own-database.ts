/** The embedded PostgreSQL of this process. It starts in a process of its own while this one loads the rest of the server. */
import type { Logger } from 'pino';
import { rememberArchive } from '../db/archive/log.ts';
import { startEmbedded, type EmbeddedServer } from '../db/embedded/embedded.ts';
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';

/** Starts it, unless the settings name another PostgreSQL. */
export async function startOwnDatabase(
  { databaseUrl, dataDir, archiveDir }: Pick<Config, 'databaseUrl' | 'dataDir' | 'archiveDir'>,
  log: Logger,
): Promise<EmbeddedServer | undefined> {
  if (databaseUrl !== undefined) {
    if (archiveDir === undefined) return undefined;
    throw new StartError('ARCHIVE_DIR is for the embedded database; let the PostgreSQL of DATABASE_URL archive its log itself.');
  }
  const archiving = archiveDir === undefined ? {} : { archive: archiveDir };
  const embedded = await startEmbedded({ dataDir, log: (line) => log.info(line), ...archiving });
  await rememberArchive(dataDir, archiveDir);
  return embedded;
}
