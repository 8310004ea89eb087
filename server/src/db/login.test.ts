/** The second line of defence: what an attacker with SQL injection can do on the server's connection. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { openDatabase } from './connection.ts';
import { admitLogin, loginProblem, makeLogin } from './login.ts';

let test: TestDatabase;
let owner: pg.Client;
let login: string;
let tenantId: string;
let otherId: string;

beforeAll(async () => {
  test = await testDatabase();
  owner = new pg.Client({ connectionString: test.url });
  await owner.connect();
  // Twice, because a second start finds the role already.
  await makeLogin(test.url);
  login = await makeLogin(test.url);
  const { rows } = await owner.query<{ id: string }>("insert into tenant (name) values ('One'), ('Two') returning tenant_id as id");
  [tenantId = '', otherId = ''] = rows.map(({ id }) => id);
  for (const id of [tenantId, otherId]) {
    await owner.query("insert into location (tenant_id, name) values ($1, 'Hall')", [id]);
    await owner.query(`insert into packet (tenant_id, entity_id, message, timestamp) values ($1, uuidv7(), '{}', now())`, [id]);
  }
});
afterAll(async () => {
  await owner.end();
  await test.close();
});

/** Runs an attacker's statements on a connection that is set to one tenant; returns the last result. */
async function inject(...texts: string[]): Promise<unknown> {
  const database = openDatabase({ url: login, max: 1, onError: () => undefined });
  try {
    return await database.scoped([tenantId]).transaction(async (db) => {
      let rows: unknown[] = [];
      for (const text of texts) rows = await db.query({ text });
      return rows;
    });
  } catch (error) {
    return (error as { cause?: Error }).cause?.message ?? error;
  } finally {
    await database.close();
  }
}

describe("the server's own sign-in", () => {
  it('reads its tenant', async () => {
    expect(await inject('select tenant_id from location')).toEqual([{ tenant_id: tenantId }]);
    expect(await inject('select tenant_id from packet')).toEqual([{ tenant_id: tenantId }]);
  });

  it.each([
    ['reset role', 'select password_hash from sign_in_password'],
    ['reset role', 'select name from person'],
    ['reset role', 'select name from location'],
    ['set session authorization cloudfit', 'select 1'],
    ["select pg_read_file('/etc/passwd')"],
    ["copy location to program 'cat'"],
    ['reset role', 'create table mine (id int)'],
    ['reset role', 'alter table location disable row level security'],
    ['update person set enabled = false'],
    ['update person set email_verified = true'],
    ['delete from person'],
    ["insert into person (name, user_name) values ('Eve', 'eve')"],
    ['select keep_packet_partitions(0)'],
  ])('finds no way round: %s; %s', async (...texts) => {
    expect(await inject(...texts.filter((text) => typeof text === 'string'))).toMatch(/permission denied|must be (?:owner|superuser)/);
  });

  it('reads no partition', async () => {
    const { rows } = await owner.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'packet'::regclass",
    );
    expect(rows.length).toBeGreaterThan(1);
    // Also true for partitions that are created later.
    await owner.query('select make_packet_partitions(current_date - 40)');
    const name = `packet_${new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`;
    for (const partition of [rows[0]?.name, rows.at(-1)?.name, name]) {
      expect(await inject(`select tenant_id from ${partition}`)).toMatch(/permission denied/);
      expect(await inject('reset role', `select tenant_id from ${partition}`)).toMatch(/permission denied/);
    }
  });

  it('owns nothing and is nobody with rights', async () => {
    expect(await loginProblem(login)).toBeUndefined();
    const { rows } = await owner.query(
      `select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolinherit as strong,
        exists (select from pg_shdepend where refobjid = r.oid and deptype in ('o', 'a')) as owns from pg_roles r where rolname = $1`,
      [new URL(login).username],
    );
    expect(rows).toEqual([{ strong: false, owns: false }]);
  });

  it('notes where somebody works, which is all that it writes of people', async () => {
    expect(await inject('update person set context_tenant_id = null returning 1')).toEqual([]);
  });
});

describe('an external database', () => {
  it('warns of a user who is bound by nothing', async () => {
    expect(await loginProblem(test.url)).toMatch(
      /^The server signs in to PostgreSQL as cloudfit, whom row-level security does not bind\.$/,
    );
  });

  it('takes a user without rights beside the owner', async () => {
    const name = `plain_${crypto.randomUUID().slice(0, 8)}`;
    await owner.query(`create role ${name} login noinherit password 'secret'`);
    const url = new URL(test.url);
    url.username = name;
    url.password = 'secret';
    try {
      await admitLogin(test.url, url.href);
      await admitLogin(test.url, url.href);
      expect(await loginProblem(url.href)).toBeUndefined();
      const database = openDatabase({ url: url.href, max: 1, onError: () => undefined });
      expect(await database.scoped([otherId]).query({ text: 'select tenant_id from location' })).toEqual([{ tenant_id: otherId }]);
      await database.close();
    } finally {
      await owner.query(`drop role ${name}`);
    }
  });
});

describe('the catalogue', () => {
  interface Table {
    name: string;
    tenant: boolean;
    partition: boolean;
    secured: boolean;
    rights: string | null;
  }
  const tables = async (): Promise<Table[]> =>
    (
      await owner.query<Table>(
        `select c.relname as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as tenant,
          c.relispartition as partition,
          c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polroles @> array['app_scoped'::regrole::oid]) as secured,
          (select string_agg(distinct lower(x.privilege_type), ' ') from aclexplode(c.relacl) x
            where x.grantee in (0, 'app_scoped'::regrole, 'app_global'::regrole)) as rights
        from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
      )
    ).rows;

  const open = (all: readonly Table[]) =>
    all.filter(({ tenant, secured, rights }) => tenant && !secured && rights !== null).map(({ name }) => name);

  it('has a policy on every table and partition with a tenant that callers may touch', async () => {
    const all = await tables();
    expect(all.filter(({ tenant }) => tenant).length).toBeGreaterThan(30);
    expect(all.filter(({ partition }) => partition).length).toBeGreaterThan(5);
    expect(open(all)).toEqual([]);
    // A table without a policy is reported if callers have a permission on it.
    await owner.query('create table unsecured (tenant_id uuid); grant select on unsecured to app_scoped');
    const partition = all.find((item) => item.partition)?.name;
    await owner.query(`grant select on ${partition} to app_global`);
    expect(open(await tables())).toEqual([partition, 'unsecured']);
    await owner.query(`drop table unsecured; revoke select on ${partition} from app_global`);
  });

  it('keeps what lets people in from callers with some tenants', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c, aclexplode(c.relacl) x where x.grantee = 'app_scoped'::regrole
        and c.relname in ('sign_in_password', 'identity_item', 'one_time_link', 'passkey', 'passkey_challenge', 'revoked_token', 'sign_in_attempt', 'setting')`,
    );
    expect(rows).toEqual([]);
  });
});
