/** Row counts and digests of tables, to compare two databases regardless of row order. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to } from 'pg-copy-streams';
import { tablesOf } from './backup.ts';

export interface TableDigest {
  rows: number;
  digest: string;
}

/** Returns the number of rows and the sum of their hashes, which does not depend on the order of the rows. */
export async function digestOf(lines: Readable): Promise<TableDigest> {
  let rows = 0;
  let [high, low] = [0, 0];
  let rest = Buffer.alloc(0);
  const add = (line: Buffer): void => {
    const hash = createHash('md5').update(line).digest();
    high = (high + hash.readUInt32LE(0)) >>> 0;
    low = (low + hash.readUInt32LE(4)) >>> 0;
    rows++;
  };
  for await (const chunk of lines as AsyncIterable<Buffer>) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    // COPY escapes line breaks inside values, so each line is a row.
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
      add(text.subarray(start, end));
      start = end + 1;
    }
    rest = Buffer.from(text.subarray(start));
  }
  return { rows, digest: `${high.toString(16)}-${low.toString(16)}` };
}

/**
 * Returns the digests, by name, of all tables that a backup contains and that survive a crash (unlogged tables do not).
 * Reads in the transaction of `client`, which must see all rows.
 */
export async function digestTables(client: pg.Client): Promise<Record<string, TableDigest>> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relpersistence = 'u'",
  );
  const digests: Record<string, TableDigest> = {};
  for (const { name, columns } of await tablesOf(client)) {
    if (rows.some((row) => row.name === name)) continue;
    const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
    digests[name] = await digestOf(client.query(to(`copy (select ${list} from ${client.escapeIdentifier(name)}) to stdout`)));
  }
  return digests;
}
