/** Archives in an S3 store and in a folder: restores to a point in time, with secrets and uploads, and faults of archives. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import pg from 'pg';
import { isLong } from '@cloudfit/contract/testing/runs.ts';
import { runAdmin } from '../../admin/run.ts';
import { baseCopies } from '../../db/archive/base-copies.ts';
import { folderArchive } from '../../db/archive/folder-store.ts';
import { s3Archive } from '../../outbound/s3-archive.ts';
import type { ArchiveStore } from '../../platform/archive-store.ts';
import { manifestOf, multipartOf, packageZip } from '../packages/zip.ts';
import { s3Key } from '../s3-server.ts';
import { freePort, serverProcess, type ServerProcess } from '../server-process.ts';

const address = 's3://copies/plant/main';

let server: ServerProcess;
/** The archive of the server. */
let store: ArchiveStore;
let s3Port: number;
let s3: ChildProcess | undefined;
let folder: string;
let token: string;
let tenantId: string;
let secretPath: string;
const settings: Record<string, string> = {};

/** Starts the S3 store as a separate process, which tests kill to simulate the loss of its machine. */
async function startS3(): Promise<void> {
  const program = join(import.meta.dirname, '../s3-server.ts');
  s3 = spawn(process.execPath, [program, join(server.dataDir, '../s3'), 'copies', String(s3Port)], { stdio: 'ignore' });
  await vi.waitFor(() => fetch(`http://127.0.0.1:${s3Port}/`), { timeout: 60_000 });
}

async function killS3(): Promise<void> {
  const exited = new Promise((done) => s3?.once('exit', done));
  s3?.kill('SIGKILL');
  await exited;
}

async function admin(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const environment = { ...settings, DATA_DIR: server.dataDir };
  const code = await runAdmin(args, environment, { out: write, err: write, readInput: () => Promise.resolve('') });
  return { code, out: lines.join('\n') };
}

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const isRaw = Buffer.isBuffer(body);
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isRaw || body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const open = (title: string) => call('PUT', '/v1/workUnits', { title, severityId: 'Sev4', workUnitTypeId: 1, tenantId });
const titles = async () =>
  ((await call('GET', '/v1/workUnits?$orderby=workUnitId'))['value'] as { title: string }[]).map(({ title }) => title);
const notices = async () => (await call('GET', `/v1/notices?tenantId=${tenantId}`))['value'] as { kind: string; error?: string | null }[];
const stateOf = async () => ((await call('GET', '/readyz')) as { storage: { archive: object | null } }).storage.archive;
const gauge = async () =>
  /^cloudfit_wal_archive_failing (\S+)/m.exec(await (await fetch(`http://127.0.0.1:${settings['METRICS_PORT']}/metrics`)).text())?.[1];
async function copiesAre(count: number): Promise<void> {
  await expect.poll(async () => (await baseCopies(store)).length, { timeout: 120_000 }).toBe(count);
}

async function upload(version = '1.0.0'): Promise<Buffer> {
  const file = await packageZip(manifestOf({ version }));
  const { body, headers } = multipartOf({ label: 'A build', tenantId }, [file]);
  await call('POST', '/v1/packages/upload', body, headers);
  return file;
}

/** Ends the current segment of the WAL early, so that PostgreSQL archives it; returns its name. */
async function switchSegment(): Promise<string> {
  const cluster = join(server.dataDir, 'postgres');
  const password = (await readFile(join(cluster, 'owner.password'), 'utf8')).trim();
  const client = new pg.Client({ host: cluster, user: 'cloudfit', database: 'cloudfit', password });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
  await client.end();
  return rows[0]?.name ?? '-';
}

/** Ends the current segment of the WAL early, and waits until it is in the archive. */
async function archived(): Promise<string> {
  const name = `wal/${await switchSegment()}.gz`;
  await expect.poll(async () => await store.list('wal/'), { timeout: 60_000 }).toContain(name);
  return name;
}

/** Creates two work units with these titles; returns a time between the two writes. */
async function writeAround(before: string, after: string): Promise<string> {
  await open(before);
  await sleep(5);
  const between = new Date().toISOString();
  await sleep(5);
  await open(after);
  return between;
}

