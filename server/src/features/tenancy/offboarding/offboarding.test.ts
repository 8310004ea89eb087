/**
 * How a customer ends: who is refused at once, what the archive has, what the deletion leaves, and that a lost server goes on. The tables
 * come from the catalogue, so that a new one is part of each comparison.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { fromBuffer } from 'yauzl';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { shippedSets, ensureShippedSets } from '../../../auth/shipped.ts';
import { until } from '../../../rules/testing/flow.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import type { FileStore } from '../../../platform/file-store.ts';
import { insertSample, type SubscriptionIds } from '../../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';
import { archiveFor } from './archive-file.ts';
import { offboardingWork, proofDigest, proofPurpose } from './steps.ts';

let world: TestWorld;
let owner: pg.Client;
let folder: string;
let leaving: SubscriptionIds;
let staying: SubscriptionIds;
const provider = holder('all');
type Counts = Record<string, number>;

const sql = async <T extends pg.QueryResultRow = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<T[]> =>
  (await owner.query<T>(text, values)).rows;

interface Column {
  name: string;
  type: string;
}

const isTenantTable = `exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)`;
const tablesWhere = async (condition: string): Promise<string[]> =>
  (
    await sql<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and ${condition} order by 1`,
    )
  ).map(({ name }) => name);

/** Rows by table, counted by the test itself. */
async function countsOf(tenantId: string): Promise<Counts> {
  const counts: Counts = {};
  for (const table of await tablesWhere(isTenantTable)) {
    const [row] = await sql<{ n: number }>(`select count(*) as n from "${table}" where tenant_id = $1`, tenantId);
    if (Number(row?.n) > 0) counts[table] = Number(row?.n);
  }
  return counts;
}

