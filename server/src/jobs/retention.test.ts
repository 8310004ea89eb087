/** Which rows are deleted by age, and which stay. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase } from '../testing/database.ts';
import { retentionRules, retentionTable } from './retention-rules.ts';
import { pruneWork } from './retention.ts';

let database: Database;
let db: Db;
let closeDatabase: () => Promise<void>;

beforeAll(async () => {
  const test = await testDatabase();
  database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
  db = database.scoped('all');
  closeDatabase = test.close;
});
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

const prune = () => pruneWork({ packets: 30, records: 400, audit: 1_095, seriesHours: 730, seriesDays: 3_650 }).run(db);

const pageColumns = 'tenant_id, entity_id, metric, slots, mins, sums, maxs, lasts, counts, page';
const emptyPage = "uuidv7(), uuidv7(), 'Value', '{}', '{}', '{}', '{}', '{}', '{}'";

/** For each table: the retention, the columns of a row, of which the last is its time, and the values of the other columns. */
const tables: readonly [table: string, limit: string, columns: string, values: string][] = [
  ['rule_receipt', '8 days', 'event_id, tenant_id, created', 'uuidv7(), uuidv7()'],
  ['rule_memory', '90 days', 'subject_id, tenant_id, at', 'uuidv7(), uuidv7()'],
  ['packet_receipt', '8 days', 'tenant_id, entity_id, message_id, received_timestamp', "uuidv7(), uuidv7(), 'x'"],
  ['change', '1 hour', 'verb, entity, entity_id, correlation_id, at', "'update', 'x', 'x', uuidv7()"],
  ['repeatable_answer', '24 hours', 'request_key, request_hash, created', "uuid_send(uuidv7()), '\\x00'"],
  ['call_limit', '1 hour', 'limit_key, calls, last_call', "uuid_send(uuidv7()), '{}'"],
  [
    'rule_evaluation',
    '400 days',
    'tenant_id, rule_id, subject_id, outcome, correlation_id, at',
    "uuidv7(), uuidv7(), uuidv7(), 'hit', uuidv7()",
  ],
  ['stale_count', '400 days', 'tenant_id, rule_id, subject_id, count, hour', 'uuidv7(), uuidv7(), uuidv7(), 1'],
  [
    'audit',
    '1095 days',
    'actor_kind, actor_name, verb, entity, entity_id, correlation_id, at',
    "'system', 'x', 'update', 'x', 'x', uuidv7()",
  ],
  ['job', '90 days', 'name, payload, correlation_id, dead_at', "'x', '{}', uuidv7()"],
  ['series_hour', '730 days', pageColumns, emptyPage],
  ['series_day', '3650 days', pageColumns, emptyPage],
  ['revoked_token', '0 seconds', 'revoked_id, expires_on', 'uuidv7()::text'],
];

it.each(tables)('%s is kept for %s', async (table, limit, columns, values) => {
  const what = columns.split(', ').at(-1) ?? '';
  const rows = () => db.query<{ young: boolean }>({ text: `select ${what} > now() - interval '${limit}' as young from ${table}` });
  const before = await rows();
  for (const side of ['+', '-'])
    await db.query({
      text: `insert into ${table} (${columns}) values (${values}, now() - interval '${limit}' ${side} interval '1 minute')`,
    });
  await prune();
  expect(await rows()).toEqual([...before, { young: true }]);
});

it('the audit cannot be deleted while it is young, by nobody', async () => {
  await db.query({
    text: `insert into audit (actor_kind, actor_name, verb, entity, entity_id, correlation_id) values ('system', 'x', 'update', 'x', 'young', uuidv7())`,
  });
  await expect(db.query({ text: "delete from audit where entity_id = 'young'" })).rejects.toMatchObject({ code: 'Forbidden' });
  await expect(database.scoped([]).query({ text: 'delete from audit' })).rejects.toMatchObject({ code: 'Forbidden' });
});

it('a job that is not dead, a promoted machine and an execution without an outcome stay, however old', async () => {
  const [tenant] = await db.query<{ tenant_id: string; subscription_id: string }>({
    text: `with t as (insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id)
insert into subscription (tenant_id, name) select tenant_id, 'Default' from t returning tenant_id, subscription_id`,
  });
  const old = "now() - interval '5000 days'";
  await db.query({
    text: `insert into job (name, tenant_id, payload, correlation_id, created, run_at) values ('waits', $1, '{}', uuidv7(), ${old}, ${old})`,
    values: [tenant?.tenant_id],
  });
  await db.query({
    text: `with d as (insert into device (tenant_id, subscription_id, name) values ($1, $2, 'Promoted') returning device_id)
insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture, created, last_ping, device_id)
select $1, uuidv7(), name, 'x', 'x', ${old}, ${old}, device_id from (select 'Promoted' as name, device_id from d union all select 'Waiting', null) m`,
    values: [tenant?.tenant_id, tenant?.subscription_id],
  });
  await db.query({
    text: `insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, correlation_id, message_id, action_processed)
select $1, (select action_definition_id from action_definition limit 1), status, '{}', uuidv7(), uuidv7(), ${old} from unnest(array[1, 3]) as status`,
    values: [tenant?.tenant_id],
  });
  await prune();
  const left = (text: string) => db.query({ text: `${text} where tenant_id = $1`, values: [tenant?.tenant_id] });
  expect(await left('select name from job')).toEqual([{ name: 'waits' }]);
  expect(await left('select machine_name as name from pending_device')).toEqual([{ name: 'Promoted' }]);
  expect(await left('select result_status_id as status from action_history')).toEqual([{ status: 3 }]);
});

it('every table is kept for a time or has a bound', async () => {
  const tables = await db.query<{ name: string }>({
    text: "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1",
  });
  expect(Object.keys(retentionRules).toSorted()).toEqual(tables.map((table) => table.name).toSorted());
});

/** Tables that are read as a whole each time, because so few rows are in them. */
const small: Readonly<Record<string, string>> = {
  change: 'the changes of an hour',
  recent_writer: 'who has written in the last seconds',
  one_time_link: 'links of 30 days that people were given by hand',
  revoked_token: 'tokens that would still be valid',
  work_unit_presence: 'who looks at a unit now',
};

it('an index finds the old rows of each table', async () => {
  const indexes = await db.query<{ table: string; column: string | null; condition: string | null }>({
    text: `select c.relname as table, a.attname as column, pg_get_expr(i.indpred, i.indrelid) as condition from pg_index i join pg_class c on c.oid = i.indrelid
left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] where c.relnamespace = 'public'::regnamespace`,
  });
  const without = Object.entries(retentionRules).flatMap(([table, rule]) => {
    if ('bound' in rule || table in small) return [];
    const isFound = indexes.some(
      ({ table: of, column, condition }) =>
        of === table && column === rule.at && (condition === null || condition.toLowerCase() === `(${rule.where})`),
    );
    return isFound ? [] : [table];
  });
  expect(without).toEqual([]);
});

it('docs/OPERATIONS.md lists them as they are', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/OPERATIONS.md'), 'utf8')).toContain(retentionTable());
});

it('more rows than one statement deletes go at once', async () => {
  await db.query({
    text: `insert into revoked_token (revoked_id, expires_on) select 'old ' || n, now() - interval '2 hours' from generate_series(1, 10001) n`,
  });
  await prune();
  expect(await db.query({ text: "select 1 from revoked_token where revoked_id like 'old %'" })).toEqual([]);
});