beforeAll(async () => {
  server = await serverProcess({ env: settings });
  folder = join(server.dataDir, '../archive');
  [s3Port, settings['METRICS_PORT']] = [await freePort(), String(await freePort())];
  const endpoint = `http://127.0.0.1:${s3Port}`;
  Object.assign(settings, {
    ARCHIVE_DIR: address,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: s3Key,
    AWS_SECRET_ACCESS_KEY: s3Key,
  });
  store = s3Archive(
    address,
    { endpoint, region: 'us-east-1', accessKeyId: s3Key, secretAccessKey: s3Key },
    join(server.dataDir, '../drafts'),
  );
  await startS3();
  await server.start();
  tenantId = (JSON.parse((await admin('tenant', 'add', '--name', 'Northwind', '--json')).out) as { tenantId: string }).tenantId;
  const added = await admin('token', 'add', '--all-tenants', '--name', 'Test', '--set', 'Administrator', '--scopes', 'none', '--json');
  token = (JSON.parse(added.out) as { token: string }).token;
  const secret = await call('PUT', `/v1/tenants/${tenantId}/secrets`, { name: 'hook-key', value: 'amber lighthouse' });
  secretPath = `/v1/tenants/${tenantId}/secrets/${String(secret['id'])}/versions/latest`;
}, 180_000);
afterAll(async () => {
  s3?.kill('SIGKILL');
  await server.remove();
});

it(
  'goes back from a store to a moment between two changes, with secrets and uploads of after the base copy',
  { timeout: 240_000 },
  async () => {
    await copiesAre(1);
    const packageFile = await upload();
    const [version] = (await call('GET', '/v1/packageVersions'))['value'] as { packageId: string; packageVersionId: string }[];
    const between = await writeAround('Before', 'After');
    const verified = await admin('backup', 'verify');
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.out).toMatch(
      /^Restored the base copy of .* with the log after it in .* s: \d+ rows in \d+ tables and \d+ answers of the API are the same, 1 secrets open, \d+ uploaded files are whole\.$/,
    );
    expect(await call('GET', '/v1/installation/backups')).toMatchObject({
      baseCopyAt: (await baseCopies(store))[0]?.ended,
      restoreDrill: { what: expect.stringContaining('the base copy of') },
    });
    expect((await admin('restore', '--at', between)).out).toContain('is in use by another running server');

    // While the store is unreachable, segments of the WAL wait in the data folder, and the server reports the failure.
    await archived();
    await killS3();
    const waits = await writeAround('While the store is away', 'Later');
    const segment = await switchSegment();
    await expect
      .poll(stateOf, { timeout: 60_000 })
      .toMatchObject({ level: 'failing', error: expect.stringContaining('cannot be reached') });
    expect(await notices()).toContainEqual(expect.objectContaining({ kind: 'archive', error: expect.stringContaining(address) }));
    expect(await gauge()).toBe('1');
    expect(await readdir(join(server.dataDir, 'postgres/archive_waiting'))).toContain(segment);
    await startS3();
    await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ level: 'ok' });
    expect(await gauge()).toBe('0');
    // The kill may also have broken a base copy or an upload. The notice of that ends when the next round succeeds.
    await expect.poll(async () => (await notices()).filter(({ kind }) => kind.startsWith('archive')), { timeout: 60_000 }).toEqual([]);
    expect(await store.list('wal/')).toContain(`wal/${segment}.gz`);
    await server.stop();
    // The restore must bring the uploads back from the archive.
    await rm(join(server.dataDir, 'uploads'), { recursive: true });

    const restored = await admin('restore', '--at', waits);
    expect(restored).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
    expect(restored.out).toContain('The previous database is in');
    await server.start();
    expect(await titles()).toEqual(['Before', 'After', 'While the store is away']);
    expect((await call('GET', secretPath))['value']).toBe('amber lighthouse');
    const download = await fetch(`${server.url}/v1/packages/${version?.packageId}/versions/${version?.packageVersionId}/content`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Buffer.from(await download.arrayBuffer())).toEqual(packageFile);
  },
);