/** One text for each table of a tenant that says whether anything in it has changed. */
async function digestsOf(tenantId: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of await tablesWhere(`${isTenantTable} and c.relname <> 'change'`)) {
    const [row] = await sql<{ digest: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from "${table}" t where tenant_id = $1`,
      tenantId,
    );
    digests[table] = row?.digest ?? '';
  }
  return digests;
}

const valueOf = (type: string): string => {
  if (type.endsWith('[]')) return `'{}'`;
  if (type.startsWith('timestamp') || type === 'date') return 'now()';
  const values: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    boolean: 'false',
    jsonb: `'{}'`,
    bytea: `decode(replace(gen_random_uuid()::text, '-', ''), 'hex')`,
    interval: `'1 minute'`,
    tsvector: `''`,
    inet: `'10.0.0.1'`,
    'time without time zone': `'12:00'`,
  };
  return (
    values[type] ?? (/^(?:bigint|integer|smallint|numeric|double|real)/.test(type) ? '(random() * 30000)::int' : 'gen_random_uuid()::text')
  );
};

/** A row in each table of the tenant that has none yet; references are of no matter here. */
async function fillTables(tenantId: string): Promise<void> {
  await owner.query('set session_replication_role = replica');
  const filled = await countsOf(tenantId);
  for (const table of await tablesWhere(`${isTenantTable} and c.relname <> 'tenant'`)) {
    if (filled[table]) continue;
    // Of the values of these rows nothing is read.
    const checks = await sql<{ name: string }>(
      "select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'c'",
      table,
    );
    for (const { name } of checks) await owner.query(`alter table "${table}" drop constraint "${name}"`);
    const columns = await sql<Column>(
      `select a.attname as name, format_type(a.atttypid, null) as type from pg_attribute a
        where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attname <> 'tenant_id'`,
      table,
    );
    const names = ['tenant_id', ...columns.map(({ name }) => name)].map((name) => `"${name}"`);
    await owner.query(
      `insert into "${table}" (${names.join(', ')}) values ($1, ${columns.map(({ type }) => valueOf(type)).join(', ') || 'null'})`.replace(
        ', null)',
        ')',
      ),
      [tenantId],
    );
  }
  await owner.query('set session_replication_role = origin');
}

/** A file in the store that a row of the tenant names. */
async function storeFile(table: string, tenantId: string, text: string): Promise<string> {
  const name = randomBytes(24).toString('hex');
  const path = join(folder, name);
  await writeFile(path, text);
  await world.store.keep(name, path, { size: text.length, sha256: createHash('sha256').update(text).digest('hex') });
  await owner.query(`update "${table}" set storage_name = $2 where ctid = (select min(ctid) from "${table}" where tenant_id = $1)`, [
    tenantId,
    name,
  ]);
  return name;
}

const storedNames = async (): Promise<string[]> => {
  const parts = await readdir(join(folder, 'stored')).catch(() => []);
  return (await Promise.all(parts.map((part) => readdir(join(folder, 'stored', part))))).flat();
};

interface OffboardingBody {
  state: string;
  problem: string | null;
  proof: Record<string, unknown> & { rows: number; tables: Counts };
  proofDigest: string;
  proofSignature: string;
  deleteOn: string;
  steps: { machines: { names: string[] }; archive: { at: string } };
}

let work: Periodic;
const workWith = (store: FileStore = world.store): Periodic =>
  offboardingWork(world.database, world.system.log, {
    store,
    incoming: join(folder, 'incoming'),
    masterKey: world.masterKey,
    url: world.url,
  });
const run = () => work.run(world.system.db);

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const begin = (tenantId: string, body: object, caller = provider) =>
  world.call(caller, 'POST', `/v1/tenants/${tenantId}/offboarding`, body);
const end = (name: string, more: object = {}) => ({ name, deleteOn: tomorrow(), reason: 'The contract has ended.', ...more });
const offboarding = async (id: unknown) =>
  (await world.call(provider, 'GET', `/v1/offboardings/${String(id)}`)).body as unknown as OffboardingBody;
const errorOf = (body: Record<string, unknown>): string => (body['error'] as { message: string } | undefined)?.message ?? '';

const files: Record<string, { leaving: string; staying: string }> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offboarding-'));
  await mkdir(join(folder, 'incoming'), { recursive: true });
  world = await createWorld({ files: folder });
  await ensureShippedSets(world.system.db);
  owner = new pg.Client({ connectionString: world.url });
  await owner.connect();
  [leaving, staying] = [await world.tenant('Leaving GmbH'), await world.tenant('Staying GmbH')];
  for (const home of [leaving, staying]) {
    // Rows that refer to each other, and one in each table.
    for (const resource of resources)
      if (resource.scope.kind !== 'installation' && resource.name !== 'tenants')
        await insertSample(world, resource, home).catch(() => undefined);
    await fillTables(home.tenantId);
  }
  for (const table of ['work_unit_file', 'mailbox_mail', 'package_version'])
    files[table] = {
      leaving: await storeFile(table, leaving.tenantId, `${table} of the customer`),
      staying: await storeFile(table, staying.tenantId, `${table} of another`),
    };
  work = workWith();
});
afterAll(async () => {
  await owner.end();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function person(userName: string, tenantIds: readonly string[]): Promise<string> {
  const [row] = await sql<{ id: string }>(
    'insert into person (name, user_name, issuer, subject) values ($1, $1, $1, $1) returning person_id as id',
    userName,
  );
  for (const tenantId of tenantIds)
    await owner.query('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', [
      row?.id,
      shippedSets.reader.id,
      tenantId,
    ]);
  await owner.query(
    `insert into identity_item (model, id, uid, account_id, payload, expires_at) values ('Session', $1::text, $1::text, $2, '{}', now() + interval '1 day')`,
    [randomUUID(), row?.id],
  );
  return row?.id ?? '';
}
const sessionsOf = async (id: string): Promise<number> =>
  (await sql("select 1 from identity_item where account_id = $1 and model = 'Session'", id)).length;

describe('an offboarding', () => {
  it('is begun only by who may end every customer, with its name, a later time and a reason', async () => {
    const id = leaving.tenantId;
    expect((await begin(id, end('Leaving GmbH'), holder([id]))).status).toBe(403);
    const some = allPermissions.filter((permission) => permission !== 'CloudFit.CFS.Tenants:delete');
    expect((await begin(id, end('Leaving GmbH'), holder('all', some))).status).toBe(403);
    expect(errorOf((await begin(id, end('Staying GmbH'))).body)).toContain('Leaving GmbH');
    expect(errorOf((await begin(id, end('Leaving GmbH', { deleteOn: '2020-01-01T00:00:00Z' }))).body)).toContain('past');
    expect(errorOf((await begin(id, end('Leaving GmbH', { reason: ' ' }))).body)).toContain('Reason is required.');
    expect((await begin(randomUUID(), end('x'))).status).toBe(404);
    expect(await sql("select 1 from offboarding union all select 1 from tenant where not enabled and name like '% GmbH'")).toEqual([]);
  });

  it('closes the customer at once, cuts its machines off, and opens all of it again when it is stopped', async () => {
    const [only, both] = [
      await person('only@example.com', [leaving.tenantId]),
      await person('both@example.com', [leaving.tenantId, staying.tenantId]),
    ];
    const [out] = await sql<{ id: string }>(
      "insert into device (tenant_id, subscription_id, name, cut_off_on) values ($1, $2, 'lost', '2026-01-01Z') returning device_id as id",
      leaving.tenantId,
      leaving.subscriptionId,
    );
    const cutOff = async () =>
      (
        await sql<{ n: number }>(
          'select count(*) as n from device where tenant_id = $1 and not is_deleted and cut_off_on is null',
          leaving.tenantId,
        )
      )[0]?.n;
    const admitted = await cutOff();
    expect(Number(admitted)).toBeGreaterThan(0);
    const begun = await begin(leaving.tenantId, end('leaving gmbh'));
    expect([begun.status, begun.body['error']]).toEqual([200, undefined]);
    expect(begun.body).toMatchObject({
      state: 'Running',
      customerName: 'Leaving GmbH',
      steps: { access: { people: expect.any(Number), sessions: 1 } },
    });
    expect([await sessionsOf(only), await sessionsOf(both)]).toEqual([0, 1]);
    expect((await begin(leaving.tenantId, end('Leaving GmbH'))).status).toBe(409);
    // Only a stop opens it.
    expect((await world.call(provider, 'POST', `/v1/tenants/toggledisabled/${leaving.tenantId}`)).status).toBe(400);
    await run();
    expect(await cutOff()).toBe(0);
    const id = begun.body['offboardingId'];
    expect(await offboarding(id)).toMatchObject({
      state: 'Waiting',
      problem: null,
      steps: { machines: { names: expect.arrayContaining(['lost']) } },
    });
    const moved = await world.call(provider, 'PUT', `/v1/offboardings/${String(id)}/date`, { deleteOn: '2029-01-01T00:00:00+01:00' });
    expect(moved.body).toMatchObject({ deleteOn: '2028-12-31T23:00:00.000Z' });
    const before = await storedNames();
    expect((await world.call(provider, 'PUT', `/v1/offboardings/${String(id)}/stop`)).body).toMatchObject({ state: 'Stopped' });
    expect(await cutOff()).toBe(admitted);
    expect((await sql('select 1 from device where device_id = $1 and cut_off_on is not null', out?.id)).length).toBe(1);
    expect(await sql('select enabled from tenant where tenant_id = $1', leaving.tenantId)).toEqual([{ enabled: true }]);
    expect((await storedNames()).length).toBe(before.length - 1);
    expect((await world.call(provider, 'PUT', `/v1/offboardings/${String(id)}/stop`)).status).toBe(409);
    expect(await sessionsOf(both)).toBe(1);
  });
});

it('takes no change of a customer that is being offboarded, by calls or imports, and a second one that is stopped leaves closed what was', async () => {
  const { tenantId } = leaving;
  const [out] = await sql<{ id: string }>('select device_id as id from device where tenant_id = $1 and cut_off_on is not null', tenantId);
  await sql('update tenant set enabled = false where tenant_id = $1', tenantId);
  const { body } = await begin(tenantId, end('Leaving GmbH'));
  await run();
  const archived = (await offboarding(body['offboardingId']))?.['steps'];
  const refusal = 'Leaving GmbH is being offboarded. Stop its offboarding to change anything of it.';
  const [device] = await sql<{ id: string }>('select device_id as id from device where tenant_id = $1 and not is_deleted', tenantId);
  const document = { cloudfit: 'configuration', version: 1, rows: { locations: [{ name: 'Late', tenantId }] } } as const;
  for (const attempt of [
    await world.call(provider, 'PUT', '/v1/locations', { name: 'Late', tenantId }),
    await world.call(provider, 'POST', `/v1/devices/${device?.id}`, { name: 'Renamed' }),
    await world.call(provider, 'DELETE', `/v1/devices/${device?.id}`),
  ])
    expect([attempt.status, errorOf(attempt.body)]).toEqual([409, refusal]);
  const imported = await world.call(provider, 'POST', '/v1/configuration', document);
  expect(imported.body).toMatchObject({ added: 0, left: [{ resource: 'locations', reason: refusal }] });
  expect((await offboarding(body['offboardingId']))?.['steps']).toEqual(archived);
  expect((await world.call(provider, 'PUT', `/v1/offboardings/${String(body['offboardingId'])}/stop`)).status).toBe(200);
  expect(await sql('select enabled from tenant where tenant_id = $1', tenantId)).toEqual([{ enabled: false }]);
  expect(await sql('select cut_off_on is not null as out from device where device_id = $1', out?.id)).toEqual([{ out: true }]);
  await sql('update tenant set enabled = true where tenant_id = $1', tenantId);
});

it('leaves a day to download an archive that is ready only after the time of the deletion', async () => {
  const { body } = await begin(leaving.tenantId, end('Leaving GmbH'));
  const id = String(body['offboardingId']);
  const path = `/v1/offboardings/${id}`;
  await sql("update offboarding set delete_on = now() - interval '1 hour' where offboarding_id = $1", id);
  await run();
  const ready = await offboarding(id);
  expect(ready).toMatchObject({ state: 'Waiting', deleteOn: new Date(Date.parse(ready.steps.archive.at) + 86_400_000).toISOString() });
  await run();
  expect((await archiveFor(world.ctx(provider), world.store, id)).bytes).toBeGreaterThan(0);
  // Whoever has it already need not wait.
  const soon = new Date(Date.now() + 60_000).toISOString();
  expect((await world.call(provider, 'PUT', `${path}/date`, { deleteOn: soon })).body).toMatchObject({ deleteOn: soon });
  await run();
  expect(await offboarding(id)).toMatchObject({ state: 'Waiting', deleteOn: soon });
  expect((await world.call(provider, 'PUT', `${path}/stop`)).status).toBe(200);
});

/** The files of a ZIP by name. */
function unzip(zip: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const all = new Map<string, Buffer>();
    fromBuffer(zip, { lazyEntries: true }, (error, file) => {
      if (!file) return reject(error ?? new Error('No file.'));
      file.on('entry', (entry) =>
        file.openReadStream(entry, (failed, stream) => {
          if (!stream) return reject(failed ?? new Error('No content.'));
          void buffer(stream).then((content) => {
            all.set(entry.fileName, content);
            file.readEntry();
          }, reject);
        }),
      );
      file.on('end', () => resolve(all)).on('error', reject);
      file.readEntry();
    });
  });
}

describe('the end of a customer', () => {
  let id: string;

  it('has everything of the tenant in its archive, and nothing of others', async () => {
    const begun = await begin(leaving.tenantId, end('Leaving GmbH'));
    id = String(begun.body['offboardingId']);
    // The first try fails in the middle: what it wrote is no archive, and the next one begins again.
    const broken = { ...world.store, keep: () => Promise.reject(new Error('The disk is full.')) };
    await workWith(broken).run(world.system.db);
    expect(await offboarding(id)).toMatchObject({ state: 'Running', problem: 'The disk is full.' });
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    await run();
    const now = await offboarding(id);
    expect(now).toMatchObject({ state: 'Waiting', problem: null });
    const counts = await countsOf(leaving.tenantId);
    // Every table has a row, so that a table without one in the archive is noticed.
    expect((await tablesWhere(isTenantTable)).filter((table) => counts[table] === undefined)).toEqual([]);
    const ctx = world.ctx(provider);
    const file = await archiveFor(ctx, world.store, id);
    const zip = await buffer(await file.content());
    expect([zip.length, createHash('sha256').update(zip).digest('hex')]).toEqual([file.bytes, file.sha256]);
    const parts = await unzip(zip);
    const manifest = JSON.parse(String(parts.get('manifest.json'))) as { tables: Counts; files: number };
    const lines = (table: string) =>
      String(parts.get(`tables/${table}.ndjson`))
        .split('\n')
        .filter(Boolean);
    // What the offboarding itself records of the tenant comes after its snapshot.
    const late = new Set(['audit', 'change']);
    for (const [table, count] of Object.entries(counts)) {
      expect([table, manifest.tables[table]]).toEqual([table, lines(table).length]);
      if (!late.has(table)) expect([table, lines(table).length]).toEqual([table, count]);
    }
    for (const [table, { leaving: mine, staying: other }] of Object.entries(files)) {
      expect(String(parts.get(`files/${mine}`))).toBe(`${table} of the customer`);
      expect(parts.has(`files/${other}`)).toBe(false);
    }
    expect(manifest.files).toBe(3);
    expect(String(parts.get('people.json'))).toContain('only@example.com');
    for (const [name, content] of parts) {
      const text = String(content);
      expect([name, text.includes(staying.tenantId)]).toEqual([name, false]);
      expect([name, /"(?:token_hash|envelope)"/.test(text)]).toEqual([name, false]);
    }
    expect(
      await archiveFor(world.ctx(holder([leaving.tenantId])), world.store, id).catch((error: { status: number }) => error.status),
    ).toBe(403);
    expect(await sql("select 1 from audit where verb = 'export' and entity = 'offboardings' and entity_id = $1", id)).toHaveLength(1);
  });

  it('comes not before its time, and goes on after a lost connection', async () => {
    await run();
    expect(await offboarding(id)).toMatchObject({ state: 'Waiting' });
    expect(await countsOf(leaving.tenantId)).toMatchObject({ tenant: 1 });
    await owner.query("update offboarding set delete_on = now() - interval '1 second' where offboarding_id = $1", [id]);
    // A server that is killed loses its connections: here while it waits for a table.
    const blocker = new pg.Client({ connectionString: world.url });
    await blocker.connect();
    await blocker.query('begin; lock table location in share mode');
    const lost = run();
    const [waiting] = await until(async () => {
      const { rows } = await blocker.query<{ pid: number }>(
        "select pid from pg_locks where not granted and relation = 'location'::regclass and database = (select oid from pg_database where datname = current_database())",
      );
      return rows.length > 0 && rows;
    });
    await blocker.query('select pg_terminate_backend($1)', [waiting?.pid]);
    await lost;
    await blocker.query('rollback');
    await blocker.end();
    const half = await offboarding(id);
    expect(half).toMatchObject({ state: 'Deleting', proof: { customerName: 'Leaving GmbH' } });
    expect(half.problem).toEqual(expect.any(String));
    expect(Object.keys(await countsOf(leaving.tenantId)).length).toBeLessThan(Object.keys(half.proof.tables).length);
    const calls = [['stop'], ['date', { deleteOn: tomorrow() }]] as const;
    for (const [change, body] of calls)
      expect((await world.call(provider, 'PUT', `/v1/offboardings/${id}/${change}`, body)).status).toBe(409);
  });

  it('leaves no row and no file of it, and every row of the others', async () => {
    const before = await digestsOf(staying.tenantId);
    await owner.query(
      `insert into work_unit_month_total (day, dimension, key, opened, open, unacknowledged, acknowledge_seconds, resolve_seconds, acknowledge_met, acknowledge_breached, resolve_met, resolve_breached)
       select '2026-01-01', d, k, 1, 0, 0, '', '', 0, 0, 0, 0 from (values ('tenant', $1), ('severity', 'Sev1')) x (d, k)`,
      [leaving.tenantId],
    );
    await run();
    expect(await sql('select 1 from work_unit_month_total')).toEqual([]);
    expect(await countsOf(leaving.tenantId)).toEqual({});
    expect(await digestsOf(staying.tenantId)).toEqual(before);
    // Whatever else names it: only its proof, the audit of the installation and the notice to open pages may.
    for (const table of await tablesWhere("c.relname not in ('offboarding', 'audit', 'change')")) {
      const rows = await sql(`select t::text as row from "${table}" t where t::text like $1`, `%${leaving.tenantId}%`);
      expect([table, rows]).toEqual([table, []]);
    }
    const stored = await storedNames();
    for (const { leaving: mine, staying: other } of Object.values(files))
      expect([stored.includes(mine), stored.includes(other)]).toEqual([false, true]);
    expect(stored).toHaveLength(3);
    expect(
      await sql("select user_name, enabled from person where user_name in ('only@example.com', 'both@example.com') order by 1"),
    ).toEqual([
      { user_name: 'both@example.com', enabled: true },
      { user_name: 'only@example.com', enabled: false },
    ]);
  });

  it('is proved by a signed record with counts, also in the audit of the installation', async () => {
    const { proof, proofDigest: digest, proofSignature: signature, state, steps } = await offboarding(id);
    expect(state).toBe('Deleted');
    expect(proof).toMatchObject({
      customerId: leaving.tenantId,
      customerName: 'Leaving GmbH',
      rowsLeft: 0,
      tables: { tenant: 1, packet: expect.any(Number) },
      files: expect.any(Number),
    });
    expect(proof.rows).toBe(Object.values(proof.tables).reduce((all, n) => all + n, 0));
    expect(steps.machines.names).toEqual([]);
    expect(proofDigest(proof)).toBe(digest);
    expect(world.masterKey.signatures(digest, proofPurpose)).toContain(signature);
    expect(proofDigest({ ...proof, rows: proof.rows + 1 })).not.toBe(digest);
    const [entry] = await sql<{ after: object; tenant_id: null }>(
      "select after, tenant_id from audit where entity = 'tenants' and verb = 'delete' and entity_id = $1",
      leaving.tenantId,
    );
    expect(entry).toMatchObject({ tenant_id: null, after: { proofDigest: digest, proofSignature: signature } });
    await run();
    expect((await sql("select 1 from audit where entity = 'tenants' and verb = 'delete'")).length).toBe(1);
    // The audit of everybody else stays append-only.
    await expect(world.system.db.query({ text: 'delete from audit where tenant_id = $1', values: [staying.tenantId] })).rejects.toThrow(
      'You do not have access to this.',
    );
  });
});
