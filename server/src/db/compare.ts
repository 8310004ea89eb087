/** Compares a restored database with the original at the same moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { StartError } from '../platform/start-error.ts';
import { exportSnapshot } from './backup.ts';
import { digestTables, type TableDigest } from './digest.ts';

/**
 * Computes digests of all tables and, at the same moment, creates a restore point in the log. Waits 200 ms at most for
 * a table lock, then lets writers continue and retries. `beside` is called with the name of that moment's snapshot.
 */
export async function digestsAtPoint(
  url: string,
  point: string,
  beside: (snapshot: string) => Promise<void>,
): Promise<{ expected: Record<string, TableDigest>; segment: string }> {
  const [holder, reader] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([holder.connect(), reader.connect()]);
  try {
    await holder.query("set lock_timeout = '200ms'; set deadlock_timeout = '50ms'");
    const { rows } = await holder.query<{ list: string }>(
      "select string_agg(quote_ident(relname), ', ') as list from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition",
    );
    for (let attempt = 1; ; attempt++) {
      try {
        await holder.query(`begin; lock table ${rows[0]?.list} in share mode`);
        break;
      } catch (error) {
        await holder.query('rollback');
        if (attempt === 100) throw new StartError(`The database is too busy to lock its tables for a comparison: ${messageOf(error)}.`);
        await sleep(100);
      }
    }
    await reader.query('set idle_in_transaction_session_timeout = 0; begin isolation level repeatable read read only');
    await reader.query('select 1 from tenant limit 1');
    const { rows: points } = await holder.query<{ segment: string }>('select pg_walfile_name(pg_create_restore_point($1)) as segment', [
      point,
    ]);
    await holder.query('commit');
    await holder.query('select pg_switch_wal()');
    await beside(await exportSnapshot(reader));
    return { expected: await digestTables(reader), segment: points[0]?.segment ?? '' };
  } finally {
    await Promise.all([holder.end(), reader.end()]);
  }
}

/** Throws an error that names the tables that differ, if any; reads in the transaction of `client`. */
export async function compareTables(client: pg.Client, expected: Record<string, TableDigest>): Promise<void> {
  const actual = await digestTables(client);
  const wrong = Object.keys(expected).filter((name) => actual[name] && expected[name] && actual[name].digest !== expected[name].digest);
  const lost = Object.keys(actual).filter((name) => actual[name]?.rows !== (expected[name]?.rows ?? 0));
  const names = [...new Set([...lost, ...wrong])];
  const tell = (name: string): string => `${name} has ${actual[name]?.rows ?? 0} rows, of ${expected[name]?.rows ?? 0}`;
  if (names.length > 0) throw new StartError(`The restored copy differs: ${names.map(tell).join('; ')}, or other values in them.`);
}

/** Compares the tables of the database at `url`. */
export async function compareDatabase(url: string, expected: Record<string, TableDigest>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await compareTables(client, expected);
  } finally {
    await client.end();
  }
}
