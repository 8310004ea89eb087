/** Prepares a database for this version: runs its migrations and compares its schema with the expected one. */
import pg from 'pg';
import { StartError } from '../platform/start-error.ts';
import { appliedMigrations, migrate } from './migrate.ts';
import { requireSessions } from './pooler.ts';
import { compareSchemas, readSchema, recordedSchema, type DatabaseSchema, type RecordedSchema } from './schema.ts';

/** The schema is not the expected one: no server starts, but commands run, so that the data can be backed up. */
export class SchemaMismatch extends StartError {
  override name = 'SchemaMismatch';
}

interface PrepareOptions {
  url: string;
  /** The setting with the address, for messages; by default DATABASE_URL. */
  setting?: string;
  /** Whether it is the PostgreSQL that this program brings along, before which no pooler stands. */
  isEmbedded?: boolean;
  log: (line: string) => void;
  beforeUpgrade: (missing: readonly string[]) => Promise<unknown>;
}

/** The major version of PostgreSQL whose functions the migrations use. */
const neededVersion = 18;

/** Throws when the database is of an older PostgreSQL, before anything is done in it. */
export async function requireVersion(url: string, setting = 'DATABASE_URL'): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'cloudfit check' });
  await client.connect();
  try {
    const { rows } = await client.query<{ number: number; text: string }>(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as text",
    );
    const [version] = rows;
    if (version && version.number < neededVersion * 10_000)
      throw new StartError(
        `${setting} leads to PostgreSQL ${version.text}, and this program needs version ${neededVersion} or newer. Upgrade that PostgreSQL, or name another one; nothing was changed.`,
      );
  } finally {
    await client.end();
  }
}

/** Runs the missing migrations, then compares the schema; returns the names of the migrations that ran. */
export async function prepareDatabase(options: PrepareOptions): Promise<string[]> {
  const ran = await bringUpToDate(options);
  await checkSchema(options);
  return ran;
}

/** Runs the missing migrations; returns their names. */
export async function bringUpToDate({ url, setting, isEmbedded = false, log, beforeUpgrade }: PrepareOptions): Promise<string[]> {
  if (!isEmbedded) {
    await requireVersion(url, setting);
    await requireSessions(url, setting);
  }
  return migrate(url, { log, beforeUpgrade });
}

/** Throws `SchemaMismatch` when the database, which has run this program's migrations, does not have their schema. */
export async function checkSchema({ url, log }: Pick<PrepareOptions, 'url' | 'log'>): Promise<void> {
  await requireSchema(url, await recordedSchema(), log);
}

/**
 * Returns whether the recorded schema belongs to the migrations that the database has run. While migrations are being written, it may
 * be outdated; `npm run check` reports that.
 */
function isOf({ migrations }: RecordedSchema, applied: ReadonlyMap<string, string | null>): boolean {
  const names = Object.keys(migrations);
  return names.length === applied.size && names.every((name) => migrations[name] === applied.get(name));
}

/**
 * Whether the program needs an object: without a plain index it is slow; without any other object it fails or corrupts
 * data.
 */
const isNeeded = (name: string): boolean => !name.startsWith('index ');

export async function requireSchema(url: string, record: RecordedSchema, log: (line: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let actual: DatabaseSchema;
  try {
    if (!isOf(record, await appliedMigrations(client))) return;
    actual = await readSchema(client);
  } finally {
    await client.end();
  }
  const { missing, different, extra } = compareSchemas(record.objects, actual);
  const what = [
    ...(missing.length > 0 ? [`missing: ${list(missing)}`] : []),
    ...(different.length > 0 ? [`different: ${list(different)}`] : []),
    ...(extra.length > 0 ? [`added: ${list(extra)}`] : []),
  ].join('; ');
  if (what === '') return;
  const cause = `The database ran the migrations of this version but does not have what they make; ${what}.`;
  if (![...missing, ...different].some(isNeeded)) {
    log(`${cause} server/src/db/schema.json has the definitions.`);
    return;
  }
  throw new SchemaMismatch(
    `${cause} Somebody changed it, or a version that was never released made it. Restore a backup of a released version, or make what is missing or different as server/src/db/schema.json defines it.`,
  );
}

const maxNames = 12;

function list(names: readonly string[]): string {
  const rest = names.length - maxNames;
  return [...names.slice(0, maxNames), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
