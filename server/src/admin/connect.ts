/** The installation's database: DATABASE_URL, or the embedded one, started for the command when no server runs. */
import { ensureShippedSets } from '../auth/shipped.ts';
import type { Config } from '../platform/config.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { rememberedArchive } from '../db/archive/log.ts';
import { joinEmbedded, type EmbeddedServer } from '../db/embedded/embedded.ts';
import { prepareDatabase, SchemaMismatch } from '../db/prepare.ts';
import { copyBeforeUpgrade } from '../app/backup/upgrade-copy.ts';

export async function withInstallation<T>(config: Config, work: (db: Db, database: Database, url: string) => Promise<T>): Promise<T> {
  const log = (line: string): void => console.error(line);
  const server = config.databaseUrl === undefined ? await joinArchiving(config, log) : undefined;
  try {
    const url = server?.url ?? config.databaseOwnerUrl ?? config.databaseUrl ?? '';
    const beforeUpgrade = (missing: readonly string[]) => copyBeforeUpgrade({ config, url, log }, missing);
    await prepareDatabase({ url, log, beforeUpgrade }).catch((error: unknown) => {
      if (!(error instanceof SchemaMismatch)) throw error;
      log(error.message);
    });
    let closing = false;
    // An embedded database that was started for this command closes the connections itself.
    const database = openDatabase({ url, max: 3, name: 'cloudfit-admin', onError: (error) => closing || log(error.message) });
    try {
      const db = database.scoped('all');
      await ensureShippedSets(db);
      return await work(db, database, url);
    } finally {
      closing = true;
      await database.close();
    }
  } finally {
    await server?.stop();
  }
}

async function joinArchiving(config: Config, log: (line: string) => void): Promise<EmbeddedServer> {
  const archive = config.archiveDir ?? (await rememberedArchive(config.dataDir));
  return joinEmbedded({ dataDir: config.dataDir, log, ...(archive === undefined ? {} : { archive }) });
}
