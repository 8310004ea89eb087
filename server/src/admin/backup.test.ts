/** Backup and restore into an empty installation: all rows are back, a secret and a token work. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordShown } from '../app/shown.ts';
import { loadMasterKey } from '../auth/master-key.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { createTokenGrants } from '../auth/token-grants.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { runAdmin } from './run.ts';

let source: TestDatabase;
let target: TestDatabase;
let database: Database;
let root: string;
let folder: string;
let token: string;
let secret: { tenantId: string; secretId: string; version: number };

const retention = { packetRetentionDays: 30, seriesMinuteRetentionDays: 30, seriesHourRetentionDays: 730 };

const dir = (name: string): string => join(root, name);

async function admin(url: string, dataDir: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const code = await runAdmin(
    args,
    { DATABASE_URL: url, DATA_DIR: dir(dataDir) },
    {
      out: (text) => (output.out += text),
      err: (text) => (output.err += text),
      readInput: () => Promise.resolve(''),
    },
  );
  return { code, ...output };
}

const keysOf = (dataDir: string) => loadMasterKey({ dataDir: dir(dataDir), log: { warn: () => undefined } });

beforeAll(async () => {
  [source, target] = [await testDatabase(), await testDatabase()];
  database = openDatabase({ url: source.url, max: 2, onError: () => undefined });
  root = await mkdtemp(join(tmpdir(), 'cloudfit-backup-'));
  folder = dir('backup');
  const tenant = JSON.parse((await admin(source.url, 'a', 'tenant', 'add', '--name', 'Acme', '--json')).out) as { tenantId: string };
  const created = JSON.parse((await admin(source.url, 'a', 'token', 'add', '--name', 'Probe', '--tenant', 'Acme', '--json')).out) as {
    token: string;
  };
  token = created.token;
  const db = database.scoped('all');
  const [row] = await db.query<{ id: string }>({
    text: "insert into tenant_secret (tenant_id, name, latest_version) values ($1, 'key', 1) returning id",
    values: [tenant.tenantId],
  });
  secret = { tenantId: tenant.tenantId, secretId: row?.id ?? '', version: 1 };
  await openTenantSecrets(await keysOf('a')).write(db, secret, 'violet tractor', 'test');
  await db.query({
    text: `insert into packet (tenant_id, entity_id, timestamp, message) select $1, uuidv7(), now() - n * interval '1 hour', jsonb_build_object('Value', E'tab\\t"\\\\' || n)
      from generate_series(1, 100) n`,
    values: [tenant.tenantId],
  });
  await db.query({
    text: `with s as (insert into subscription (tenant_id, name) values ($1, 'Pumps') returning subscription_id),
        d as (insert into device (tenant_id, subscription_id, name) select $1, subscription_id, 'pump-1' from s returning device_id)
      insert into packet (tenant_id, entity_id, timestamp, message)
      select $1, device_id, now() - n * interval '1 minute', jsonb_build_object('Metrics', jsonb_build_object('Cpu', n)) from d, generate_series(1, 30) n`,
    values: [tenant.tenantId],
  });
  await db.query({
    text: `insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, state_id, created_by, modified_by)
      select $1, 'Pump ' || n, 'Sev3', 1, case when n % 3 = 0 then 'Closed' else 'New' end, 'a', 'a' from generate_series(1, 12) n`,
    values: [tenant.tenantId],
  });
  await mkdir(join(dir('a'), 'uploads/kept'), { recursive: true });
  await writeFile(join(dir('a'), 'uploads/kept/package'), randomBytes(1_000));
});
afterAll(async () => {
  await database.close();
  await Promise.all([source.close(), target.close()]);
  await rm(root, { recursive: true, force: true });
});

/** All rows of all tables, except those that the commands themselves write. */
async function contents(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not in ('audit', 'change', 'migration')",
  );
  const all: Record<string, string> = {};
  for (const { name } of rows) {
    const values = await client.query<{ text: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text) as text from "${name}" t`,
    );
    all[name] = values.rows[0]?.text ?? '';
  }
  await client.end();
  return all;
}

/** What people see of work units: the counts of all, of each state, and of the groups by state. */
async function unitsSeen(there: Database): Promise<{ all: number; states: Record<string, number>; groups: number }> {
  const { answers } = await recordShown(there, retention);
  const count = (start: string): number => answers.find(({ path }) => path.startsWith(`/v1/workUnits?${start}`))?.count ?? -1;
  const states = ['New', 'Closed', 'Resolved'].map(
    (state) => [state, count(`$filter=${encodeURIComponent(`stateId eq '${state}'`)}`)] as const,
  );
  return {
    all: count('$top=50&$count=true'),
    states: Object.fromEntries(states),
    groups: count(`$apply=${encodeURIComponent('groupby((stateId)')}`),
  };
}

describe('backup and restore', () => {
  it('bring everything into an empty installation, down to a secret, a token and a file', async () => {
    const created = await admin(source.url, 'a', 'backup', folder);
    expect({ code: created.code, err: created.err }).toEqual({ code: 0, err: '' });
    expect(created.out).toMatch(/The master key \(.*master\.key\) is not in it\. Keep a copy of it apart/);
    expect(await readFile(join(folder, 'manifest.json'), 'utf8')).not.toContain('violet');
    const restored = await admin(target.url, 'b', 'restore', folder);
    expect({ code: restored.code, err: restored.err }).toEqual({ code: 0, err: '' });
    expect(restored.out).toMatch(/Its secrets need the master key [0-9a-f]{12}/);
    expect(await contents(target.url)).toEqual(await contents(source.url));
    const there = openDatabase({ url: target.url, max: 2, onError: () => undefined });
    try {
      await writeFile(join(dir('b'), 'master.key'), await readFile(join(dir('a'), 'master.key')));
      expect((await openTenantSecrets(await keysOf('b')).read(there.scoped('all'), secret))?.value).toBe('violet tractor');
      const grants = createTokenGrants({ database: there, log: pino({ level: 'silent' }) });
      expect((await grants.check(token, crypto.randomUUID(), undefined)).actor.name).toBe('Probe');
      expect(await readFile(join(dir('b'), 'uploads/kept/package'))).toEqual(await readFile(join(dir('a'), 'uploads/kept/package')));
      expect(await unitsSeen(there)).toEqual({ all: 12, states: { New: 8, Closed: 4, Resolved: 0 }, groups: 2 });
      await there.scoped('all').query({ text: "update work_unit set state_id = 'Resolved' where title in ('Pump 1', 'Pump 2')" });
      await there.scoped('all').query({ text: "delete from work_unit where title = 'Pump 3'" });
      expect(await unitsSeen(there)).toEqual({ all: 11, states: { New: 6, Closed: 3, Resolved: 2 }, groups: 3 });
      // After the restore, sequences continue from their copied values, and row-level security is in force.
      await there.scoped('all').query({
        text: "insert into audit (actor_kind, actor_name, verb, entity, entity_id, correlation_id) values ('system', 'x', 'x', 'x', 'x', uuidv7())",
      });
      const open =
        "select relname from pg_class where relrowsecurity and not relforcerowsecurity and relnamespace = 'public'::regnamespace and not relispartition";
      expect(await there.scoped('all').query({ text: open })).toEqual([]);
      expect(await there.scoped([]).query({ text: 'select 1 from packet' })).toEqual([]);
    } finally {
      await there.close();
    }
  });

  it('are tried by backup verify, which records the date', async () => {
    const { code, out, err } = await admin(source.url, 'a', 'backup', 'verify', '--folder', folder);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^Restored the backup .* in .* s: \d+ rows in \d+ tables and \d+ answers of the API are the same, 1 secrets open, 0 uploaded files are whole\.$/,
    );
    const [drill] = await database.scoped('all').query<{ at: string; secrets: number }>({
      text: "select value ->> 'at' as at, (value ->> 'secrets')::int as secrets from setting where name = 'restoreDrill'",
    });
    expect(Date.now() - Date.parse(drill?.at ?? '')).toBeLessThan(60_000);
    expect(drill?.secrets).toBe(1);
    const withoutKey = await admin(source.url, 'c', 'backup', 'verify', '--folder', folder);
    expect(withoutKey.err).toMatch(/Secrets in the database were encrypted with the master key/);
    expect((await admin(source.url, 'a', 'backup', 'verify')).err).toContain('DATABASE_URL names a PostgreSQL of your own');
    // Each trial makes a database of its own.
  }, 240_000);

  it('are refused by backup verify when people would see something else, with what they would see', async () => {
    const path = join(folder, 'manifest.json');
    const sound = await readFile(path, 'utf8');
    const content = JSON.parse(sound) as { shown: { answers: { path: string; count: number; sha256: string }[] } };
    const { answers } = content.shown;
    expect(answers.find((answer) => answer.path === '/v1/series')?.count).toBe(1);
    const units = answers.find((answer) => answer.path.startsWith('/v1/workUnits?') && answer.count === 12);
    Object.assign(units ?? {}, { count: 24, sha256: 'other' });
    await writeFile(path, JSON.stringify(content));
    expect((await admin(source.url, 'a', 'backup', 'verify', '--folder', folder)).err).toMatch(
      /^People would see something else in the restored copy: GET \/v1\/workUnits\?.* says 12, not 24\.$/,
    );
    await writeFile(path, sound);
  });

  it('refuse to overwrite, to run beside servers, and a damaged backup', async () => {
    expect((await admin(source.url, 'a', 'backup', folder)).err).toContain('exists already');
    expect((await admin(target.url, 'b', 'restore', folder)).err).toContain('--replace');
    expect((await admin(source.url, 'a', 'restore', dir('nothing'))).err).toContain('holds no backup');
    const server = openDatabase({ url: target.url, max: 1, onError: () => undefined });
    await server.scoped('all').query({ text: 'select 1' });
    expect((await admin(target.url, 'b', 'restore', folder, '--replace')).err).toContain('Servers work on this database');
    await server.close();
    await writeFile(join(folder, 'database/tenant.copy.gz'), 'nothing');
    const before = await contents(target.url);
    expect((await admin(target.url, 'b', 'restore', folder, '--replace')).err).toContain('The backup is damaged');
    expect(await contents(target.url)).toEqual(before);
  });
});
