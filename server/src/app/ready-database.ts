/** Brings the database up to date, and finds the user with which the server signs in to it. */
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { EmbeddedServer } from '../db/embedded/embedded.ts';
import { admitLogin, loginProblem, makeLogin } from '../db/login.ts';
import { requireSessions } from '../db/pooler.ts';
import { bringUpToDate, checkSchema } from '../db/prepare.ts';
import type { Config } from '../platform/config.ts';
import { requireStandby } from './read-standby.ts';
import { StartError } from '../platform/start-error.ts';
import { copyBeforeUpgrade } from './backup/upgrade-copy.ts';

/** The addresses of a database that is up to date. */
export interface DatabaseAddresses {
  /** For the owner, who may change the schema. */
  owner: string;
  /** For the server, whom policies bind. */
  login: string;
}

export interface ReadyDatabase extends DatabaseAddresses {
  /**
   * Rejects when the database does not have the schema of its migrations. To compare them takes a tenth of a second, in which the start
   * goes on; nothing may be taken in and no job may run before.
   */
  checked: Promise<void>;
}

/** Returns the address with which the server itself connects to the database, which was prepared with `ownerUrl`. */
async function loginUrl({ databaseUrl, databaseOwnerUrl }: Config, ownerUrl: string, log: Logger): Promise<string> {
  const failed = (error: unknown) => new StartError(`The server cannot sign in to the database: ${messageOf(error)}`);
  if (databaseUrl === undefined)
    return makeLogin(ownerUrl).catch((error: unknown) => {
      throw failed(error);
    });
  if (databaseOwnerUrl !== undefined)
    await admitLogin(databaseOwnerUrl, databaseUrl).catch((error: unknown) => {
      throw failed(error);
    });
  const problem = await loginProblem(databaseUrl);
  if (problem !== undefined)
    log.warn(`${problem} Set DATABASE_OWNER_URL to it, and DATABASE_URL to a user without rights (docs/OPERATIONS.md, "Two users").`);
  return databaseUrl;
}

/** Runs the missing migrations in `embedded`, or in the database of the settings. */
export async function readyDatabase(config: Config, log: Logger, embedded: EmbeddedServer | undefined): Promise<ReadyDatabase> {
  const { databaseUrl, databaseOwnerUrl } = config;
  const owner = embedded?.url ?? databaseOwnerUrl ?? databaseUrl;
  if (owner === undefined) throw new Error('There is no database.');
  const warn = (line: string): void => log.warn(line);
  // The pooler of the documented set-up stands before the server's own user, not before the owner.
  if (databaseUrl !== undefined && databaseUrl !== owner)
    await requireSessions(databaseUrl).catch((error: unknown) => {
      throw new StartError(`The server cannot sign in to the database: ${messageOf(error)}`);
    });
  const failed = (error: unknown): never => {
    throw new StartError(`The database cannot be prepared: ${messageOf(error)}`);
  };
  const ran = await bringUpToDate({
    url: owner,
    ...(databaseOwnerUrl === undefined ? {} : { setting: 'DATABASE_OWNER_URL' }),
    isEmbedded: embedded !== undefined,
    log: warn,
    beforeUpgrade: (missing) => copyBeforeUpgrade({ config, url: owner, log: warn }, missing),
  }).catch(failed);
  const checked = checkSchema({ url: owner, log: warn }).catch(failed);
  // Whoever waits for it hears of a failure; until then it is no unhandled one.
  checked.catch(() => undefined);
  if (ran.length > 0) log.info({ migrations: ran }, 'The database was brought up to date.');
  const login = await loginUrl(config, owner, log);
  await requireStandby(config, login, log);
  return { owner, login, checked };
}

/** Waits for the embedded database, if there is one, and brings the database up to date. */
export async function ownDatabaseReady(
  config: Config,
  log: Logger,
  ownDatabase: Promise<EmbeddedServer | undefined>,
  onStop: (stop: () => Promise<void>) => void,
): Promise<ReadyDatabase> {
  const embedded = await ownDatabase;
  if (embedded) onStop(() => embedded.stop());
  return readyDatabase(config, log, embedded);
}
