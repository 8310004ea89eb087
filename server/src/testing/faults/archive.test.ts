/** Restoring to a point in time: from base copies and the archived log of a real server, with secrets and uploads, more than once. */
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { runAdmin } from '../../admin/run.ts';
import { baseCopies } from '../../db/archive.ts';
import { multipartOf, packageZip } from '../package-zip.ts';
import { freePort, serverProcess, type ServerProcess } from '../server-process.ts';

let server: ServerProcess;
let archive: string;
let token: string;
let tenantId: string;
let secretPath: string;
let packagePath: string;
let packageFile: Buffer;
const settings: Record<string, string> = {};

async function admin(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const code = await runAdmin(args, { DATA_DIR: server.dataDir }, { out: write, err: write, readInput: () => Promise.resolve('') });
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

/** Has PostgreSQL archive the current segment early; returns its name. */
async function switchSegment(): Promise<string> {
  const cluster = join(server.dataDir, 'postgres');
  const password = (await readFile(join(cluster, 'owner.password'), 'utf8')).trim();
  const client = new pg.Client({ host: cluster, user: 'cloudfit', database: 'cloudfit', password });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
  await client.end();
  return rows[0]?.name ?? '-';
}

/** Archives the current segment early, and waits until it is in the archive. */
async function archived(): Promise<void> {
  const segment = await switchSegment();
  await expect
    .poll(async () => (await readdir(join(archive, 'wal'))).some((name) => name.startsWith(segment)), { timeout: 30_000 })
    .toBe(true);
}

beforeAll(async () => {
  server = await serverProcess({ env: settings });
  archive = join(server.dataDir, '../archive');
  settings['ARCHIVE_DIR'] = archive;
  settings['METRICS_PORT'] = String(await freePort());
  await server.start();
  tenantId = (JSON.parse((await admin('tenant', 'add', '--name', 'Northwind', '--json')).out) as { tenantId: string }).tenantId;
  token = (
    JSON.parse(
      (await admin('token', 'add', '--all-tenants', '--name', 'Test', '--set', 'Administrator', '--scopes', 'none', '--json')).out,
    ) as { token: string }
  ).token;
  const secret = await call('PUT', `/v1/tenants/${tenantId}/secrets`, { name: 'hook-key', value: 'amber lighthouse' });
  secretPath = `/v1/tenants/${tenantId}/secrets/${String(secret['id'])}/versions/latest`;
}, 180_000);
afterAll(() => server.remove());

it('goes back to a moment between two changes, with secrets and uploads of after the base copy', { timeout: 180_000 }, async () => {
  await expect.poll(async () => (await baseCopies(archive)).length, { timeout: 60_000 }).toBe(1);
  packageFile = await packageZip();
  const { body, headers } = multipartOf({ label: 'A build', tenantId }, [packageFile]);
  await call('POST', '/v1/packages/upload', body, headers);
  const [version] = (await call('GET', '/v1/packageVersions'))['value'] as { packageId: string; packageVersionId: string }[];
  packagePath = `/v1/packages/${version?.packageId}/versions/${version?.packageVersionId}/content`;
  await open('Before');
  await sleep(5);
  const between = new Date().toISOString();
  await sleep(5);
  await open('After');

  const verified = await admin('backup', 'verify');
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.out).toMatch(
    /^Restored the base copy of .* with the log after it in .* s: \d+ rows in \d+ tables are the same, 1 secrets open, \d+ uploaded files are whole\.$/,
  );
  expect((await admin('restore', '--at', between)).out).toContain('is in use by another running server');
  await archived();
  await server.stop();
  // As after the loss of the machine, except for the archive and the separate copy of the key.
  await rm(join(server.dataDir, 'uploads'), { recursive: true });

  const restored = await admin('restore', '--at', between);
  expect(restored).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
  expect(restored.out).toContain('The database from before is in');
  await server.start();
  expect(await titles()).toEqual(['Before']);
  expect((await call('GET', secretPath))['value']).toBe('amber lighthouse');
  const download = await fetch(`${server.url}${packagePath}`, { headers: { authorization: `Bearer ${token}` } });
  expect(Buffer.from(await download.arrayBuffer())).toEqual(packageFile);
});

