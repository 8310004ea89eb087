/** The partitions of quarters, months and weeks: no row is refused, nobody waits, and what is past retention goes as a whole. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { copyDatabase } from '../db/backup.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { restoreDatabase } from '../db/restore.ts';
import { spans, type SpanTable } from '../db/spans.ts';
import { testDatabase } from '../testing/database.ts';
import { partitionWork, pruneWork } from './retention.ts';

let database: Database;
let url: string;
let closeDatabase: () => Promise<void>;
/** The owner, and somebody who reads beside the work. */
let owner: pg.Client;
let other: pg.Client;
const tenant = '01970000-0000-7000-8000-000000000001';

beforeAll(async () => {
  ({ url, close: closeDatabase } = await testDatabase());
  database = openDatabase({ url, max: 2, onError: () => undefined });
  [owner, other] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([owner.connect(), other.connect()]);
  await owner.query("set timezone = 'UTC'");
});
afterAll(async () => {
  await Promise.all([owner.end(), other.end()]);
  await database.close();
  await closeDatabase();
});
beforeEach(async () => {
  await owner.query('truncate audit, rule_evaluation, device_log');
});
afterEach(async () => {
  await other.query('rollback');
});

const retention = { audit: 1_095, rule_evaluation: 400, device_log: 30 };
const tables = Object.keys(spans) as SpanTable[];
const work = () => partitionWork({ packet: 30, series_minute: 30 }, retention, url).run(database.scoped('all'));
const prune = () => pruneWork({ packets: 30, records: 400, audit: 1_095, seriesHours: 730, seriesDays: 3_650 }).run(database.scoped('all'));

const columns: Record<SpanTable, [columns: string, values: string]> = {
  audit: [
    'tenant_id, actor_kind, actor_name, verb, entity, entity_id, correlation_id, at',
    `'${tenant}', 'system', 'x', 'update', 'x', 'x', uuidv7()`,
  ],
  rule_evaluation: ['tenant_id, rule_id, subject_id, outcome, correlation_id, at', `'${tenant}', uuidv7(), uuidv7(), 'hit', uuidv7()`],
  device_log: ['tenant_id, device_id, entry_type, detail, created', `'${tenant}', uuidv7(), 'Information', 'x'`],
};
/** Stores a row as the server does, in its role, through the table. `at` is SQL. */
const store = async (table: SpanTable, at = 'now()'): Promise<unknown> =>
  database.scoped([tenant]).query({ text: `insert into ${table} (${columns[table][0]}) values (${columns[table][1]}, ${at})` });

/** Each partition with its bounds, `-` for none, and its rows, in the order of time. */
async function partitions(table: SpanTable, client = owner): Promise<string[]> {
  const { rows } = await client.query<{ name: string; bounds: string }>(
    `select c.relname as name, regexp_replace(replace(replace(pg_get_expr(c.relpartbound, c.oid), 'MINVALUE', '-'), 'MAXVALUE', '-'), '''|FOR VALUES FROM | 00:00:00\\+00|[()]', '', 'g') as bounds
from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by c.relname not like '%before', c.relname`,
    [table],
  );
  const lines: string[] = [];
  for (const { name, bounds } of rows) {
    const { rows: counted } = await client.query<{ n: number }>(`select count(*)::int as n from ${name}`);
    lines.push(`${name}: ${bounds}, ${counted[0]?.n} rows`);
  }
  return lines;
}

/** The first day of a span, so many spans from now. */
async function dayOf(table: SpanTable, n: number): Promise<string> {
  const { unit, step } = spans[table];
  const { rows } = await owner.query<{ day: string }>(
    `select to_char(date_trunc('${unit}', now()) + $1 * interval '${step}', 'YYYY-MM-DD') as day`,
    [n],
  );
  return rows[0]?.day ?? '';
}
const nameOf = (table: SpanTable, day: string): string => `${table}_${day.replaceAll('-', '')}`;

/** Gives the table partitions as if the work had last run so many spans ago: one of that time, beside `_before` and `_after`. */
async function setBack(table: SpanTable, ago: number): Promise<[first: string, end: string]> {
  const [first, end] = [await dayOf(table, -ago), await dayOf(table, 1 - ago)];
  const { rows } = await owner.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass',
    [table],
  );
  await owner.query(`drop table ${rows.map(({ name }) => name).join(', ')};
    create table ${table}_before partition of ${table} for values from (minvalue) to ('${first}');
    create table ${nameOf(table, first)} partition of ${table} for values from ('${first}') to ('${end}');
    create table ${table}_after partition of ${table} for values from ('${end}') to (maxvalue)`);
  return [first, end];
}

