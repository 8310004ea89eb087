/** The start compares a database with the schema of the migrations, and names the differences. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { appliedMigrations, readMigrations } from './migrate.ts';
import { prepareDatabase, requireSchema, SchemaMismatch } from './prepare.ts';
import { readSchema, releasedSchema } from './schema.ts';

let test: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  test = await testDatabase();
  client = new pg.Client({ connectionString: test.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await test.close();
});

const prepare = (log: (line: string) => void = () => undefined) =>
  prepareDatabase({ url: test.url, log, beforeUpgrade: () => Promise.resolve() });

/**
 * Applies `change` and compares the database with the schema of the template, so that the test does not depend on
 * whether `schema.json` was updated after the last migration.
 */
async function look(change: string, more = {}): Promise<{ lines: string[]; refused: string | undefined }> {
  const migrations: Record<string, string> = { ...Object.fromEntries(await appliedMigrations(client)), ...more };
  const record = { migrations, objects: await readSchema(client) };
  const lines: string[] = [];
  await client.query('begin');
  await client.query(change);
  await client.query('commit');
  const refused = await requireSchema(test.url, record, (line) => lines.push(line)).then(
    () => undefined,
    (error: unknown) => (error instanceof SchemaMismatch ? error.message : String(error)),
  );
  return { lines, refused };
}

it('passes what the migrations make', async () => {
  const { lines, refused } = await look('select 1');
  expect({ lines, refused }).toEqual({ lines: [], refused: undefined });
});

it('passes partitions, which come with the days', async () => {
  const { lines, refused } = await look("select make_packet_partitions(current_date - 40); analyze packet; select 'x'");
  expect({ lines, refused }).toEqual({ lines: [], refused: undefined });
});

it('names what is added and what only costs time, and goes on', async () => {
  const added = await look('create table report_of_ours (id int); alter table device add column asset_tag text');
  expect(added.refused).toBeUndefined();
  expect(added.lines).toEqual([
    'The database ran the migrations of this version but does not have what they make; added: column device.asset_tag, column report_of_ours.id, table report_of_ours. server/src/db/schema.json has the definitions.',
  ]);
  const slow = await look('drop index device_subscription');
  expect(slow.refused).toBeUndefined();
  expect(slow.lines.join()).toContain('missing: index device_subscription.');
});

it('refuses what the program cannot work without, with the way out', async () => {
  const { refused } = await look(
    'drop function changed_since(text[], uuid[], pg_snapshot); alter table device alter column tags set not null; drop policy scoped on device; revoke insert on device from app_scoped',
  );
  expect(refused).toContain('missing: function changed_since(text[],uuid[],pg_snapshot), policy scoped on device;');
  expect(refused).toContain('different: column device.tags, rights on device of app_scoped.');
  expect(refused).toContain('Restore a backup of a released version');
});

it('says nothing while a migration is being written, whose schema is not recorded yet', async () => {
  const nothing = { lines: [], refused: undefined };
  expect(await look('drop policy scoped on location', { '9999-next.sql': 'x' })).toEqual(nothing);
  expect(await look('revoke insert on location from app_scoped', { '0009-protocol.sql': 'x' })).toEqual(nothing);
});

it('says of a database that ran drafts of released migrations that no release made it', async () => {
  await client.query("update migration set checksum = 'x' where name in ('0009-protocol.sql', '0015-search.sql')");
  await expect(prepare()).rejects.toThrow(
    /^This database was made by a version before \S+, which was never released: it ran other contents of 0009-protocol\.sql, 0015-search\.sql\. Start the version that made it, export its configuration/,
  );
  const files = await readMigrations();
  for (const { name, checksum } of files) await client.query('update migration set checksum = $2 where name = $1', [name, checksum]);
});

it('calls a database newer only when it has all that this program makes', async () => {
  await client.query("insert into migration (name) values ('0029-moves.sql')");
  await client.query("delete from migration where name = '0030-moves.sql'");
  await expect(prepare()).rejects.toThrow(
    'This database was made by a version that was never released: it ran 0029-moves.sql, which this program does not have, and lacks 0030-moves.sql.',
  );
});

it('has every released migration as it was released', async () => {
  const { migrations } = await releasedSchema();
  const files = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]));
  expect(Object.keys(migrations).length).toBeGreaterThan(26);
  for (const [name, checksum] of Object.entries(migrations)) expect(files.get(name)).toBe(checksum);
  expect(await readFile(new URL('./migrations/0001-first.sql', import.meta.url), 'utf8')).toContain('create table tenant');
});
