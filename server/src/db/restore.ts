/**
 * Loads a copy by `copyDatabase` into a database, in one transaction; a copy of an older version is migrated in the
 * same transaction.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { StartError } from '../platform/start-error.ts';
import { fileOf, tablesOf, type DatabaseCopy, type TableCopy } from './backup.ts';
import { applyMigration, readMigrations, type MigrationFile } from './migrate.ts';
import { takeTurn } from './turn.ts';

export interface RestoreOptions {
  url: string;
  folder: string;
  copy: DatabaseCopy;
  /** Whether existing data may be deleted. */
  replace: boolean;
  /** Called after each table. */
  filled?: (done: number, all: number) => void;
  /** Called in the transaction when all tables are loaded, before the migrations that the copy lacks. */
  loaded?: (client: pg.Client) => Promise<void>;
}

async function requireIntact(folder: string, table: TableCopy): Promise<void> {
  const hash = createHash('sha256');
  const file = join(folder, fileOf(table.name));
  try {
    for await (const part of createReadStream(file)) hash.update(part as Buffer);
  } catch (error) {
    throw new StartError(`The backup is not complete: ${file} cannot be read: ${messageOf(error)}.`);
  }
  if (hash.digest('hex') !== table.sha256) throw new StartError(`The backup is damaged: ${file} is not what was written.`);
}

async function requireFitting(client: pg.Client, { replace }: RestoreOptions): Promise<void> {
  const others = await client.query("select 1 from pg_stat_activity where datname = current_database() and application_name = 'cloudfit'");
  if (others.rows.length > 0) throw new StartError('Servers work on this database: stop them first.');
  const { rows } = await client.query<{ filled: boolean }>('select exists (select from tenant) as filled');
  if (rows[0]?.filled && !replace)
    throw new StartError('There is something in this database already; --replace puts the backup in its place.');
}

/**
 * Returns this version's migrations, divided into those that the copy has (`before`) and those that it lacks (`later`).
 * Throws when the copy has unknown ones.
 */
async function laterMigrations(copy: DatabaseCopy): Promise<{ before: MigrationFile[]; later: MigrationFile[] }> {
  const files = await readMigrations();
  const unknown = copy.migrations.filter((name) => !files.some((file) => file.name === name));
  if (unknown.length > 0)
    throw new StartError(`The backup is of a newer version of this program, which has ${unknown.join(', ')}: restore it with that one.`);
  const isBefore = ({ name }: MigrationFile): boolean => copy.migrations.includes(name);
  return { before: files.filter(isBefore), later: files.filter((file) => !isBefore(file)) };
}

/** Drops everything that migrations create, and recreates it as of the copy's version. */
async function makeSchemaOf(client: pg.Client, migrations: readonly MigrationFile[]): Promise<void> {
  const { rows } = await client.query<{ text: string }>(`
    select format('drop %s if exists %I cascade', case relkind when 'S' then 'sequence' else 'table' end, relname) as text from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S') and not relispartition and relname <> 'migration'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    union all select format('drop function if exists %s cascade', p.oid::regprocedure) from pg_proc p
    where pronamespace = 'public'::regnamespace and prokind = 'f'
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by 1 desc`);
  for (const { text } of rows) await client.query(text);
  await client.query('delete from migration');
  for (const file of migrations) await applyMigration(client, file);
}

/**
 * Runs `work` without the triggers of the schema: the copy already has what they made, such as kept counts, which would
 * otherwise be made a second time. The owner of a table may do this, unlike `session_replication_role`.
 */
async function withoutTriggers(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(`
    select t.tgrelid::regclass::text as table, quote_ident(t.tgname) as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and t.tgparentid = 0 and t.tgenabled = 'O' and c.relnamespace = 'public'::regnamespace`);
  for (const { table, name } of rows) await client.query(`alter table ${table} disable trigger ${name}`);
  await work();
  for (const { table, name } of rows) await client.query(`alter table ${table} enable trigger ${name}`);
}

/**
 * Runs `work` without foreign keys: they are checked once at the end instead of row by row, so tables can be loaded in
 * any order.
 */
async function withoutForeignKeys(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(`
    select c.conrelid::regclass::text as table, quote_ident(c.conname) as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c where c.contype = 'f' and c.conparentid = 0 and c.connamespace = 'public'::regnamespace`);
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
  await work();
  for (const { table, name, definition } of rows) await client.query(`alter table ${table} add constraint ${name} ${definition}`);
}

/** Makes the partitions of the copy. Where these have all times, those that the database has instead would overlap with them. */
async function makePartitions(client: pg.Client, table: TableCopy): Promise<void> {
  if (table.partitions.some(({ bound }) => bound.includes('MINVALUE'))) {
    const { rows } = await client.query<{ name: string }>(
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass',
      [client.escapeIdentifier(table.name)],
    );
    if (rows.length > 0) await client.query(`drop table ${rows.map(({ name }) => name).join(', ')}`);
  }
  for (const { name, bound } of table.partitions)
    await client.query(
      `create table if not exists ${client.escapeIdentifier(name)} partition of ${client.escapeIdentifier(table.name)} ${bound}`,
    );
}

async function fill(client: pg.Client, folder: string, table: TableCopy): Promise<void> {
  const name = client.escapeIdentifier(table.name);
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(', ');
  const target = client.query(from(`copy ${name} (${columns}) from stdin`));
  await pipeline(createReadStream(join(folder, fileOf(table.name))), createGunzip(), target);
  if (target.rowCount !== table.rows)
    throw new StartError(`The backup is damaged: ${table.name} has ${target.rowCount} rows, not ${table.rows}.`);
}

/**
 * Restores the whole copy or nothing: after a failure the database is unchanged. Returns the names of the migrations that
 * ran afterwards, because the copy lacked them.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<string[]> {
  const { copy, folder } = options;
  for (const table of copy.tables) await requireIntact(folder, table);
  const client = new pg.Client({ connectionString: options.url, application_name: 'cloudfit-restore' });
  await client.connect();
  try {
    // A server that starts meanwhile waits here, as it does during a migration.
    await takeTurn(client, () => undefined);
    await requireFitting(client, options);
    const { before, later } = await laterMigrations(copy);
    await client.query('begin');
    if (later.length > 0) await makeSchemaOf(client, before);
    const tables = await tablesOf(client);
    const secured = tables.filter((table) => table.secured).map((table) => client.escapeIdentifier(table.name));
    // Lets the owner of the tables load the rows of all tenants.
    for (const name of secured) await client.query(`alter table ${name} no force row level security`);
    await withoutTriggers(client, () =>
      withoutForeignKeys(client, async () => {
        await client.query(`truncate ${[...tables.map((table) => client.escapeIdentifier(table.name)), 'change'].join(', ')}`);
        for (const [i, table] of copy.tables.entries()) {
          await makePartitions(client, table);
          await fill(client, folder, table);
          options.filled?.(i + 1, copy.tables.length);
        }
      }),
    );
    for (const { name, value } of copy.sequences)
      await client.query('select setval($1::text::regclass, $2::text::bigint)', [`public.${client.escapeIdentifier(name)}`, value]);
    await options.loaded?.(client);
    for (const name of secured) await client.query(`alter table ${name} force row level security`);
    for (const file of later) await applyMigration(client, file);
    await client.query('commit');
    return later.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