it.each(tables)('%s takes every time, as the migrations leave it, and when no worker has run since', async (table) => {
  for (const at of ["'1970-01-01'", 'now()', "'2099-01-01'"]) await store(table, at);
  await setBack(table, 3);
  for (const at of ["'1970-01-01'", "now() - interval '30 days'", 'now()', "'2099-01-01'"]) await store(table, at);
  expect((await database.scoped([tenant]).query({ text: `select 1 from ${table}` })).length).toBe(4);
});

it.each(tables)('%s gets its next partition ahead, once', async (table) => {
  const [first, end] = await setBack(table, 0);
  await work();
  const expected = [
    `${table}_before: - TO ${first}, 0 rows`,
    `${nameOf(table, first)}: ${first} TO ${end}, 0 rows`,
    `${nameOf(table, end)}: ${end} TO ${await dayOf(table, 2)}, 0 rows`,
    `${table}_after: ${await dayOf(table, 2)} TO -, 0 rows`,
  ];
  expect(await partitions(table)).toEqual(expected);
  await work();
  expect(await partitions(table)).toEqual(expected);
});

it.each(tables)('%s stores what came while no worker ran as one partition, and what a wrong clock said after it', async (table) => {
  const [first, end] = await setBack(table, 3);
  for (const at of ["now() - interval '1 day'", 'now()', "'2099-01-01'"]) await store(table, at);
  await work();
  const next = await dayOf(table, 2);
  expect(await partitions(table)).toEqual([
    `${table}_before: - TO ${first}, 0 rows`,
    `${nameOf(table, first)}: ${first} TO ${end}, 0 rows`,
    `${nameOf(table, end)}: ${end} TO ${next}, 2 rows`,
    `${table}_after: ${next} TO -, 1 rows`,
  ]);
  await store(table);
  await store(table, "'2098-01-01'");
  expect(await database.scoped([tenant]).query({ text: `select 1 from ${table}` })).toHaveLength(5);
});

it.each(tables)('%s loses what is past retention as a whole, and what lies before its partitions row by row', async (table) => {
  const { at } = spans[table];
  const days = retention[table];
  const old = Math.ceil(days / { week: 7, month: 28, quarter: 90 }[spans[table].unit]) + 2;
  const [first, end] = await setBack(table, old);
  const limit = `now() - interval '${days} days'`;
  for (const time of [
    "'1970-01-01'",
    `timestamptz '${first} 00:00Z'`,
    `timestamptz '${end} 00:00Z'`,
    `${limit} - interval '1 minute'`,
    `${limit} + interval '1 minute'`,
  ])
    await store(table, time);
  await prune();
  // The one row that lies before all partitions; the partition that is past retention goes at the next work.
  expect((await partitions(table)).map((line) => line.slice(line.lastIndexOf(',') + 2))).toEqual(['0 rows', '1 rows', '3 rows']);
  await store(table, "'1970-01-01'");
  await work();
  expect((await partitions(table)).slice(0, 2)).toEqual([
    `${table}_before: - TO ${end}, 0 rows`,
    `${nameOf(table, end)}: ${end} TO ${await dayOf(table, 2)}, 3 rows`,
  ]);
  // Part of it is past retention, part not.
  await prune();
  expect((await database.scoped([tenant]).query({ text: `select ${at} from ${table}` })).length).toBe(3);
  await store(table, "'1970-01-01'");
});

it('what a table had before its partitions goes row by row, up to retention', async () => {
  const { rows } = await owner.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'rule_evaluation'::regclass",
  );
  await owner.query(`drop table ${rows.map(({ name }) => name).join(', ')};
    create table rule_evaluation_before partition of rule_evaluation for values from (minvalue) to ('${await dayOf('rule_evaluation', 1)}');
    create table rule_evaluation_after partition of rule_evaluation for values from ('${await dayOf('rule_evaluation', 1)}') to (maxvalue)`);
  for (const side of ['-', '+']) await store('rule_evaluation', `now() - interval '400 days' ${side} interval '1 minute'`);
  // A row at the same place of another partition stays.
  await store('rule_evaluation', "now() + interval '40 days'");
  await prune();
  expect((await partitions('rule_evaluation')).map((line) => line.slice(line.lastIndexOf(',') + 2))).toEqual(['1 rows', '1 rows']);
});

