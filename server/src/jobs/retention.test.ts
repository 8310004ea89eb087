/** What is deleted by age, and what stays. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database, type Db } from '../db/connection.ts';
import { testDatabase } from '../testing/database.ts';
import { retentionWorks } from './retention.ts';

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

const prune = async () => {
  for (const work of retentionWorks({ packetDays: 30 })) await work.run(db);
};

/** The columns of a row, of which the last is its time, and the values of the others. */
const tables: readonly [table: string, limit: string, columns: string, values: string][] = [
  ['rule_receipt', '8 days', 'event_id, tenant_id, created', 'uuidv7(), uuidv7()'],
  ['rule_memory', '90 days', 'subject_id, tenant_id, at', 'uuidv7(), uuidv7()'],
  ['packet_receipt', '8 days', 'tenant_id, entity_id, message_id, received_timestamp', "uuidv7(), uuidv7(), 'x'"],
  ['change', '1 hour', 'verb, entity, entity_id, correlation_id, at', "'update', 'x', 'x', uuidv7()"],
  ['repeatable_answer', '24 hours', 'request_key, request_hash, created', "uuid_send(uuidv7()), '\\x00'"],
  ['call_limit', '1 hour', 'limit_key, calls, last_call', "uuid_send(uuidv7()), '{}'"],
  ['revoked_token', '0 seconds', 'revoked_id, expires_on', 'uuidv7()::text'],
];

it.each(tables)('%s is kept for %s', async (table, limit, columns, values) => {
  const what = columns.split(', ').at(-1) ?? '';
  for (const side of ['+', '-'])
    await db.query({
      text: `insert into ${table} (${columns}) values (${values}, now() - interval '${limit}' ${side} interval '1 minute')`,
    });
  await prune();
  const rows = await db.query<{ young: boolean }>({ text: `select ${what} > now() - interval '${limit}' as young from ${table}` });
  expect(rows).toEqual([{ young: true }]);
});

it('more rows than one statement deletes go at once', async () => {
  await db.query({
    text: `insert into revoked_token (revoked_id, expires_on) select 'old ' || n, now() - interval '2 hours' from generate_series(1, 10001) n`,
  });
  await prune();
  expect(await db.query({ text: "select 1 from revoked_token where revoked_id like 'old %'" })).toEqual([]);
});
