/** What periodic work reads beside rows of the past and of the future: none but those that an index gives it as due. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadMasterKey } from '../auth/master-key.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { openIngest, type Ingest } from '../ingest/accept.ts';
import type { Periodic, SharedPeriodic } from '../jobs/schedule.ts';
import { loadConfig } from '../platform/config.ts';
import { registerServed } from '../resources/served.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { keepRows, liveTexts, waitingTexts } from '../testing/statements/kept-rows.ts';
import { served } from './served.ts';
import { periodicWorks } from './work.ts';

const devices = 20;
const connections = 2;
const folder = mkdtempSync(join(tmpdir(), 'cloudfit-periodic-'));
let test: TestDatabase;
let client: pg.Client;
let database: Database;
let ingest: Ingest;
let works: (Periodic | SharedPeriodic)[];

beforeAll(async () => {
  test = await testDatabase();
  client = new pg.Client({ connectionString: test.url });
  await client.connect();
  // So few rows would be read faster without an index.
  await client.query(`alter database ${client.database} set enable_seqscan = off`);
  database = openDatabase({ url: test.url, max: connections, onError: () => undefined });
  const log = pino({ level: 'silent' });
  await registerServed(database, served);
  for (const text of liveTexts(devices)) await client.query(text);
  const add = (text: string, values: readonly number[]) => client.query(text, [...values]);
  await keepRows(add, 2_000, true);
  await keepRows(add, 8_000, false);
  for (const text of waitingTexts) await add(text, text.includes('$1') ? [1_000] : []);
  await add('vacuum analyze', []);
  ingest = await openIngest({ database, log });
  const config = loadConfig({ MASTER_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder });
  works = periodicWorks({
    config,
    database,
    log,
    ingest,
    masterKey: await loadMasterKey({ ...config, log }),
    ownerUrl: test.url,
    mailServerIsSet: true,
  });
}, 240_000);
afterAll(async () => {
  await ingest.stop();
  await database.close();
  await client.end();
  await test.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The rows that were read of each table so far, in order or by an index. */
async function readRows(): Promise<ReadonlyMap<string, number>> {
  const db = database.scoped('all');
  await Promise.all(Array.from({ length: connections }, () => db.query({ text: 'select pg_stat_force_next_flush(), pg_sleep(0.02)' })));
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ name: string; rows: number }>(
    `select coalesce(p.relname, s.relname) as name,
  sum(s.seq_tup_read + coalesce((select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = s.relid), 0))::float8 as rows
from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid left join pg_class p on p.oid = i.inhparent group by 1`,
  );
  return new Map(rows.map((row) => [row.name, row.rows]));
}

/** A sweep of silence looks at 100 entities of each share besides those that are due. */
const few = 250;
/** An index of blocks (BRIN) does not have the last 128 blocks of its table, and counts ten rows for each. */
const fewByBlocks = 1_300;

async function tablesByBlocks(): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam and m.amname = 'brin' join pg_class c on c.oid = i.indrelid`,
  );
  return new Set(rows.map(({ name }) => name));
}

it('reads nothing that is only stored, or waits for its time', async () => {
  const db = database.scoped('all');
  const runner = randomUUID();
  const byBlocks = await tablesByBlocks();
  const reads: string[] = [];
  for (const work of works) {
    const run = (continues: boolean): Promise<void> =>
      'shares' in work
        ? work.run(db, { runner, shares: Array.from({ length: work.shares }, (_, share) => ({ share, continues })) })
        : work.run(db);
    // The first runs have something to do.
    for (let i = 0; i < 3; i += 1) await run(i > 0);
    const measure = async (): Promise<Map<string, number>> => {
      const before = await readRows();
      await run(true);
      const read = [...(await readRows())].map(([name, total]) => [name, total - (before.get(name) ?? 0)] as const);
      return new Map(read.filter(([name, rows]) => rows > (byBlocks.has(name) ? fewByBlocks : few)));
    };
    const many = await measure();
    // Ingest reads recent outages every few seconds, which may fall into a run that is slow, but not into two of them.
    const again = many.size > 0 ? await measure() : many;
    for (const [name, rows] of many) if (again.has(name)) reads.push(`${work.name} reads ${rows} rows of ${name}`);
  }
  expect(works.length).toBeGreaterThan(35);
  expect(reads).toEqual([]);
}, 240_000);