it.runIf(isLong)('says which object of a store is damaged, and leaves the installation as it was', { timeout: 240_000 }, async () => {
  // The second base copy is the one that the server makes after the restore.
  await copiesAre(2);
  const name = await archived();
  const damage = async (path: string): Promise<void> => {
    const content = Buffer.from('nothing');
    const draft = join(server.dataDir, '../damaged');
    await writeFile(draft, content);
    await store.keep(path, draft, { size: content.length, sha256: createHash('sha256').update(content).digest('hex') });
  };
  await damage(name);
  expect(await admin('backup', 'verify')).toEqual({
    code: 1,
    out: expect.stringMatching(new RegExp(`^The log in ${address} is damaged: ${name} \\(incorrect header check\\)`)),
  });
  const newest = (await baseCopies(store)).at(-1);
  await damage(`base/${newest?.name}/part-00001.gz`);
  expect(await admin('backup', 'verify')).toEqual({
    code: 1,
    out: expect.stringMatching(/^The base copy is damaged: base\/.*\/part-00001\.gz in s3:.* cannot be read: incorrect header check/),
  });
  expect((await readdir(server.dataDir)).filter((file) => file.startsWith('verify-'))).toEqual([]);
  const audit = (await call('GET', "/v1/audit?$filter=verb eq 'verify'"))['value'] as { after: { failed?: string } }[];
  expect(audit.some(({ after }) => after.failed?.includes('damaged'))).toBe(true);
});

it('goes back from a folder, in the long form also to before a restore, with a new base copy each time', { timeout: 240_000 }, async () => {
  await server.stop();
  settings['ARCHIVE_DIR'] = folder;
  store = folderArchive(folder);
  await server.start();
  await copiesAre(1);
  const between = await writeAround('In the folder', 'Too late');
  await archived();
  await server.stop();
  expect(await admin('restore', '--at', between)).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
  expect((await admin('restore', '--at', '2020-01-01T00:00:00Z')).out).toMatch(/^The archive goes back to .*, not to 2020-01-01/);
  expect((await admin('restore', '--at', 'yesterday')).out).toBe('--at is a time such as 2026-11-22T14:30:00Z, or latest.');
  await server.start();
  expect((await titles()).slice(-2)).toEqual(['While the store is away', 'In the folder']);
  await copiesAre(2);
  const [first, second] = await baseCopies(store);
  expect(second?.firstSegment.slice(0, 8)).not.toBe(first?.firstSegment.slice(0, 8));
  if (!isLong) return;
  await open('On the new way');
  await server.stop();
  // Restores everything that is in the archive, then the state at the end of the first base copy.
  expect(await admin('restore', '--at', 'latest')).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
  const early = new Date(Date.parse(first?.ended ?? '') + 1).toISOString();
  expect(await admin('restore', '--at', early)).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
  await server.start();
  expect((await titles()).at(-1)).toBe('While the store is away');
});

it('tells administrators why uploads cannot be kept, until they can', { timeout: 120_000 }, async () => {
  await copiesAre(isLong ? 3 : 2);
  const fault = async () => (await notices()).find(({ kind }) => kind === 'archiveCopies');
  const uploads = join(folder, 'uploads');
  await rename(uploads, `${uploads}-aside`);
  await writeFile(uploads, 'A file where the folder was.');
  await upload('1.0.1');
  await expect.poll(fault, { timeout: 60_000 }).toMatchObject({ error: expect.stringContaining(uploads) });
  await rm(uploads);
  await mkdir(uploads);
  await expect.poll(fault, { timeout: 60_000 }).toBeUndefined();
});

it('tells administrators, metrics and the log while the folder takes no log, and stops when it does', { timeout: 180_000 }, async () => {
  const kinds = async () => (await notices()).map(({ kind }) => kind);
  await open('Is archived');
  await archived();
  await expect.poll(stateOf, { timeout: 30_000 }).toMatchObject({ level: 'ok', archivedAt: expect.any(String) });
  expect([await gauge(), (await kinds()).includes('archive')]).toEqual(['0', false]);

  // Stops PostgreSQL from writing also when the tests run as root, because PostgreSQL never runs as root.
  await chmod(join(folder, 'wal'), 0o500);
  await open('Is not archived');
  await switchSegment();
  await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ level: 'failing', archivedAt: expect.any(String) });
  expect([await gauge(), (await kinds()).includes('archive')]).toEqual(['1', true]);
  const logged = 'The log of the database cannot be archived';
  await expect.poll(() => server.output().split(logged).length - 1).toBe(1);

  await chmod(join(folder, 'wal'), 0o700);
  await open('Is archived again');
  await archived();
  await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ level: 'ok' });
  expect([await gauge(), (await kinds()).includes('archive')]).toEqual(['0', false]);
});

it('refuses an archive that belongs to another database', { timeout: 120_000 }, async () => {
  await server.stop();
  await writeFile(join(folder, 'archive.json'), JSON.stringify({ database: '1' }));
  await server.start();
  await expect
    .poll(stateOf, { timeout: 60_000 })
    .toMatchObject({ level: 'failing', error: expect.stringContaining('belongs to another database') });
});
