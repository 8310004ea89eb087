/** The change feed on a real PostgreSQL, beside open transactions of its own and of another database. */
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import { testDatabase } from '../testing/database.ts';
import { createChangeFeed, type ChangeFeed, type ChangeRow } from './change-feed.ts';

let database: Database;
let [url, elsewhereUrl] = ['', ''];
const closing: (() => Promise<void>)[] = [];
const feeds: ChangeFeed[] = [];

beforeAll(async () => {
  const [test, elsewhere] = [await testDatabase(), await testDatabase()];
  [url, elsewhereUrl] = [test.url, elsewhere.url];
  database = openDatabase({ url, max: 4, onError: () => undefined });
  closing.push(() => database.close(), test.close, elsewhere.close);
});
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
});
afterAll(async () => {
  for (const close of closing) await close();
});

async function openFeed(): Promise<{ feed: ChangeFeed; ids: string[] }> {
  const feed = await createChangeFeed(database, pino({ level: 'silent' }));
  feeds.push(feed);
  const ids: string[] = [];
  feed.subscribe((rows: readonly ChangeRow[]) => void ids.push(...rows.filter(({ entity }) => entity === 'feedTest').map(({ id }) => id)));
  return { feed, ids };
}
const addText = `insert into change (verb, entity, entity_id, correlation_id) select 'update', 'feedTest', $1::text || n, gen_random_uuid() from generate_series(1, $2::int) n`;
const add = (prefix: string, count = 1) => database.scoped('all').query({ text: addText, values: [prefix, count] });

/** A connection with an open transaction that has written, so that it has a transaction id. */
async function openTransaction(at: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: at });
  await client.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return client;
}

it('does not wait for a transaction of another database, and misses nothing of one of its own', async () => {
  const { feed, ids } = await openFeed();
  const before = feed.position();
  const elsewhere = await openTransaction(elsewhereUrl);
  const local = await openTransaction(url);
  try {
    await local.query(addText, ['late ', 1]);
    await add('behind ');
    // Its row is behind an open transaction of its own database, which may write an earlier row.
    for (let n = 0; n < 8; n++) await new Promise((resolve) => setTimeout(resolve, 250));
    expect(ids).toEqual([]);
    await local.query('commit');
    await expect.poll(() => ids.toSorted(), { timeout: 8_000 }).toEqual(['behind 1', 'late 1']);
    expect((await feed.since(before, 100))?.map(({ id }) => id).toSorted()).toEqual(['behind 1', 'late 1']);
    await add('next ');
    await expect.poll(() => ids.includes('next 1'), { timeout: 8_000 }).toBe(true);
  } finally {
    await local.end();
    await elsewhere.end();
  }
});
