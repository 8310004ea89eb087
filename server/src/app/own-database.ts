/** The embedded PostgreSQL of this process. It starts in a process of its own while this one loads the rest of the server. */
import type { Logger } from 'pino';
import { rememberArchive } from '../db/archive/log.ts';
import { startEmbedded, type EmbeddedServer } from '../db/embedded/embedded.ts';
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';
import { removeLeftovers } from './backup/leftovers.ts';

/**
 * Starts it, unless the settings name another PostgreSQL. Removes what killed processes left half made first: on a disk that a half
 * copy has filled, PostgreSQL could not start. Calls `onLaunch` when the first program of PostgreSQL runs; `connections`: how many
 * PostgreSQL allows.
 */
export async function startOwnDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'archiveDir' | 'backupDir'>,
  log: Logger,
  { onLaunch, connections }: { onLaunch?: () => void; connections?: number } = {},
): Promise<EmbeddedServer | undefined> {
  await removeLeftovers(config);
  const { databaseUrl, dataDir, archiveDir } = config;
  if (databaseUrl !== undefined) {
    if (archiveDir === undefined) return undefined;
    throw new StartError('ARCHIVE_DIR is for the embedded database; let the PostgreSQL of DATABASE_URL archive its log itself.');
  }
  const archiving = archiveDir === undefined ? {} : { archive: archiveDir };
  const settings = connections === undefined ? {} : { settings: { max_connections: String(connections) } };
  const embedded = await startEmbedded({
    dataDir,
    log: (line) => log.info(line),
    ...(onLaunch && { onLaunch }),
    ...archiving,
    ...settings,
  });
  await rememberArchive(dataDir, archiveDir);
  return embedded;
}
