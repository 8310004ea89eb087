/** Puts a copy that `copyDatabase` made into a database of the same program, in one transaction. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { StartError } from '../platform/start-error.ts';
import { fileOf, migrationsOf, tablesOf, type DatabaseCopy, type TableCopy } from './backup.ts';

export interface RestoreOptions {
  url: string;
  folder: string;
  copy: DatabaseCopy;
  /** What is in the database may go. */
  replace: boolean;
}

async function requireIntact(folder: string, table: TableCopy): Promise<void> {
  const hash = createHash('sha256');
  const file = join(folder, fileOf(table.name));
  try {
    for await (const part of createReadStream(file)) hash.update(part as Buffer);
  } catch (error) {
    throw new StartError(`The backup is not complete: ${file} cannot be read: ${(error as Error).message}.`);
  }
  if (hash.digest('hex') !== table.sha256) throw new StartError(`The backup is damaged: ${file} is not what was written.`);
}

async function requireFitting(client: pg.Client, { copy, replace }: RestoreOptions): Promise<void> {
  const migrations = await migrationsOf(client);
  if (migrations.join() !== copy.migrations.join())
    throw new StartError('The backup is of another version of this program: restore it with that one, and upgrade afterwards.');
  const others = await client.query("select 1 from pg_stat_activity where datname = current_database() and application_name = 'cloudfit'");
  if (others.rows.length > 0) throw new StartError('Servers work on this database: stop them first.');
  const { rows } = await client.query<{ filled: boolean }>('select exists (select from tenant) as filled');
  if (rows[0]?.filled && !replace)
    throw new StartError('There is something in this database already; --replace puts the backup in its place.');
}

/** Foreign keys are checked once at the end instead of row by row; loading needs no order then. */
async function withoutForeignKeys(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(`
    select c.conrelid::regclass::text as table, quote_ident(c.conname) as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c where c.contype = 'f' and c.conparentid = 0 and c.connamespace = 'public'::regnamespace`);
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
  await work();
  for (const { table, name, definition } of rows) await client.query(`alter table ${table} add constraint ${name} ${definition}`);
}

async function makePartitions(client: pg.Client, table: TableCopy): Promise<void> {
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

/** All of it or nothing: when something fails the database is as it was. */
export async function restoreDatabase(options: RestoreOptions): Promise<void> {
  const { copy, folder } = options;
  for (const table of copy.tables) await requireIntact(folder, table);
  const client = new pg.Client({ connectionString: options.url, application_name: 'cloudfit-restore' });
  await client.connect();
  try {
    // A server that starts meanwhile waits here, as it does while another one migrates.
    await client.query('select pg_advisory_lock(7400)');
    await requireFitting(client, options);
    await client.query('begin');
    const tables = await tablesOf(client);
    const secured = tables.filter((table) => table.secured).map((table) => client.escapeIdentifier(table.name));
    // The owner loads every tenant's rows.
    for (const name of secured) await client.query(`alter table ${name} no force row level security`);
    await withoutForeignKeys(client, async () => {
      await client.query(`truncate ${[...tables.map((table) => client.escapeIdentifier(table.name)), 'change'].join(', ')}`);
      for (const table of copy.tables) {
        await makePartitions(client, table);
        await fill(client, folder, table);
      }
    });
    for (const { name, value } of copy.sequences)
      await client.query('select setval($1::text::regclass, $2::text::bigint)', [`public.${client.escapeIdentifier(name)}`, value]);
    for (const name of secured) await client.query(`alter table ${name} force row level security`);
    await client.query('commit');
  } finally {
    await client.end();
  }
}