it('takes a new base copy after a restore, and goes back again, also to before it', { timeout: 180_000 }, async () => {
  await expect.poll(async () => (await baseCopies(archive)).length, { timeout: 60_000 }).toBe(2);
  const [first, second] = await baseCopies(archive);
  expect(second?.firstSegment.slice(0, 8)).not.toBe(first?.firstSegment.slice(0, 8));
  await open('Later');
  await archived();
  await server.stop();
  expect(await admin('restore', '--at', 'latest')).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
  await server.start();
  expect(await titles()).toEqual(['Before', 'Later']);
  await server.stop();
  expect((await admin('restore', '--at', '2020-01-01T00:00:00Z')).out).toMatch(/^The archive goes back to .*, not to 2020-01-01/);
  expect((await admin('restore', '--at', 'yesterday')).out).toBe('--at is a time such as 2026-11-22T14:30:00Z, or latest.');
  const early = new Date(Date.parse(first?.ended ?? '') + 1).toISOString();
  expect(await admin('restore', '--at', early)).toEqual({ code: 0, out: expect.stringContaining('Restored from') });
  await server.start();
  expect(await titles()).toEqual([]);
});

it('says what is damaged, and leaves the installation as it was', { timeout: 120_000 }, async () => {
  // Until then there is no base copy since the last restore.
  await expect.poll(async () => (await baseCopies(archive)).length, { timeout: 60_000 }).toBe(4);
  const newest = (await baseCopies(archive)).at(-1);
  await writeFile(join(newest?.folder ?? '', 'files/PG_VERSION.gz'), 'nothing');
  const { code, out } = await admin('backup', 'verify');
  expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^The base copy is damaged: .*PG_VERSION\.gz cannot be read/) });
  expect((await readdir(server.dataDir)).filter((name) => name.startsWith('verify-'))).toEqual([]);
  const audit = (await call('GET', "/v1/audit?$filter=verb eq 'verify'"))['value'] as { after: { failed?: string } }[];
  expect(audit.some(({ after }) => after.failed?.includes('damaged'))).toBe(true);
});

it('tells administrators why copies cannot be kept, until they can', async () => {
  const fault = async () =>
    ((await call('GET', `/v1/notices?tenantId=${tenantId}`))['value'] as { kind: string; error?: string }[]).find(
      ({ kind }) => kind === 'archiveCopies',
    );
  const uploads = join(archive, 'uploads');
  await server.stop();
  await rename(uploads, `${uploads}-aside`);
  await writeFile(uploads, 'A file where the folder was.');
  await server.start();
  await expect.poll(fault).toMatchObject({ error: expect.stringContaining(uploads) });
  await server.stop();
  await rm(uploads);
  await rename(`${uploads}-aside`, uploads);
  await server.start();
  await expect.poll(fault).toBeUndefined();
});

it('tells administrators, metrics and the log while the folder takes no log, and stops when it does', { timeout: 180_000 }, async () => {
  await expect.poll(async () => (await baseCopies(archive)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  const stateOf = async () => ((await call('GET', '/readyz')) as { storage: { archive: object | null } }).storage.archive;
  const kinds = async () =>
    ((await call('GET', `/v1/notices?tenantId=${tenantId}`))['value'] as { kind: string }[]).map(({ kind }) => kind);
  const gauge = async () =>
    /^cloudfit_wal_archive_failing (\S+)/m.exec(await (await fetch(`http://127.0.0.1:${settings['METRICS_PORT']}/metrics`)).text())?.[1];
  await open('Is archived');
  await archived();
  await expect.poll(stateOf, { timeout: 30_000 }).toMatchObject({ level: 'ok', archivedAt: expect.any(String) });
  expect([await gauge(), (await kinds()).includes('archive')]).toEqual(['0', false]);

  // PostgreSQL never runs as root.
  await chmod(join(archive, 'wal'), 0o500);
  await open('Is not archived');
  await switchSegment();
  await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ level: 'failing', archivedAt: expect.any(String) });
  expect([await gauge(), (await kinds()).includes('archive')]).toEqual(['1', true]);
  const logged = 'The log of the database cannot be archived';
  await expect.poll(() => server.output().split(logged).length - 1).toBe(1);

  await chmod(join(archive, 'wal'), 0o700);
  await open('Is archived again');
  await archived();
  await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ level: 'ok' });
  expect([await gauge(), (await kinds()).includes('archive')]).toEqual(['0', false]);
});
