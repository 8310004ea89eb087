/** Migrates a database to the newest version; two servers at once take turns. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { StartError } from '../platform/start-error.ts';
import { releasedSchema } from './schema.ts';
import { takeTurn } from './turn.ts';

export interface MigrationFile {
  name: string;
  text: string;
  checksum: string;
}

interface MigrateOptions {
  folder?: URL;
  log?: (line: string) => void;
  /** Called before the first of these files runs on a database with earlier migrations, while other servers wait. */
  beforeUpgrade?: (missing: readonly string[]) => Promise<unknown>;
}

const released = new URL('./migrations/', import.meta.url);

/** Files of `folder` in the order in which they run. On Windows, git may check them out with other line ends. */
export async function readMigrations(folder: URL = released): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** The migrations that a database has run, in their order, with their checksums. */
export async function appliedMigrations(client: pg.Client): Promise<Map<string, string | null>> {
  const { rows } = await client.query<{ name: string; checksum: string | null }>('select name, checksum from migration order by name');
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/**
 * Runs the missing files `NNNN-name.sql`, each in its own transaction, and returns their names. Refuses a database with
 * unknown migrations, or with a file that had another content when it ran.
 */
export async function migrate(url: string, { folder, log = () => undefined, beforeUpgrade }: MigrateOptions = {}): Promise<string[]> {
  const files = await readMigrations(folder);
  const client = new pg.Client({ connectionString: url, application_name: 'cloudfit prepare' });
  await client.connect();
  try {
    await takeTurn(client, log);
    await client.query(`create table if not exists migration (name text primary key, at timestamptz not null default now());
      alter table migration add column if not exists checksum text`);
    const applied = await appliedMigrations(client);
    await requireSame(files, applied);
    const missing = files.filter(({ name }) => !applied.has(name));
    if (applied.size > 0 && missing.length > 0) await beforeUpgrade?.(missing.map(({ name }) => name));
    // Adds the checksums that are missing in databases of versions that stored none.
    for (const { name, checksum } of files)
      if (applied.get(name) === null) await client.query('update migration set checksum = $2 where name = $1', [name, checksum]);
    for (const file of missing) await run(client, file);
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03';

const exportWay =
  'Start the version that made it, export its configuration there (npm run admin -- export FILE) and import that into a new data folder or database; or restore a backup of a released version.';

async function requireSame(files: readonly MigrationFile[], applied: ReadonlyMap<string, string | null>): Promise<void> {
  if (applied.size === 0) return;
  const changed = files.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  const names = (some: readonly MigrationFile[]): string => some.map(({ name }) => name).join(', ');
  if (changed.length > 0) {
    const release = await releasedSchema();
    const drafts = changed.filter(({ name, checksum }) => release.migrations[name] === checksum);
    throw new StartError(
      drafts.length > 0
        ? `This database was made by a version before ${release.version}, which was never released: it ran other contents of ${names(drafts)}. ${exportWay}`
        : `Migrations were edited after this database had run them: ${names(changed)}. Restore these files, and write the change as a new migration.`,
    );
  }
  const unknown = [...applied.keys()].filter((name) => !files.some((file) => file.name === name));
  if (unknown.length === 0) return;
  const absent = files.filter(({ name }) => !applied.has(name));
  if (absent.length === 0)
    throw new StartError(
      `The database is newer than this program: it has ${unknown.join(', ')}. Start the version that last ran, or a newer one.`,
    );
  throw new StartError(
    `This database was made by a version that was never released: it ran ${unknown.join(', ')}, which this program does not have, and lacks ${names(absent)}. ${exportWay}`,
  );
}

/** How long a migration waits for a table lock, so that requests behind it wait no longer; and how often it retries. */
const patience = { lock: '2s', pauseMs: 1_000, attempts: 60 };

/** Runs a migration and records it; requires an open transaction. */
export async function applyMigration(client: pg.Client, { name, text, checksum }: MigrationFile): Promise<void> {
  await client.query(text);
  await client.query('insert into migration (name, checksum) values ($1, $2)', [name, checksum]);
}

async function run(client: pg.Client, file: MigrationFile): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query(`begin; set local lock_timeout = '${patience.lock}'`);
    try {
      await applyMigration(client, file);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if (!isLockTimeout(error) || attempt === patience.attempts)
        throw new Error(`Migration ${file.name} failed: ${messageOf(error)}`, { cause: error });
      await sleep(patience.pauseMs);
    }
  }
}
