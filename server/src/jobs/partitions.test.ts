/** The partitions of days: made and dropped while somebody reads, sends packets, or kills the work in the middle. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import { tablesOf } from '../db/backup.ts';
import { droppedMark } from '../db/partitions.ts';
import { testDatabase } from '../testing/database.ts';
import { partitionWork } from './retention.ts';

let database: Database;
let url: string;
let closeDatabase: () => Promise<void>;
/** The owner, and somebody who reads or writes beside the work. */
let owner: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  const test = await testDatabase();
  ({ url, close: closeDatabase } = test);
  database = openDatabase({ url, max: 2, onError: () => undefined });
  owner = new pg.Client({ connectionString: url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
  await closeDatabase();
});
beforeEach(async () => {
  other = new pg.Client({ connectionString: url });
  await other.connect();
  await owner.query('select make_packet_partitions(current_date - 40), keep_series_partitions(40)');
});
afterEach(() => other.end());

const work = () =>
  partitionWork({ packet: 30, series_minute: 30 }, { audit: 1_095, rule_evaluation: 400, device_log: 30 }, url).run(database.scoped('all'));
const nameOf = (table: string, daysAgo: number): string =>
  `${table}_${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`;

interface Partition {
  name: string;
  state: 'attached' | 'detaching' | 'detached';
}

/** The partitions of both tables that are older than 30 days, and tables that were partitions. */
async function oldOnes(): Promise<Partition[]> {
  const { rows } = await owner.query<Partition>(
    `select relname as name, case when inhrelid is null then 'detached' when inhdetachpending then 'detaching' else 'attached' end as state
from pg_class c left join pg_inherits on inhrelid = c.oid where c.relkind = 'r' and
  (relname ~ '^packet_[0-9]{8}$' and relname < $1 or relname ~ '^series_minute_[0-9]{8}$' and relname < $2) order by 1`,
    [nameOf('packet', 30), nameOf('series_minute', 30)],
  );
  return rows;
}

const store = (daysAgo = 0) =>
  `insert into packet (tenant_id, entity_id, timestamp, message) values (uuidv7(), uuidv7(), now() - interval '${daysAgo} days', '{}')`;
const storePage = `insert into series_minute (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts, ten_slots, ten_mins, ten_sums, ten_maxs, ten_lasts, ten_counts)
values (uuidv7(), uuidv7(), 'Value', now(), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`;

/** Writes while `job` runs; each statement fails if it waits for a lock for longer than a moment. Returns the number of rows. */
async function writeWhile(job: Promise<unknown>): Promise<number> {
  const writer = new pg.Client({ connectionString: url, lock_timeout: 100 });
  await writer.connect();
  let over = false;
  const done = job.finally(() => (over = true));
  let stored = 0;
  try {
    do {
      await writer.query(store());
      await writer.query(storePage);
      stored += 2;
    } while (!over);
  } finally {
    await done.catch(() => undefined);
    await writer.end();
  }
  await done;
  return stored;
}

it('are dropped past retention, each of its table', async () => {
  await other.query(store(35));
  await work();
  expect(await oldOnes()).toEqual([]);
  await other.query(store(29));
});

it('are dropped when a reader has gone, and nobody waits before', async () => {
  await other.query('begin; select 1 from packet limit 1; select 1 from series_minute limit 1');
  const before = await oldOnes();
  expect(before.length).toBe(20);
  expect(await writeWhile(work())).toBeGreaterThan(2);
  expect(await writeWhile(work())).toBeGreaterThan(2);
  // The reader still sees what it saw.
  await other.query('select 1 from packet limit 1');
  expect((await oldOnes()).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  await other.query('commit');
  await work();
  expect(await oldOnes()).toEqual([]);
});

it('are dropped by the next work when one was killed after it began to detach, or before it dropped', async () => {
  await other.query('begin; select 1 from packet limit 1');
  const killed = work().catch((error: unknown) => error);
  const pid = async () =>
    (
      await owner.query<{ pid: number }>(
        `select a.pid from pg_stat_activity a join pg_inherits on inhdetachpending where a.application_name = 'cloudfit partitions' and datname = current_database()`,
      )
    ).rows[0]?.pid;
  let working = await pid();
  while (working === undefined) working = await pid();
  await owner.query('select pg_terminate_backend($1)', [working]);
  await killed;
  expect((await oldOnes()).filter(({ state }) => state === 'detaching')).toEqual([{ name: nameOf('packet', 40), state: 'detaching' }]);
  await other.query('commit');
  await work();
  expect(await oldOnes()).toEqual([]);

  await owner.query('select make_packet_partitions(current_date - 31)');
  const last = nameOf('packet', 31);
  await owner.query(`comment on table ${last} is '${droppedMark}'`);
  await owner.query(`alter table packet detach partition ${last}`);
  expect((await tablesOf(owner)).map(({ name }) => name)).not.toContain(last);
  await work();
  expect(await oldOnes()).toEqual([]);
});

it('are left alone when somebody has detached them in order to keep them', async () => {
  const detached = nameOf('packet', 35);
  await owner.query(`alter table packet detach partition ${detached}`);
  await work();
  expect(await oldOnes()).toEqual([{ name: detached, state: 'detached' }]);
  await owner.query(`drop table ${detached}`);
});

it('are made while somebody reads, with the columns, indexes and storage of their table', async () => {
  await other.query('begin; select 1 from packet limit 1; select 1 from series_minute limit 1');
  await writeWhile(owner.query("set lock_timeout = '2s'; select make_packet_partitions(current_date - 45), keep_series_partitions(45)"));
  await other.query('commit');
  const shape = async (name: string) =>
    (
      await owner.query<{ shape: unknown }>(
        `select jsonb_build_array(
  (select jsonb_agg(jsonb_build_array(attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attcompression) order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0),
  (select jsonb_agg(pg_get_expr(adbin, adrelid) order by adnum) from pg_attrdef where adrelid = c.oid),
  (select jsonb_agg(jsonb_build_array(i.indisprimary, i.indkey::text, i.indoption::text, p.inhparent::regclass::text)) from pg_index i join pg_inherits p on p.inhrelid = i.indexrelid where i.indrelid = c.oid),
  relacl, relrowsecurity, reloptions, relowner) as shape from pg_class c where relname = $1`,
        [name],
      )
    ).rows[0]?.shape;
  for (const table of ['packet', 'series_minute']) {
    await owner.query(`create table ${nameOf(table, 60)} partition of ${table} for values from ('2001-01-01') to ('2001-01-02')`);
    expect(await shape(nameOf(table, 45))).toEqual(await shape(nameOf(table, 60)));
  }
  await work();
});
