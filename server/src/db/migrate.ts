/** Brings a database to the newest migration; two servers at once take turns. */
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';

const folder = new URL('./migrations/', import.meta.url);

/** Runs what is missing of `migrations/NNNN-name.sql`, each in its own transaction; answers the names it ran. */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7400)');
    await client.query('create table if not exists migration (name text primary key, at timestamptz not null default now())');
    const done = new Set((await client.query<{ name: string }>('select name from migration')).rows.map((r) => r.name));
    const files = (await readdir(folder)).filter((f) => f.endsWith('.sql')).toSorted();
    const unknown = [...done].filter((name) => !files.includes(name));
    if (unknown.length > 0) throw new Error(`The database is newer than this program: it has ${unknown.join(', ')}.`);
    const ran: string[] = [];
    for (const name of files) {
      if (done.has(name)) continue;
      const text = await readFile(new URL(name, folder), 'utf8');
      await client.query('begin');
      try {
        await client.query(text);
        await client.query('insert into migration (name) values ($1)', [name]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw new Error(`Migration ${name} failed: ${messageOf(error)}`, { cause: error });
      }
      ran.push(name);
    }
    return ran;
  } finally {
    await client.end();
  }
}
