/** Brings a database to the newest migration; two servers at once take turns. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { StartError } from '../platform/start-error.ts';

interface MigrationFile {
  name: string;
  text: string;
  checksum: string;
}

const released = new URL('./migrations/', import.meta.url);

/** Files of `folder` in the order in which they run. Windows may check them out with other line ends. */
async function readMigrations(folder: URL): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * Runs the missing files `NNNN-name.sql` of `folder`, each in its own transaction, and answers the names of those it ran.
 * Refuses a database that has others, or that ran a file when it had another content.
 */
export async function migrate(url: string, folder: URL = released): Promise<string[]> {
  const files = await readMigrations(folder);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7400)');
    await client.query(`create table if not exists migration (name text primary key, at timestamptz not null default now());
      alter table migration add column if not exists checksum text`);
    const { rows } = await client.query<{ name: string; checksum: string | null }>('select name, checksum from migration order by name');
    const applied = new Map(rows.map((row) => [row.name, row.checksum]));
    requireSame(files, applied);
    // Databases of versions without checksums.
    for (const { name, checksum } of files)
      if (applied.get(name) === null) await client.query('update migration set checksum = $2 where name = $1', [name, checksum]);
    const missing = files.filter(({ name }) => !applied.has(name));
    for (const file of missing) await run(client, file);
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

function requireSame(files: readonly MigrationFile[], applied: ReadonlyMap<string, string | null>): void {
  const unknown = [...applied.keys()].filter((name) => !files.some((file) => file.name === name));
  if (unknown.length > 0) throw new StartError(`The database is newer than this program: it has ${unknown.join(', ')}.`);
  const changed = files.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum).map(({ name }) => name);
  if (changed.length > 0)
    throw new StartError(
      `Migrations were edited after this database had run them: ${changed.join(', ')}. Restore these files, and write the change as a new migration.`,
    );
}

async function run(client: pg.Client, { name, text, checksum }: MigrationFile): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into migration (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${name} failed: ${messageOf(error)}`, { cause: error });
  }
}
