/** Copies a whole database from one snapshot into files: while servers run, with any PostgreSQL, without its tools. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import { droppedMark } from './partitions.ts';

export interface TableCopy {
  name: string;
  columns: string[];
  rows: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  /** The table's partitions: name, and bounds as PostgreSQL prints them. */
  partitions: { name: string; bound: string }[];
}

export interface DatabaseCopy {
  migrations: string[];
  tables: TableCopy[];
  sequences: { name: string; value: string }[];
}

interface Table {
  name: string;
  columns: string[];
  secured: boolean;
  partitions: TableCopy['partitions'];
}

/**
 * Tables that are not copied: `migration` belongs to the program, not to the data; the positions in `change` are
 * transaction ids of this cluster.
 */
const left = new Set(['migration', 'change']);

/** Returns the tables to copy, without partitions that are being dropped, with their stored (not generated) columns. */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name, c.relrowsecurity as secured,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      coalesce((select jsonb_agg(jsonb_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)) order by p.relname)
        from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid), '[]') as partitions
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and obj_description(c.oid, 'pg_class') is distinct from ${client.escapeLiteral(droppedMark)} order by 1`);
  return rows.filter(({ name }) => !left.has(name));
}

export async function migrationsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migration order by name');
  return rows.map((row) => row.name);
}

export const fileOf = (table: string): string => `${table}.copy.gz`;

function hashing(): { stream: Transform; hex: () => string } {
  const hash = createHash('sha256');
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, hex: () => hash.digest('hex') };
}

async function copyTable(client: pg.Client, table: Table, folder: string): Promise<TableCopy> {
  const { name, columns, partitions } = table;
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  const source = client.query(to(`copy (select ${list} from ${client.escapeIdentifier(name)}) to stdout`));
  const hashed = hashing();
  await pipeline(
    source,
    createGzip({ level: 1 }),
    hashed.stream,
    createWriteStream(join(folder, fileOf(name)), { mode: 0o600, flush: true }),
  );
  return { name, columns, partitions, rows: source.rowCount, sha256: hashed.hex() };
}

/** Returns the name of the snapshot that the open transaction of `client` reads. */
export async function exportSnapshot(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select pg_export_snapshot() as name');
  return rows[0]?.name ?? '';
}

interface DatabaseCopyOptions {
  /** Called with the name of the snapshot that is copied, for other sessions to read. */
  beside?: (snapshot: string) => Promise<void>;
  /** Called after each table. */
  copied?: (done: number, all: number) => void;
}

/** Copies all tables into `folder`, which must exist, one file per table. Returns what the copy contains. */
export async function copyDatabase(url: string, folder: string, { beside, copied }: DatabaseCopyOptions = {}): Promise<DatabaseCopy> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The snapshot must outlast whoever reads it beside this session.
    await client.query('set idle_in_transaction_session_timeout = 0; begin isolation level repeatable read read only');
    if (beside) await beside(await exportSnapshot(client));
    const seesAll = (
      await client.query<{ all: boolean }>('select rolsuper or rolbypassrls as all from pg_roles where rolname = current_user')
    ).rows[0];
    const tables: TableCopy[] = [];
    const all = await tablesOf(client);
    for (const table of all) {
      // Row-level security applies to the owner too; the role for all tenants sees everything.
      if (table.secured && !seesAll?.all) await client.query('set local role app_global');
      tables.push(await copyTable(client, table, folder));
      await client.query('reset role');
      copied?.(tables.length, all.length);
    }
    const sequences = await client.query<{ name: string; value: string }>(
      "select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public' and last_value is not null order by 1",
    );
    return { migrations: await migrationsOf(client), tables, sequences: sequences.rows };
  } finally {
    await client.end();
  }
}
