/** Migrations: by an owner without special privileges, by two servers at once, never backwards, and never edited. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverVariable, withDatabase } from '../testing/database.ts';
import { copyDatabase } from './backup.ts';
import { migrate } from './migrate.ts';
import { restoreDatabase } from './restore.ts';

const name = `owned_${randomUUID().replaceAll('-', '')}`;
let admin: pg.Client;
let url: string;

beforeAll(async () => {
  const server = process.env[serverVariable] ?? '';
  admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create role ${name} login createrole password 'x'`);
  // The roles of the schema belong to the cluster; the template has created them.
  await admin.query(`grant app_scoped, app_global to ${name} with inherit false, set true`);
  await admin.query(`create database ${name} owner ${name}`);
  const owner = new URL(withDatabase(server, name));
  owner.username = name;
  owner.password = 'x';
  url = owner.href;
});
afterAll(async () => {
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`drop role ${name}`);
  await admin.end();
});

it('runs once, as an ordinary owner, when two servers start together', async () => {
  const ran = await Promise.all([migrate(url), migrate(url)]);
  expect(ran.map((names) => names.length > 0).toSorted()).toEqual([false, true]);
  expect(await migrate(url)).toEqual([]);
});

it('gives the devices of an older installation their heartbeat blocks', async () => {
  const folder = new URL('./migrations/', import.meta.url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Runs once more, now that devices exist, the part of the migration that creates heartbeat blocks; rolls everything back.
  await client.query('begin; set local role app_global');
  await client.query(`with t as (insert into tenant (name) values ('Old') returning tenant_id), s as (insert into subscription (tenant_id, name) select tenant_id, 'Default' from t returning *)
    insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, n from s, unnest(array['web-1', 'web-2']) n`);
  await client.query('update device set is_deleted = true where name = $1', ['web-2']);
  await client.query('reset role');
  const text = await readFile(new URL('0006-automation.sql', folder), 'utf8');
  const last = text.slice(text.lastIndexOf('set local role'));
  await client.query(last);
  await client.query('set local role app_global');
  const { rows } = await client.query(
    'select name, block_type_id, block_id = heartbeat_block_id(device_id) as own, entity_id = device_id as shows from block',
  );
  expect(rows).toEqual([{ name: 'web-1', block_type_id: 8, own: true, shows: true }]);
  await client.query('rollback');
  await client.end();
});

it('refuses a database that a newer program has migrated', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("insert into migration (name) values ('9999-later.sql')");
  await expect(migrate(url)).rejects.toThrow(
    'The database is newer than this program: it has 9999-later.sql. Start the version that last ran, or a newer one.',
  );
  await client.query("delete from migration where name = '9999-later.sql'");
  await client.end();
});

it('has its copy restored by an ordinary owner, with the counts that triggers keep as they were', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cloudfit-owned-'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const counts = async () => {
    await client.query('set role app_global');
    const { rows } = await client.query(
      'select state_id, sum(rows)::int as rows from rows_of_work_unit group by 1 having sum(rows) <> 0 order by 1',
    );
    await client.query('reset role');
    return rows as unknown[];
  };
  try {
    await client.query('begin; set local role app_global');
    await client.query(`with t as (insert into tenant (name) values ('Owned') returning tenant_id)
      insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, state_id, created_by, modified_by)
      select tenant_id, 'Pump ' || n, 'Sev3', 1, case when n = 1 then 'Closed' else 'New' end, 'a', 'a' from t, generate_series(1, 4) n`);
    await client.query('commit');
    const before = await counts();
    expect(before).toEqual([
      { state_id: 'Closed', rows: 1 },
      { state_id: 'New', rows: 3 },
    ]);
    const copy = await copyDatabase(url, folder);
    expect(await restoreDatabase({ url, folder, copy, replace: true })).toEqual([]);
    expect(await counts()).toEqual(before);
    // The triggers are back.
    await client.query("begin; set local role app_global; update work_unit set state_id = 'Closed' where title = 'Pump 2'; commit");
    expect(await counts()).toEqual([
      { state_id: 'Closed', rows: 2 },
      { state_id: 'New', rows: 2 },
    ]);
    const { rows: off } = await client.query("select tgname from pg_trigger where not tgisinternal and tgenabled <> 'O'");
    expect(off).toEqual([]);
  } finally {
    await client.end();
    await rm(folder, { recursive: true, force: true });
  }
});

describe('the checksum of a migration', () => {
  let folder: string;
  let client: pg.Client;
  const file = (number: number): string => join(folder, `000${number}-step.sql`);
  const migrateFolder = () => migrate(url, { folder: pathToFileURL(`${folder}/`) });
  const checksums = async () =>
    (await client.query<{ checksum: string | null }>('select checksum from migration order by name')).rows.map((row) => row.checksum);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cloudfit-migrations-'));
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('drop table migration');
    await writeFile(file(1), 'create table step_one (id int);\n');
    await writeFile(file(2), 'create table step_two (id int);\n');
    await migrateFolder();
  });
  afterAll(async () => {
    await client.end();
    await rm(folder, { recursive: true });
  });

  it('is kept for each migration that has run', async () => {
    expect((await checksums()).filter(Boolean)).toHaveLength(2);
  });

  it('stops the start when a released migration was edited, and names the file', async () => {
    await writeFile(file(1), 'create table step_one (id bigint);\n');
    await writeFile(file(3), 'create table step_three (id int);\n');
    await expect(migrateFolder()).rejects.toThrow(
      'Migrations were edited after this database had run them: 0001-step.sql. Restore these files, and write the change as a new migration.',
    );
    expect(await checksums()).toHaveLength(2);
    await writeFile(file(1), 'create table step_one (id int);\n');
    expect(await migrateFolder()).toEqual(['0003-step.sql']);
  });

  it('is the same for files with the line ends of Windows', async () => {
    await writeFile(file(1), 'create table step_one (id int);\r\n');
    expect(await migrateFolder()).toEqual([]);
    await writeFile(file(1), 'create table step_one (id int);\n');
  });

  it('is recorded at the first start of an installation that has none', async () => {
    const recorded = await checksums();
    await client.query('alter table migration drop column checksum');
    expect(await migrateFolder()).toEqual([]);
    expect(await checksums()).toEqual(recorded);
    await writeFile(file(2), 'create table step_two (id bigint);\n');
    await expect(migrateFolder()).rejects.toThrow('0002-step.sql');
  });
});
