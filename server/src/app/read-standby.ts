/** The standby of DATABASE_READ_URL, for processes that have one. */
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Database } from '../db/connection.ts';
import { loginProblem } from '../db/login.ts';
import { checkStandby, systemOf } from '../db/standby/check-standby.ts';
import { openStandby } from '../db/standby/standby.ts';
import { recentWriters, type RecentWriters } from '../db/standby/writers.ts';
import type { Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';

type StandbySettings = Pick<Config, 'databaseUrl' | 'databaseReadUrl' | 'standbyMaxLagSeconds' | 'dbPool'>;

/** Refuses an address that leads to anything but a standby, before the server starts. One that is away is used when it is there. */
export async function requireStandby({ databaseUrl, databaseReadUrl }: StandbySettings, login: string, log: Logger): Promise<void> {
  if (databaseReadUrl === undefined) return;
  if (databaseUrl === undefined)
    throw new StartError(
      'DATABASE_READ_URL is set, and DATABASE_URL is not: the embedded PostgreSQL has no standby. Set both, or leave DATABASE_READ_URL out.',
    );
  try {
    if (!(await checkStandby(databaseReadUrl, await systemOf(login))))
      log.warn('DATABASE_READ_URL leads to a PostgreSQL that is no standby at present. The primary is read until it is one.');
    const problem = (await loginProblem(login)) === undefined ? await loginProblem(databaseReadUrl) : undefined;
    if (problem !== undefined) throw new StartError(`${problem} Name the user of DATABASE_URL in DATABASE_READ_URL too.`);
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`The standby cannot be read: ${error.message}`);
    log.warn(`The standby of DATABASE_READ_URL does not answer (${messageOf(error)}). The primary is read until it does.`);
  }
}

/** Lets calls that only read use the standby; returns who has written lately. Nothing without a standby. */
export function readStandby(config: StandbySettings, database: Database, log: Logger): RecentWriters | undefined {
  const { databaseReadUrl: url, dbPool: max, standbyMaxLagSeconds } = config;
  if (url === undefined) return undefined;
  const maxLagMs = standbyMaxLagSeconds * 1_000;
  database.standby = openStandby({ url, max, maxLagMs, primary: database, log });
  return recentWriters(database, maxLagMs, log);
}
