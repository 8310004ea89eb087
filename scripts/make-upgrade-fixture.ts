/**
 * Creates the fixture of the upgrade test: the data folder of a released version with data, and the answers of its API.
 * `git worktree add ../released TAG`, `npm ci` there, then `node scripts/with-node.mjs scripts/make-upgrade-fixture.ts
 * ../released server/src/testing/upgrade/1.0.0.tar.zst`.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import pg from 'pg';
import { Browser } from '../server/src/testing/browser.ts';
import { multipartOf, packageZip } from '../server/src/testing/packages/zip.ts';
import { comparedLists, fixturePort, type UpgradeFacts } from '../server/src/testing/upgrade/facts.ts';

const [released = '', output = ''] = process.argv.slice(2).map((path) => resolve(path));
if (output === '') throw new Error('Name the folder of the released version and the file to write.');

const home = mkdtempSync(join(tmpdir(), 'cloudfit-fixture-'));
chmodSync(home, 0o711);
const dataDir = join(home, 'data');
const port = fixturePort;
const publicUrl = `http://localhost:${port}`;
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir, PORT: String(port), AGENT: 'off' };
const password = 'violet tractor lantern';

async function start(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['server/src/main.ts'], { cwd: released, env, stdio: ['ignore', 'ignore', 'inherit'] });
  while (
    !(await fetch(`${publicUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('The released version does not start.');
    await sleep(100);
  }
  return child;
}

function admin<T>(args: readonly string[], input = ''): T {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['server/src/admin/main.ts', ...args, '--json'], {
    cwd: released,
    env,
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

let token = '';

async function call<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const isRaw = body instanceof Uint8Array;
  const answer = await fetch(`${publicUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isRaw || body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? Buffer.from(body) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text === '' ? '{}' : text) as T;
}

const list = async (path: string): Promise<Record<string, unknown>[]> =>
  (await call<{ value: Record<string, unknown>[] }>('GET', path)).value;

const server = await start();
process.once('exit', () => server.kill('SIGKILL'));
const cluster = join(dataDir, 'postgres');
const owner = new pg.Client({
  host: cluster,
  user: 'cloudfit',
  database: 'cloudfit',
  password: readFileSync(join(cluster, 'owner.password'), 'utf8').trim(),
});
await owner.connect();
// A recycled segment of the write-ahead log would contain old data, and enlarge the archive.
await owner.query('alter system set wal_recycle = off');
await owner.query('select pg_reload_conf()');
const { tenantId } = admin<{ tenantId: string }>(['tenant', 'add', '--name', 'Northwind Power']);
admin(['tenant', 'add', '--name', 'Southwind Power']);
token = admin<{ token: string }>([
  'token',
  'add',
  '--all-tenants',
  '--name',
  'Reporting',
  '--set',
  'Administrator',
  '--scopes',
  'ingest',
  '--years',
  '0',
]).token;
const probe = admin<{ token: string }>([
  'token',
  'add',
  '--tenant',
  tenantId,
  '--name',
  'Probe',
  '--scopes',
  'agent,ingest',
  '--years',
  '0',
]).token;
const [userName, email] = ['ada@example.com', 'ada@example.com'];
admin(['person', 'add', '--email', email, '--name', 'Ada Moreno', '--password-stdin'], password);
admin(['grant', '--person', email, '--set', 'Operator', '--tenant', tenantId]);

const [{ subscriptionId = '' } = {}] = (await list(`/v1/subscriptions?$filter=tenantId eq ${tenantId}`)) as { subscriptionId?: string }[];
const place = await call('PUT', '/v1/locations', { name: 'Hall 1', tenantId, city: 'Bergen' });
const device = await call('PUT', '/v1/devices', {
  name: 'pump-1',
  tenantId,
  subscriptionId,
  locationId: place['locationId'],
  description: 'Cooling water',
});
await call('PUT', '/v1/devices', { name: 'pump-2', tenantId, subscriptionId });
const secret = await call('PUT', `/v1/tenants/${tenantId}/secrets`, { name: 'hook-key', value: 'first value' });
await call('POST', `/v1/tenants/${tenantId}/secrets/${String(secret['id'])}`, { value: 'amber lighthouse 42' });
const action = await call('PUT', '/v1/actionDefinitions', {
  name: 'Call the hook',
  actionDefinitionTypeId: 4,
  tenantId,
  endpointUrl: 'https://hook.invalid/{Secret:hook-key}',
  httpMethod: 'POST',
});
const protocol = await call('PUT', '/v1/protocols', { name: 'Pump trip', tenantId });
await call('PUT', '/v1/protocolActions', {
  protocolId: protocol['protocolId'],
  actionDefinitionId: action['actionDefinitionId'],
  workUnitEventTypeId: 1,
  parameters: '{}',
  summary: 'Tell the hook',
});
const [starter] = await list("/v1/rules?$filter=startswith(name,'CPU')");
if (!starter) throw new Error('The released version has no starter rule about the CPU.');
await call('PUT', '/v1/rules', {
  name: 'Hot pump',
  tenantId,
  subscriptionId,
  ruleTypeId: 1,
  matchLifetime: '00:05:00',
  conditions: starter['conditions'],
  matchActions: starter['matchActions'],
});
const { body: form, headers } = multipartOf({ label: 'A build', tenantId }, [await packageZip()]);
await call('POST', '/v1/packages/upload', form, headers);
const [packageVersion] = await list('/v1/packageVersions');

const unit = await call('PUT', '/v1/workUnits', { title: 'Pump 1 trips', severityId: 'Sev2', workUnitTypeId: 1, tenantId });
const unitPath = `/v1/workUnits/${String(unit['workUnitId'])}`;
await call('POST', unitPath, { stateId: 'Acknowledged' });
await call('POST', unitPath, { stateId: 'InProgress', title: 'Pump 1 trips at night' });
await call('PUT', '/v1/workUnitNotes', { workUnitId: unit['workUnitId'], detail: 'The bearing is warm.' });
for (let n = 0; n < 20; n++)
  await call('PUT', '/v1/workUnits', { title: `Inspection ${n}`, severityId: 'Sev4', workUnitTypeId: 1, tenantId });

const began = Date.now();
const packets = Array.from({ length: 60 }, (_, n) => ({
  entityId: device['deviceId'],
  timestamp: new Date(began - (60 - n) * 1_000).toISOString(),
  message: { Metrics: { Cpu: n < 50 ? 40 : 97 } },
}));
await call('POST', '/v1/packets', packets, { authorization: `Bearer ${probe}` });
// Waits until the server has evaluated the rule: a match or its work unit exists.
while ((await list("/v1/workUnits?$filter=startswith(title,'Hot pump')")).length + (await list('/v1/ruleMatches')).length < 1)
  await sleep(100);
while ((await list('/v1/jobs?$filter=deadAt eq null')).length > 0) await sleep(100);

const browser = new Browser(publicUrl);
const tokens = await browser.signIn(userName, password, 'openid profile email offline_access');
const packagePath = `/v1/packages/${String(packageVersion?.['packageId'])}/versions/${String(packageVersion?.['packageVersionId'])}/content`;
const download = await fetch(`${publicUrl}${packagePath}`, { headers: { authorization: `Bearer ${token}` } });
if (!download.ok) throw new Error(`The package cannot be read: ${download.status}.`);
const facts: UpgradeFacts = {
  userName,
  password,
  token,
  probe,
  tenantId,
  deviceId: String(device['deviceId']),
  secret: { id: String(secret['id']), value: 'amber lighthouse 42' },
  packagePath,
  packageFile: Buffer.from(await download.arrayBuffer()).toString('base64'),
  cookies: [...browser.cookies],
  refreshToken: tokens.refresh_token ?? '',
  lists: Object.fromEntries(await Promise.all(comparedLists.map(async (path) => [path, await list(path)] as const))),
};
await owner.query('alter system reset wal_recycle');
await owner.query('checkpoint');
await owner.query('select pg_switch_wal()');
await owner.query('create table last_write (); drop table last_write');
await owner.query('checkpoint');
const { rows } = await owner.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
await owner.end();
server.kill('SIGTERM');
await new Promise((done) => server.once('exit', done));
writeFileSync(join(home, 'facts.json'), JSON.stringify(facts));
rmSync(join(dataDir, 'agent'), { recursive: true, force: true });
rmSync(join(dataDir, 'lock'), { force: true });
// After a clean shutdown, PostgreSQL needs only the segment with the last checkpoint.
for (const name of readdirSync(join(cluster, 'pg_wal')))
  if (/^[0-9A-F]{24}$/.test(name) && name !== rows[0]?.name) rmSync(join(cluster, 'pg_wal', name));
const { stdout: archive } = spawnSync('tar', ['-C', home, '--owner=0', '--group=0', '--numeric-owner', '-c', 'facts.json', 'data'], {
  maxBuffer: 2 ** 30,
});
const packed = zstdCompressSync(archive, {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 27,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
});
writeFileSync(output, packed);
rmSync(home, { recursive: true, force: true });
console.log(`${output}: ${packed.length} bytes, of ${archive.length}`);