it.each(tables)('%s changes nothing and stops nobody while somebody reads it, and does it afterwards', async (table) => {
  const [first] = await setBack(table, 70);
  await other.query(`begin isolation level repeatable read; set local role app_global; select 1 from ${table} limit 1`);
  const writer = new pg.Client({ connectionString: url, lock_timeout: 1_000 });
  await writer.connect();
  try {
    let isOver = false;
    const job = work().finally(() => (isOver = true));
    do await writer.query(`insert into ${table} (${columns[table][0]}) values (${columns[table][1]}, now())`);
    while (!isOver);
    await job;
  } finally {
    await writer.end();
  }
  expect((await partitions(table))[0]).toBe(`${table}_before: - TO ${first}, 0 rows`);
  // The reader still can.
  await other.query(`select 1 from ${table} limit 1`);
  await other.query('commit');
  await work();
  expect((await partitions(table))[0]).not.toBe(`${table}_before: - TO ${first}, 0 rows`);
});

it('a copy is restored with its partitions, whatever the database has for these times', async () => {
  for (const table of tables) {
    await setBack(table, 1);
    for (const at of ["'1970-01-01'", "now() - interval '10 days'", "'2099-01-01'"]) await store(table, at);
  }
  const [target, folder] = [await testDatabase(), mkdtempSync(join(tmpdir(), 'cloudfit-spans-'))];
  const there = new pg.Client({ connectionString: target.url });
  try {
    const copy = await copyDatabase(url, folder);
    await restoreDatabase({ url: target.url, folder, copy, replace: true });
    await there.connect();
    await there.query("set timezone = 'UTC'");
    for (const table of tables) expect(await partitions(table, there)).toEqual(await partitions(table));
    // Numbers go on where they were.
    const newest = async (client: pg.Client) =>
      (
        await client.query<{ n: string }>(
          `insert into audit (actor_kind, actor_name, verb, entity, entity_id, correlation_id) values ('system', 'x', 'update', 'x', 'x', uuidv7()) returning audit_id as n`,
        )
      ).rows[0]?.n;
    await Promise.all([there, owner].map((client) => client.query('alter table audit no force row level security')));
    expect(await newest(there)).toBe(await newest(owner));
    await owner.query('alter table audit force row level security');
  } finally {
    await there.end();
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('two workers at once change a table once', async () => {
  await setBack('audit', 50);
  await Promise.all([work(), work()]);
  await work();
  const once = await partitions('audit');
  expect(once).toHaveLength(3);
  await work();
  expect(await partitions('audit')).toEqual(once);
});

it('partitions have the shape of those that PostgreSQL makes itself, and no rights of their own', async () => {
  const shape = async (name: string) =>
    (
      await owner.query<{ shape: unknown }>(
        `select jsonb_build_array(
  (select jsonb_agg(jsonb_build_array(attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attcompression, attidentity) order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0),
  (select jsonb_agg(pg_get_expr(adbin, adrelid) order by adnum) from pg_attrdef where adrelid = c.oid),
  (select jsonb_agg(jsonb_build_array(i.indisprimary, i.indkey::text, i.indoption::text, p.inhparent::regclass::text) order by p.inhparent::regclass::text) from pg_index i join pg_inherits p on p.inhrelid = i.indexrelid where i.indrelid = c.oid),
  (select jsonb_agg(tgname) from pg_trigger where tgrelid = c.oid), relacl, relrowsecurity, reloptions, relowner) as shape from pg_class c where relname = $1`,
        [name],
      )
    ).rows[0]?.shape;
  for (const table of tables) {
    const [first] = await setBack(table, 0);
    await work();
    const [before, after, shaped] = [
      await shape(`${table}_before`),
      await shape(`${table}_after`),
      await shape(nameOf(table, await dayOf(table, 1))),
    ];
    expect(shaped).toEqual(await shape(nameOf(table, first)));
    expect([before, after]).toEqual([shaped, shaped]);
  }
  // A part of the audit that was added later is as safe as the first one.
  await store('audit', "now() + interval '200 days'");
  await expect(database.scoped('all').query({ text: 'delete from audit' })).rejects.toMatchObject({ code: 'Forbidden' });
});
