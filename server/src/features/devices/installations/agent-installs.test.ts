/** A real agent installs, updates and removes the packages that a real server requests. */
import { createHash, randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { rawRoutes } from '../../../http/raw-calls.ts';
import { startAgentProcess, type StartedAgent } from '../../../testing/agent-process.ts';
import { openFaultyProxy, type FaultyProxy } from '../../../testing/faulty-proxy.ts';
import { openPublisher, opensslMissing, type HomeOfPublisher } from '../../../testing/openssl.ts';
import { testPackageKey } from '../../../testing/packages/key.ts';
import { multipartOf, zipOf } from '../../../testing/packages/zip.ts';
import { workCampaigns } from '../../../testing/work-campaigns.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { inTransaction } from '../../../context/ctx.ts';
import { announceConfiguration } from '../announce.ts';
import { wish as storeWish } from './wish.ts';
import { folderStore } from '../../packages/folder-store.ts';
import { watchDevices, type DeviceWatch } from '../agent/device-watch.ts';
import { promotePendingDevices } from '../agent/promote.ts';
import type { SignIn } from '../agent/sign-in.ts';

const key = testPackageKey();
let folder: string;
let world: TestWorld;
let watch: DeviceWatch;
let mine: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let agentToken: string;
let url: string;
const agents: StartedAgent[] = [];
const proxies: FaultyProxy[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-installs-'));
  const files = { store: folderStore(join(folder, 'kept')), key, incoming: join(folder, 'incoming'), maxBytes: 64 * 1024 ** 2 };
  const parts: { files: typeof files; watch?: DeviceWatch } = { files };
  const ingest = (_ctx: unknown, body: unknown) =>
    Promise.resolve({ value: (body as unknown[]).map((_, index) => ({ index, status: 'stored' })) });
  // The watch needs the world's database, but the routes are created before the watch.
  const late: DeviceWatch = {
    changed: (...args) => watch.changed(...args),
    reading: (deviceId) => watch.reading(deviceId),
    latestRead: (deviceId) => watch.latestRead(deviceId),
    closed: new AbortController().signal,
    close: () => Promise.resolve(),
  };
  const raw = rawRoutes({
    ...parts,
    watch: late,
    ingest,
    signIn: ((...args) => world.signIn(...args)) satisfies SignIn,
  } as unknown as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw, packageKeys: [key.publicKey] });
  watch = await watchDevices(world.database, () => undefined);
  mine = await world.tenant();
  me = holder([mine.tenantId]);
  const caller: TestCaller = {
    tenants: [mine.tenantId],
    permissions: new Map(),
    actor: { kind: 'token', id: crypto.randomUUID(), name: 'agent', scopes: ['agent', 'ingest'] },
  };
  const { root, authorization } = await world.connect(caller);
  url = root.replace(/\/v1$/, '');
  agentToken = authorization.slice('Bearer '.length);
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.kill('SIGKILL');
  for (const one of proxies.splice(0)) one.close();
});
afterAll(async () => {
  await watch?.close();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

async function until<T>(read: () => Promise<T> | T, holds: (value: T) => boolean, what: string): Promise<T> {
  for (const end = Date.now() + 60_000; ;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`Not within a minute: ${what}; last ${JSON.stringify(value)}\n${agents.at(-1)?.output()}`);
    await sleep(25);
  }
}

interface Machine {
  deviceId: string;
  stateDir: string;
  /** Ends the agent and starts another on the same machine. */
  restart(signal?: NodeJS.Signals): Promise<void>;
}

async function machine(options: { through?: string; stateDir?: string } = {}): Promise<Machine> {
  const home = await mkdtemp(join(folder, 'machine-'));
  const stateDir = options.stateDir ?? join(home, 'state');
  const start = () => {
    const agent = startAgentProcess({ folder: home, url: options.through ?? url, token: agentToken, stateDir });
    agents.push(agent);
    return agent;
  };
  let agent = start();
  const machineKey = await until(
    () => (existsSync(join(stateDir, 'machine-key')) ? readFileSync(join(stateDir, 'machine-key'), 'utf8').trim() : ''),
    (text) => text !== '',
    'a machine key',
  );
  const [pending] = await until(
    () =>
      world.system.db.query<{ id: string }>({
        text: 'select pending_device_id as id from pending_device where machine_key::text = $1',
        values: [machineKey],
      }),
    (rows) => rows.length > 0,
    'a registration',
  );
  const [promoted] = await promotePendingDevices(world.system, [pending?.id ?? ''], mine);
  return {
    deviceId: promoted?.deviceId ?? '',
    stateDir,
    restart: async (signal = 'SIGKILL') => {
      await agent.kill(signal);
      agent = start();
    },
  };
}

interface UploadedVersion {
  packageId: string;
  packageVersionId: string;
}

/** The program of a package records its arguments in a file beside the packages. */
const program = (version: string, over: { exits?: Record<string, number>; takesMs?: Record<string, number> } = {}) => `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
const step = process.argv[2];
appendFileSync(join(process.cwd(), '..', '..', '..', 'steps.txt'), step + ' ${version}\\n');
const secrets = Object.keys(process.env).filter((name) => name.startsWith('CLOUDFIT_'));
if (secrets.length > 0) { console.log('has ' + secrets); process.exit(9); }
await new Promise((done) => setTimeout(done, ${JSON.stringify(over.takesMs ?? {})}[step] ?? 0));
if (${JSON.stringify(over.exits ?? {})}[step]) console.error('No pump is here.');
process.exit(${JSON.stringify(over.exits ?? {})}[step] ?? 0);
`;

const steps = {
  install: { arguments: ['install'] },
  check: { arguments: ['check'], timeLimit: '00:00:20' },
  uninstall: { arguments: ['uninstall'] },
};

async function upload(
  name: string,
  version: string,
  over: { manifest?: object; source?: string; ballast?: number; signedBy?: HomeOfPublisher } = {},
): Promise<UploadedVersion> {
  const zip = await zipOf({
    'cloudfit.json': JSON.stringify({
      name,
      version,
      type: 'Watcher',
      executable: 'bin/run.mjs',
      executableType: 'Script',
      ...steps,
      ...over.manifest,
    }),
    'bin/run.mjs': over.source ?? program(version),
    ...(over.ballast ? { 'data.bin': randomBytes(over.ballast) } : {}),
  });
  const { body, headers } = multipartOf(
    { label: 'x', tenantId: mine.tenantId, ...(over.signedBy && { 'signature-1': over.signedBy.sign(zip) }) },
    [zip],
  );
  const answer = await world.call(me, 'POST', '/v1/packages/upload', body, headers);
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  const { packageId, packageVersionId } = answer.body.value?.[0] ?? {};
  return { packageId: String(packageId), packageVersionId: String(packageVersionId) };
}

const wish = async (deviceId: string, packageId: string, packageVersionId: string) => {
  const answer = await world.call(me, 'POST', `/v1/deviceInstallations/${deviceId}/packages`, [{ packageId, packageVersionId }] as never);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
};

interface Installation {
  installStatus: string;
  statusDetail: string | null;
  progress: number | null;
  packageVersionId: string | null;
  installedVersionId: string | null;
  failure: string | null;
  failed: string | null;
}

async function installation(deviceId: string, packageId: string): Promise<Installation | undefined> {
  const { body } = await world.call(me, 'GET', `/v1/devices/GetPackageInstallsWithVersions(deviceId=${deviceId})`);
  const match = body.value?.find((candidate) => (candidate['installPackage'] as { packageId: string }).packageId === packageId);
  return match?.['installPackage'] as Installation | undefined;
}

const reaches = (deviceId: string, packageId: string, status: string): Promise<Installation | undefined> =>
  until(
    () => installation(deviceId, packageId),
    (item) => item?.installStatus === status,
    status,
  );

const folderOf = (stateDir: string, packageId: string) => join(stateDir, 'packages', packageId);
const stepsOf = (stateDir: string): string[] => {
  const file = join(stateDir, 'steps.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

describe('an agent', () => {
  it('installs, updates and removes, and the version report follows', async () => {
    const { deviceId, stateDir } = await machine();
    const one = await upload('Pump watch', '1.0.0');
    const report = async () => {
      const { body } = await world.call(me, 'GET', `/v1/compliancereport?$filter=deviceId eq ${deviceId}`);
      return body.value?.map((row) => [row['installedVersion'], row['latestVersion'], row['versionStatus']]);
    };
    expect(await report()).toEqual([]);
    await wish(deviceId, one.packageId, one.packageVersionId);
    expect(await reaches(deviceId, one.packageId, 'Installed')).toMatchObject({
      installedVersionId: one.packageVersionId,
      statusDetail: null,
      progress: null,
    });
    await proves('[VER-009] Current with the newest release', async () => expect(await report()).toEqual([['1.0.0', '1.0.0', 'Current']]));
    const two = await upload('Pump watch', '1.1.0');
    expect(await report()).toEqual([['1.0.0', '1.1.0', 'Outdated']]);
    await wish(deviceId, one.packageId, two.packageVersionId);
    await until(report, (rows) => rows?.[0]?.[2] === 'Current', 'the update');
    expect(await report()).toEqual([['1.1.0', '1.1.0', 'Current']]);
    expect(stepsOf(stateDir)).toEqual(['install 1.0.0', 'check 1.0.0', 'install 1.1.0', 'check 1.1.0']);
    // Of the earlier versions, only the previous one is stored.
    expect(readdirSync(folderOf(stateDir, one.packageId)).toSorted()).toEqual(
      [one.packageVersionId, two.packageVersionId, 'current'].toSorted(),
    );
    await wish(deviceId, one.packageId, '');
    await reaches(deviceId, one.packageId, 'AvailableForInstall');
    expect(await report()).toEqual([]);
    expect(existsSync(folderOf(stateDir, one.packageId))).toBe(false);
    expect(stepsOf(stateDir).at(-1)).toBe('uninstall 1.1.0');
    const audits = await world.system.db.query<{ status: string }>({
      text: `select after ->> 'installStatus' as status from audit where entity = 'deviceInstallations' and after ->> 'deviceId' = $1 order by audit_id`,
      values: [deviceId],
    });
    const statuses = audits.map((row) => row.status);
    expect(statuses.slice(0, 6)).toEqual(['InstallPending', 'Downloading', 'Verifying', 'Installing', 'Checking', 'Installed']);
    expect(statuses.slice(-2)).toEqual(['UninstallPending', 'Uninstalling']);
  });

  it('keeps the version before when the new one does not pass its check, says so, and tries again when asked', async () => {
    const { deviceId, stateDir } = await machine();
    const good = await upload('Rolls back', '1.0.0');
    const bad = await upload('Rolls back', '2.0.0', { source: program('2.0.0', { exits: { check: 3 } }) });
    await wish(deviceId, good.packageId, good.packageVersionId);
    await reaches(deviceId, good.packageId, 'Installed');
    await wish(deviceId, good.packageId, bad.packageVersionId);
    const rolledBack = await reaches(deviceId, good.packageId, 'RolledBack');
    expect(rolledBack).toMatchObject({ installedVersionId: good.packageVersionId, packageVersionId: bad.packageVersionId });
    expect(rolledBack?.statusDetail).toMatch(
      /^The check of version 2\.0\.0 ended with exit code 3: No pump is here\. Version 1\.0\.0 is in use again\. The next try is at \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    );
    expect(stepsOf(stateDir).slice(2)).toEqual(['install 2.0.0', 'check 2.0.0', 'uninstall 2.0.0', 'install 1.0.0']);
    expect(JSON.parse(readFileSync(join(folderOf(stateDir, good.packageId), 'current'), 'utf8'))).toMatchObject({
      current: good.packageVersionId,
      installing: null,
    });
    await wish(deviceId, good.packageId, bad.packageVersionId);
    await until(
      () => stepsOf(stateDir).length,
      (count) => count >= 10,
      'another try',
    );
    await reaches(deviceId, good.packageId, 'RolledBack');
    const log = await world.call(me, 'GET', `/v1/devices/${deviceId}/logs?$filter=entryType eq 'Error'`);
    expect(log.body.value?.map((line) => String(line['detail'])).join()).toContain('Rolls back 2.0.0 could not be installed: The check');
  });

  it('refuses a version without the signature of its server, with another one, and a file that is not what was signed', async () => {
    let damages = false;
    const between = await proxy(() => ({ damages }));
    const { deviceId, stateDir } = await machine({ through: between.address });
    const one = await upload('Signed', '1.0.0');
    const sign = (signature: string | null, sha256?: string) =>
      world.system.db.query({
        text: 'update package_version set signature = $2, sha256 = coalesce($3, sha256) where package_version_id = $1',
        values: [one.packageVersionId, signature, sha256 ?? null],
      });
    const [{ sha256 } = { sha256: '' }] = await world.system.db.query<{ sha256: string }>({
      text: 'select sha256 from package_version where package_version_id = $1',
      values: [one.packageVersionId],
    });
    const again = async (reason: RegExp) => {
      await wish(deviceId, one.packageId, one.packageVersionId);
      const failed = await until(
        () => installation(deviceId, one.packageId),
        (row) => row?.installStatus === 'InstallFailed' && reason.test(row.statusDetail ?? ''),
        String(reason),
      );
      expect(failed?.installedVersionId).toBeNull();
    };
    await sign(null);
    await again(/^Version 1\.0\.0 has no signature of the server and is not installed\./);
    await sign(testPackageKey().sign({ ...one, sha256 }));
    await again(/^The signature of version 1\.0\.0 is wrong: it was not made by the server/);
    await sign(key.sign({ packageId: crypto.randomUUID(), packageVersionId: one.packageVersionId, sha256 }));
    await again(/^The signature of version 1\.0\.0 is wrong/);
    // The server itself notices that its stored file is another one, and the agent says so instead of trying for ever.
    const other = createHash('sha256').update('other').digest('hex');
    await sign(key.sign({ ...one, sha256: other }), other);
    await again(/^The server does not hand out this version \(409 The stored file of this version has changed\. Upload the version again/);
    await sign(key.sign({ ...one, sha256 }), sha256);
    damages = true;
    await again(/^The downloaded file is damaged: its SHA-256 is [0-9a-f]{64} instead of/);
    damages = false;
    expect(stepsOf(stateDir)).toEqual([]);
    expect(readdirSync(folderOf(stateDir, one.packageId))).toEqual([]);
    await wish(deviceId, one.packageId, one.packageVersionId);
    await reaches(deviceId, one.packageId, 'Installed');
  });
});

describe('two machines in two rings', () => {
  it('get a version that fails its check on the first alone: it comes back there, and the second is never touched', async () => {
    const [row] = await world.system.db.query<{ id: string }>({
      text: `with s as (insert into permission_set (name, permissions) values ('All', $1) returning permission_set_id),
        p as (insert into person (name, user_name) values ('Ada', 'ada@example.com') returning person_id),
        g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $2 from p, s)
        select person_id as id from p`,
      values: [JSON.stringify(allPermissions), mine.tenantId],
    });
    const ada: TestCaller = { ...me, actor: { kind: 'person', id: row?.id ?? '', name: 'Ada', userName: 'ada@example.com' } };
    const good = await upload('In rings', '1.0.0');
    const bad = await upload('In rings', '2.0.0', { source: program('2.0.0', { exits: { check: 3 } }) });
    const machines = [await machine(), await machine()];
    for (const { deviceId } of machines) await wish(deviceId, good.packageId, good.packageVersionId);
    for (const { deviceId } of machines) await reaches(deviceId, good.packageId, 'Installed');
    const started = await world.call(ada, 'POST', '/v1/campaigns/start', {
      tenantId: mine.tenantId,
      kind: 'InstallVersion',
      packageVersionId: bad.packageVersionId,
      deviceIds: machines.map(({ deviceId }) => deviceId),
      rings: [{ share: 50 }],
    });
    expect(started.body['error']).toBeUndefined();
    const campaignId = String(started.body['campaignId']);
    const campaign = await until(
      async () => {
        await workCampaigns(world.system);
        return (await world.call(ada, 'GET', `/v1/campaigns(${campaignId})`)).body;
      },
      ({ ended }) => ended !== null,
      'the end of the campaign',
    );
    expect(campaign).toMatchObject({
      state: 'Stopped',
      ring: 0,
      returned: 1,
      stopped: 1,
      stopReason: 'Of 1 device 1 failed; 95 % must succeed.',
    });
    const rows = await world.system.db.query<{ device_id: string; outcome: string; reason: string | null }>({
      text: 'select device_id, outcome, reason from campaign_device where campaign_id = $1',
      values: [campaignId],
    });
    const outcomeOf = new Map(rows.map((row) => [row.device_id, row.outcome]));
    const [first, second] = machines.toSorted((a) => (outcomeOf.get(a.deviceId) === 'Returned' ? -1 : 1));
    for (const one of [first, second])
      expect(await reaches(one?.deviceId ?? '', good.packageId, 'Installed')).toMatchObject({
        packageVersionId: good.packageVersionId,
        installedVersionId: good.packageVersionId,
      });
    // The reason of the failure stays visible, in the campaign and on the device, until another version is installed.
    const why = /The check of version 2\.0\.0 ended with exit code 3: No pump is here\. Version 1\.0\.0 is in use again\.$/;
    expect(rows.find((row) => row.device_id === first?.deviceId)?.reason).toMatch(why);
    const failureOf = (device: Machine | undefined) => installation(device?.deviceId ?? '', good.packageId);
    expect(await failureOf(second)).toMatchObject({ failure: null, failed: null });
    const remaining = { statusDetail: null, failure: expect.stringMatching(why), failed: expect.stringMatching(/^\d{4}-/) };
    expect(await failureOf(first)).toMatchObject(remaining);
    const mended = await upload('In rings', '2.0.1');
    await wish(first?.deviceId ?? '', mended.packageId, mended.packageVersionId);
    await until(
      () => failureOf(first),
      (version) => version?.installedVersionId === mended.packageVersionId,
      'the mended version',
    );
    expect(await failureOf(first)).toMatchObject({ failure: null, failed: null });
    expect(stepsOf(first?.stateDir ?? '')).toContain('check 2.0.0');
    expect(stepsOf(second?.stateDir ?? '')).toEqual(['install 1.0.0', 'check 1.0.0']);
  });
});

// Without openssl the test cannot sign.
describe.skipIf(opensslMissing !== undefined)('a tenant that takes only packages of publishers whom it trusts', () => {
  it('has its agents refuse the others, also after a key was removed, and says why at the installation', async () => {
    const { deviceId, stateDir } = await machine();
    const acme = openPublisher(join(folder, 'acme'));
    const trustAcme = async (): Promise<string> => {
      const { body } = await world.call(me, 'PUT', '/v1/publishers', { name: 'Acme', publicKey: acme.publicKey, tenantId: mine.tenantId });
      return String(body['publisherId']);
    };
    const onlyTrusted = (onlyTrustedPublishers: boolean) =>
      world.call(me, 'POST', `/v1/tenants/${mine.tenantId}`, { onlyTrustedPublishers });
    // Expects the agent to refuse the version; unless `stores`, the server refuses it too.
    const refused = async ({ packageId, packageVersionId }: UploadedVersion, reason: RegExp, stores = false) => {
      const answer = await world.call(me, 'POST', `/v1/deviceInstallations/${deviceId}/packages`, [
        { packageId, packageVersionId },
      ] as never);
      expect(answer.status).toBe(stores ? 200 : 400);
      if (!stores)
        await inTransaction(world.ctx(me), async (ctx) => {
          await storeWish(ctx, { deviceId, tenantId: mine.tenantId }, { packageId, packageVersionId });
          await announceConfiguration(ctx, deviceId);
        });
      return until(
        () => installation(deviceId, packageId),
        (row) => row?.installStatus === 'InstallFailed' && reason.test(row.statusDetail ?? ''),
        String(reason),
      );
    };
    const unsigned = await upload('Unsigned', '1.0.0');
    const publisherId = await trustAcme();
    const one = await upload('Of a publisher', '1.0.0', { signedBy: acme });
    const two = await upload('Of a publisher', '2.0.0', { signedBy: acme });
    await onlyTrusted(true);
    try {
      await refused(
        unsigned,
        /^Version 1\.0\.0 is not installed: no publisher has signed it, and this tenant takes only packages of publishers/,
      );
      await wish(deviceId, one.packageId, one.packageVersionId);
      await reaches(deviceId, one.packageId, 'Installed');
      // Packages that come with the server need no publisher.
      await world.system.db.query({
        text: 'update package_version set comes_with_server = true where package_version_id = $1',
        values: [unsigned.packageVersionId],
      });
      await wish(deviceId, unsigned.packageId, unsigned.packageVersionId);
      await reaches(deviceId, unsigned.packageId, 'Installed');

      expect((await world.call(me, 'DELETE', `/v1/publishers/${publisherId}`)).status).toBe(204);
      const untrusted = /^Version 2\.0\.0 is not installed: it was signed by Acme, whose key this tenant does not trust\./;
      // An installed version stays installed.
      expect(await refused(two, untrusted)).toMatchObject({ installedVersionId: one.packageVersionId });
      await onlyTrusted(false);
      await refused(two, untrusted, true);
      expect(stepsOf(stateDir)).not.toContain('install 2.0.0');
      await trustAcme();
      await wish(deviceId, two.packageId, two.packageVersionId);
      await reaches(deviceId, two.packageId, 'Installed');
      // The server's own record is changed: it has the publisher's signature of another file.
      const three = await upload('Of a publisher', '3.0.0', { signedBy: acme });
      await world.system.db.query({
        text: `update package_version v set publisher_signature = o.publisher_signature from package_version o
          where v.package_version_id = $1 and o.package_version_id = $2`,
        values: [three.packageVersionId, two.packageVersionId],
      });
      await refused(three, /^Version 3\.0\.0 is not installed: it was signed by Acme, whose key this tenant does not trust\./, true);
    } finally {
      await onlyTrusted(false);
    }
  });
});

async function proxy(fault: Parameters<typeof openFaultyProxy>[1]): Promise<FaultyProxy> {
  const opened = await openFaultyProxy(url, fault);
  proxies.push(opened);
  return opened;
}

describe('a download', () => {
  it('goes on where the connection broke, and shows its progress', async () => {
    const size = 6 * 1024 ** 2;
    const cut = await proxy((request) => (request <= 2 ? { bytes: 1.5 * 1024 ** 2, pauseMs: 20 } : { pauseMs: 60 }));
    const { deviceId } = await machine({ through: cut.address });
    const one = await upload('Large', '1.0.0', { ballast: size });
    await wish(deviceId, one.packageId, one.packageVersionId);
    await until(
      () => installation(deviceId, one.packageId),
      (row) => row?.installStatus === 'Downloading' && (row.progress ?? 0) > 20,
      'progress',
    );
    await reaches(deviceId, one.packageId, 'Installed');
    expect(cut.ranges[0]).toBeUndefined();
    expect(cut.ranges.slice(1).map((range) => /^bytes=\d{6,}-$/.test(range ?? ''))).toEqual([true, true]);
    // Bytes that are on disk are not downloaded again; the 25 % are bytes that were under way when the connection broke.
    expect(cut.passed).toBeLessThan(size * 1.25);
  });
});

describe('an agent that is killed', { timeout: 120_000 }, () => {
  it('goes on or starts over at every step, and never has a half version in use', async () => {
    const slow = await proxy(() => ({ pauseMs: 25 }));
    const { deviceId, stateDir, restart } = await machine({ through: slow.address });
    const old = await upload('Killed', '1.0.0');
    await wish(deviceId, old.packageId, old.packageVersionId);
    await reaches(deviceId, old.packageId, 'Installed');
    const inUse = () =>
      (JSON.parse(readFileSync(join(folderOf(stateDir, old.packageId), 'current'), 'utf8')) as { current: string }).current;
    let last = old.packageVersionId;
    for (const [index, status] of ['Downloading', 'Verifying', 'Installing', 'Checking'].entries()) {
      const version = `2.${index}.0`;
      const takesMs = { install: status === 'Installing' ? 1_500 : 0, check: status === 'Checking' ? 1_500 : 0 };
      const next = await upload('Killed', version, { ballast: 4 * 1024 ** 2, source: program(version, { takesMs }) });
      await wish(deviceId, old.packageId, next.packageVersionId);
      await until(
        () => installation(deviceId, old.packageId),
        (row) => ['Installed', status].includes(row?.installStatus ?? '') && row?.packageVersionId === next.packageVersionId,
        status,
      );
      await restart('SIGKILL');
      // The status Verifying may have ended before the kill; the other steps take long enough.
      if (status !== 'Verifying') expect([status, inUse()]).toEqual([status, last]);
      await reaches(deviceId, old.packageId, 'Installed');
      expect(inUse()).toBe(next.packageVersionId);
      expect(stepsOf(stateDir).slice(-2)).toEqual([`install ${version}`, `check ${version}`]);
      expect(readdirSync(folderOf(stateDir, old.packageId)).filter((name) => /\.(zip|new)$/.test(name))).toEqual([]);
      last = next.packageVersionId;
    }
    const slowly = await upload('Killed', '3.0.0', { source: program('3.0.0', { takesMs: { uninstall: 1_500 } }) });
    await wish(deviceId, old.packageId, slowly.packageVersionId);
    await reaches(deviceId, old.packageId, 'Installed');
    await wish(deviceId, old.packageId, '');
    await reaches(deviceId, old.packageId, 'Uninstalling');
    await restart('SIGKILL');
    await reaches(deviceId, old.packageId, 'AvailableForInstall');
    expect(existsSync(folderOf(stateDir, old.packageId))).toBe(false);
    expect(stepsOf(stateDir).filter((step) => step === 'uninstall 3.0.0')).toHaveLength(2);
  });
});

// Only root may mount a small file system.
describe.skipIf(process.getuid?.() !== 0)('a full disk', () => {
  it('fails the installation with the reason, leaves nothing behind, and the next try works', async () => {
    const stateDir = join(folder, 'small-disk');
    mkdirSync(stateDir);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', stateDir]);
    try {
      const { deviceId } = await machine({ stateDir });
      const one = await upload('Too large', '1.0.0', { ballast: 12 * 1024 ** 2 });
      await wish(deviceId, one.packageId, one.packageVersionId);
      const failed = await reaches(deviceId, one.packageId, 'InstallFailed');
      expect(failed?.statusDetail).toMatch(/^The disk of this machine has too little space: \d+ MiB are needed in .*, \d+ MiB are free\./);
      expect(readdirSync(folderOf(stateDir, one.packageId))).toEqual([]);
      execFileSync('mount', ['-o', 'remount,size=64m', stateDir]);
      await wish(deviceId, one.packageId, one.packageVersionId);
      await reaches(deviceId, one.packageId, 'Installed');
      // There is too little space for the next version: the version in use stays.
      const two = await upload('Too large', '1.1.0', { ballast: 12 * 1024 ** 2 });
      const filler = join(stateDir, 'filler');
      const free = statfsSync(stateDir);
      writeFileSync(filler, Buffer.alloc(free.bavail * free.bsize - 4 * 1024 ** 2));
      await wish(deviceId, one.packageId, two.packageVersionId);
      expect(await reaches(deviceId, one.packageId, 'InstallFailed')).toMatchObject({ installedVersionId: one.packageVersionId });
    } finally {
      for (const agent of agents.splice(0)) await agent.kill('SIGKILL');
      execFileSync('umount', [stateDir]);
    }
  });
});
