/** Migrations: by an owner without special rights, by two servers at once, and never backwards. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverVariable, withDatabase } from '../testing/database.ts';
import { migrate } from './migrate.ts';
import { readFile } from 'node:fs/promises';

const name = `owned_${randomUUID().replaceAll('-', '')}`;
let admin: pg.Client;
let url: string;

beforeAll(async () => {
  const server = process.env[serverVariable] ?? '';
  admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create role ${name} login createrole password 'x'`);
  // The roles of the house are the cluster's, and the template made them here.
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
  // The part of the migration that makes them, run again beside devices; then all goes.
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
  await expect(migrate(url)).rejects.toThrow('The database is newer than this program: it has 9999-later.sql.');
  await client.query("delete from migration where name = '9999-later.sql'");
  await client.end();
});
