/** Packages from the upload to the download, over HTTP. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { executableTypes, packageTypes } from '@cloudfit/contract/enums.ts';
import { rawRoutes } from '../../http/raw-calls.ts';
import { manifestOf, multipartOf, packageZip, zipOf } from '../../testing/packages/zip.ts';
import { testPackageKey } from '../../testing/packages/key.ts';
import { agentOf } from '../../testing/enrolled-device.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';
import { folderStore } from './folder-store.ts';
import { sweepWork } from './sweep.ts';

const maxBytes = 1024 ** 2;
let folder: string;
let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let theirs: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'));
  const files = { store: folderStore(join(folder, 'kept')), key: testPackageKey(), incoming: join(folder, 'incoming'), maxBytes };
  const raw = rawRoutes({ files } as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw });
  [mine, theirs] = [await world.tenant(), await world.tenant()];
  me = holder([mine.tenantId]);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

function upload(caller: TestCaller, fields: Record<string, string>, ...files: Buffer[]): Promise<WorldReply> {
  const { body, headers } = multipartOf(fields, files);
  return world.call(caller, 'POST', '/v1/packages/upload', body, headers);
}

async function uploaded(over: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await upload(me, { label: 'A build', tenantId: mine.tenantId }, await packageZip(manifestOf(over)));
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body.value?.[0] ?? {};
}

const wrongOf = (answer: WorldReply): { target: string; message: string }[] =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map(({ target, message }) => ({
    target,
    message,
  }));

async function statuses(packageId: unknown): Promise<Record<string, unknown>> {
  const { body } = await world.call(me, 'GET', `/v1/packages(${String(packageId)})?$expand=packageVersions($orderby=version desc)`);
  return Object.fromEntries((body['packageVersions'] as Record<string, unknown>[]).map((v) => [v['version'], v['packageVersionStatusId']]));
}

const keptFiles = async (): Promise<number> => {
  const parts = await readdir(join(folder, 'kept')).catch(() => []);
  return (await Promise.all(parts.map((part) => readdir(join(folder, 'kept', part))))).flat().length;
};

describe('packages', () => {
  const fields = {
    name: 'Plain',
    description: 'Made by hand',
    packageTypeId: 1,
    executableName: 'bin/run',
    executableTypeId: 1,
    referenceUrl: 'https://example.com/plain',
    operatingSystemRidsId: 5,
    parameterDefinitions: [{ Name: 'Path', Description: '', Required: false, Source: 1, DefaultValue: '' }],
  };

  it('are created, changed and read with what belongs to them', async () => {
    const created = await world.call(me, 'PUT', '/v1/packages', { ...fields, tenantId: mine.tenantId });
    await proves('[PKG-009] [API-169] created with their fields', () =>
      expect([created.status, created.body]).toMatchObject([201, { ...fields, tenantId: mine.tenantId }]),
    );
    const id = String(created.body['packageId']);
    const renamed = await world.call(me, 'POST', `/v1/packages/${id}`, { name: 'Plainer' });
    await proves('[API-170] changed', () => expect(renamed.body).toMatchObject({ ...fields, name: 'Plainer' }));
    const { body } = await world.call(me, 'GET', `/v1/packages?$filter=packageId eq ${id}&$expand=tenant`);
    await proves('[API-168] listed with their tenant', () =>
      expect(body.value).toMatchObject([{ packageId: id, name: 'Plainer', tenant: { tenantId: mine.tenantId } }]),
    );
    const operations = ['Zebra', 'Adder', 'Mole'].map((name) => ({ name }));
    const version = await uploaded({ name: 'Plainer', operations });
    await proves('[PKG-012] the fields of a version', () =>
      expect(Object.keys(version)).toEqual(
        expect.arrayContaining(['version', 'packageVersionId', 'label', 'created', 'packageVersionStatusId']),
      ),
    );
    const whole = await world.call(me, 'GET', `/v1/packages(${String(version['packageId'])})?$expand=operations($orderby=name)`);
    expect(whole.body['packageId']).toBe(id);
    await proves('[API-174] operations by name', () =>
      expect((whole.body['operations'] as { name: string }[]).map(({ name }) => name)).toEqual(['Adder', 'Mole', 'Zebra']),
    );
  });

  const create = async (over: Record<string, unknown>) =>
    (await world.call(me, 'PUT', '/v1/packages', { ...fields, name: crypto.randomUUID(), tenantId: mine.tenantId, ...over })).status;
  const statuses = async (name: string, values: readonly number[]) => Promise.all(values.map((value) => create({ [name]: value })));

  it('[PKG-010] are of one of seven types', async () => {
    expect(await statuses('packageTypeId', [0, 1, 2, 3, 4, 5, 6, 7, 8])).toEqual([400, ...Array<number>(7).fill(201), 400]);
    expect(packageTypes.map(({ value, label }) => `${label}=${value}`).join(', ')).toBe(
      'Watcher=1, Command=2, ScriptRunner=3, AgentLogic=4, AgentRunner=5, AgentUpdater=6, SecuredValue=7',
    );
  });

  it('[PKG-011] are an executable or a script', async () => {
    expect(await statuses('executableTypeId', [0, 1, 2, 3])).toEqual([400, 201, 201, 400]);
    expect(executableTypes.map(({ value, label }) => `${label}=${value}`).join(', ')).toBe('Executable=1, Script=2');
  });

  it('[PERM-031] are those of the tenants that one may see, and of everyone', async () => {
    for (const [caller, name, tenantId] of [
      [me, 'Scoped, mine', mine.tenantId],
      [holder('all'), 'Scoped, theirs', theirs.tenantId],
      [holder('all'), 'Scoped, for all', null],
    ] as const)
      expect((await world.call(caller, 'PUT', '/v1/packages', { ...fields, name, tenantId })).status).toBe(201);
    const visible = async (caller: TestCaller) =>
      (await world.call(caller, 'GET', "/v1/packages?$filter=startswith(name,'Scoped')&$orderby=name")).body.value?.map(
        (row) => row['name'],
      );
    expect(await visible(me)).toEqual(['Scoped, for all', 'Scoped, mine']);
    expect(await visible(holder([theirs.tenantId]))).toEqual(['Scoped, for all', 'Scoped, theirs']);
  });
});

describe('upload', () => {
  it('makes the package, its version and its operations from the manifest', async () => {
    const version = await uploaded({ name: 'First', operatingSystems: ['WinX64', 'LinuxX64'] });
    await proves('[API-172] takes files and a label', () =>
      expect(version).toMatchObject({ version: '1.0.0', label: 'A build', packageVersionStatusId: 1, fileName: 'package 1.zip' }),
    );
    await proves('[API-173] takes a tenant', () => expect(version).toMatchObject({ tenantId: mine.tenantId }));
    const { body } = await world.call(me, 'GET', `/v1/packages(${String(version['packageId'])})?$expand=operations($orderby=name),tenant`);
    expect(body).toMatchObject({
      name: 'First',
      packageTypeId: 1,
      executableName: 'bin/metrics.js',
      executableTypeId: 2,
      operatingSystemRidsId: 5,
    });
    await proves('[API-173] for the package too', () => expect(body['tenant']).toMatchObject({ tenantId: mine.tenantId }));
    expect(body['operations']).toMatchObject([
      {
        name: 'Disk space',
        operationTypeId: 6,
        operationResultTypeId: 2,
        frequencyDefinitions: [2, 1],
        defaultInterval: '00:05:00',
        parameterDefinitions: [{ Name: 'Path', Description: 'Where to look', Required: true, Source: 1, DefaultValue: '/' }],
      },
    ]);
    const audits = await world.system.db.query<{ entity: string; verb: string }>({
      text: "select entity, verb from audit where entity in ('packages', 'packageVersions', 'operations') and entity_id = any($1) order by 1",
      values: [
        [
          version['packageId'],
          version['packageVersionId'],
          ...(body['operations'] as Record<string, unknown>[]).map((o) => o['operationId']),
        ],
      ],
    });
    expect(audits.map(({ entity, verb }) => `${verb} ${entity}`)).toEqual([
      'create operations',
      'create packageVersions',
      'create packages',
    ]);
  });

  it('[PKG-016] [PKG-017] needs a label and a file', async () => {
    expect(wrongOf(await upload(me, { tenantId: mine.tenantId }, await packageZip()))).toEqual([
      { target: 'label', message: 'Label is required.' },
    ]);
    expect(wrongOf(await upload(me, { label: 'x', tenantId: mine.tenantId }))).toEqual([
      { target: 'file-1', message: 'File is required.' },
    ]);
    expect((await world.call(me, 'POST', '/v1/packages/upload', { label: 'x' })).status).toBe(415);
  });

  it('[PKG-018] is for everyone without a tenant, which takes the right in all tenants', async () => {
    const zip = await packageZip(manifestOf({ name: 'For all' }));
    expect((await upload(me, { label: 'x' }, zip)).status).toBe(403);
    const answer = await upload(holder('all'), { label: 'x' }, zip);
    expect([answer.status, answer.body.value?.[0]?.['tenantId']]).toEqual([201, null]);
    const visible = await world.call(me, 'GET', "/v1/packages?$filter=name eq 'For all'");
    expect(visible.body.value).toHaveLength(1);
  });

  it('refuses a body that ends too early, wherever, and keeps nothing', async () => {
    const { body, headers } = multipartOf({ label: 'A build', tenantId: mine.tenantId }, [await packageZip(manifestOf({}))]);
    const before = await keptFiles();
    for (const length of [body.length - 40, body.length - 200, 120, 30]) {
      const answer = await world.call(me, 'POST', '/v1/packages/upload', body.subarray(0, length), headers);
      expect([length, answer.status]).toEqual([length, 400]);
    }
    expect(await keptFiles()).toBe(before);
  });

  it('refuses without the permission and into another tenant, and keeps nothing', async () => {
    const zip = await packageZip(manifestOf({ name: 'Refused' }));
    const before = await keptFiles();
    const viewer = holder([mine.tenantId], ['CloudFit.CFS.Packages:view']);
    expect((await upload(viewer, { label: 'x', tenantId: mine.tenantId }, zip)).status).toBe(403);
    const elsewhere = await upload(me, { label: 'x', tenantId: theirs.tenantId }, zip);
    expect([elsewhere.status, wrongOf(elsewhere)]).toEqual([400, [{ target: 'tenantId', message: 'Tenant was not found.' }]]);
    expect(await keptFiles()).toBe(before);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('names the file and the field that is wrong, for all files at once, and keeps none of them', async () => {
    const before = await keptFiles();
    const bad = manifestOf({ version: '1.0', extra: 1, operations: [{ name: 'A', type: 'Nothing', defaultInterval: '00:00:10' }] });
    const answer = await upload(
      me,
      { label: 'x', tenantId: mine.tenantId },
      await packageZip(manifestOf({ name: 'Fine' })),
      await packageZip(bad),
      await zipOf({ 'readme.txt': 'Hello' }),
      Buffer.from('no zip at all'),
      await packageZip(manifestOf({ executable: 'bin/other.js' })),
    );
    const faults = wrongOf(answer).map(({ target, message }) => `${target} | ${message}`);
    const wrongVersion =
      'file-2.version | package 2.zip: cloudfit.json version must be a version as 1.2.3 or 1.2.3-beta1 (SemVer 2, without build metadata).';
    await proves('[PKG-019] the version', () => expect(faults).toContain(wrongVersion));
    await proves('[ERR-021] whatever is wrong', () => {
      expect(answer.status).toBe(400);
      expect(faults.toSorted()).toEqual(
        [
          wrongVersion,
          'file-2.operations[0].type | package 2.zip: cloudfit.json operations[0].type must be one of Unknown, Authentication, Synthetic, Availability, ApiRead, LocalFileRead, Metric.',
          'file-2.operations[0].defaultInterval | package 2.zip: cloudfit.json operations[0].defaultInterval is shorter than 30 seconds.',
          'file-2 | package 2.zip: cloudfit.json has the unknown field extra.',
          'file-3 | package 3.zip: has no cloudfit.json at its root.',
          'file-4 | package 4.zip: is not a zip file.',
          'file-5.executable | package 5.zip: cloudfit.json executable bin/other.js is not in the zip.',
        ].toSorted(),
      );
    });
    expect((await world.call(me, 'GET', "/v1/packages?$filter=name eq 'Fine'")).body.value).toEqual([]);
    expect(await keptFiles()).toBe(before);
  });

  it('refuses what is larger than the limit with 413, and a part that it does not know', async () => {
    const answer = await upload(me, { label: 'x', tenantId: mine.tenantId }, Buffer.alloc(maxBytes + 1));
    expect([answer.status, (answer.body['error'] as { message: string }).message]).toEqual([413, 'The file is larger than 1 MiB.']);
    expect(wrongOf(await upload(me, { label: 'x', colour: 'red' }, await packageZip())).map((w) => w.message)).toEqual([
      'Unrecognized key: "colour"',
    ]);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('refuses a zip that unpacks to far more than it should', async () => {
    const bomb = await zipOf({ 'cloudfit.json': JSON.stringify(manifestOf({ executable: 'zeros' })), zeros: Buffer.alloc(64 * 1024 ** 2) });
    expect(bomb.length).toBeLessThan(maxBytes);
    const answer = await upload(me, { label: 'x', tenantId: mine.tenantId }, bomb);
    expect(wrongOf(answer)).toEqual([{ target: 'file-1', message: 'package 1.zip: unpacks to far more than it should.' }]);
  });
});

describe('versions', () => {
  it('keeps Latest, Archived and PreRelease true in any order of arrival', async () => {
    const name = 'Ordered';
    const first = await uploaded({ name, version: '1.9.0' });
    for (const version of ['1.10.0', '2.0.0-beta1', '1.2.0', '2.0.0-alpha.2']) await uploaded({ name, version });
    const statusList = await statuses(first['packageId']);
    await proves('[API-175] orders versions from the newest', () =>
      expect(Object.keys(statusList)).toEqual(['2.0.0-beta1', '2.0.0-alpha.2', '1.10.0', '1.9.0', '1.2.0']),
    );
    await proves('[PKG-014] calls no pre-release the latest', () =>
      expect(statusList).toMatchObject({ '2.0.0-beta1': 3, '2.0.0-alpha.2': 3 }),
    );
    await proves('[PKG-013] has one latest, and archives the others', () =>
      expect(statusList).toMatchObject({ '1.10.0': 1, '1.9.0': 2, '1.2.0': 2 }),
    );
    const again = await upload(me, { label: 'x', tenantId: mine.tenantId }, await packageZip(manifestOf({ name, version: '1.9.0' })));
    expect([again.status, (again.body['error'] as { message: string }).message]).toEqual([
      409,
      'package 1.zip: version 1.9.0 of Ordered exists already.',
    ]);
  });

  it('keeps one Latest when many are uploaded at once, also of a package that is new', async () => {
    const name = 'At once';
    const versions = Array.from({ length: 8 }, (_, n) => `1.${n}.0`);
    const rows = await Promise.all(versions.map((version) => uploaded({ name, version })));
    expect(new Set(rows.map((row) => row['packageId'])).size).toBe(1);
    const statusList = await statuses(rows[0]?.['packageId']);
    expect(Object.entries(statusList).filter(([, status]) => status === 1)).toEqual([['1.7.0', 1]]);
    expect(Object.keys(statusList)).toHaveLength(8);
  });

  it('lets the manifest of the newest release speak for the package', async () => {
    const name = 'Speaks';
    const one = await uploaded({ name, version: '1.0.0', description: 'One' });
    await uploaded({ name, version: '1.1.0', description: 'Two', operations: [{ name: 'Other' }] });
    await uploaded({ name, version: '1.0.5', description: 'Late' });
    const url = `/v1/packages(${String(one['packageId'])})?$expand=operations`;
    const now = (await world.call(me, 'GET', url)).body;
    expect([now['description'], (now['operations'] as { name: string }[]).map((o) => o.name)]).toEqual(['Two', ['Other']]);
  });

  it('[API-176] deletes a version; of the Latest the next release takes the place', async () => {
    const name = 'Shrinks';
    const old = await uploaded({ name, version: '1.0.0', description: 'Old' });
    const latest = await uploaded({ name, version: '1.1.0', description: 'New' });
    const pre = await uploaded({ name, version: '2.0.0-rc.1' });
    const at = (v: Record<string, unknown>) => `/v1/packages/${String(v['packageId'])}/versions/${String(v['packageVersionId'])}`;
    const viewer = holder([mine.tenantId], ['CloudFit.CFS.Packages:view']);
    expect((await world.call(viewer, 'DELETE', at(latest))).status).toBe(403);
    expect((await world.call(holder([theirs.tenantId]), 'DELETE', at(latest))).status).toBe(404);
    expect((await world.call(me, 'DELETE', at({ ...latest, packageVersionId: 'x' }))).status).toBe(400);
    expect((await world.call(me, 'DELETE', at({ ...latest, packageId: crypto.randomUUID() }))).status).toBe(404);
    expect((await world.call(me, 'DELETE', at(latest))).status).toBe(204);
    expect(await statuses(old['packageId'])).toEqual({ '2.0.0-rc.1': 3, '1.0.0': 1 });
    expect((await world.call(me, 'GET', `/v1/packages(${String(old['packageId'])})`)).body['description']).toBe('Old');
    expect((await world.call(me, 'DELETE', at(old))).status).toBe(204);
    expect(await statuses(old['packageId'])).toEqual({ [String(pre['version'])]: 3 });
  });

  it('is not deleted while a policy gives its package or an operation of it to devices', async () => {
    const version = await uploaded({ name: 'In policies', operations: [{ name: 'look', frequencies: ['Recurring'], output: 'json' }] });
    const packageId = String(version['packageId']);
    const [operation] = (await world.call(me, 'GET', `/v1/operations?$filter=packageId eq ${packageId}`)).body.value ?? [];
    const put = async (resource: string, body: object) => (await world.call(me, 'PUT', `/v1/${resource}`, body)).body;
    const { tenantId } = mine;
    const { deviceSelectionId } = await put('deviceSelections', { name: 'Pumps', tenantId, filter: "name eq 'none'" });
    const run = { operationId: operation?.['operationId'], label: 'Look', frequencyTypeId: 2, interval: '00:01:00', parameters: [] };
    const rows = [
      await put('policies', { name: 'Runs it', tenantId, deviceSelectionId, enabled: false, operations: [run] }),
      await put('policies', { name: 'Has it', tenantId, deviceSelectionId, packages: [{ packageId, packageVersionId: null }] }),
    ];
    expect(rows.map(({ name, error }) => name ?? error)).toEqual(['Runs it', 'Has it']);
    const remove = () => world.call(me, 'DELETE', `/v1/packages/${packageId}`);
    const refusal = (names: string) => [`Policies give this package or its operations to devices: ${names}. Take it out of them first.`];
    expect(wrongOf(await remove()).map(({ message }) => message)).toEqual(refusal('Has it, Runs it'));
    await world.call(me, 'DELETE', `/v1/policies/${String(rows[1]?.['policyId'])}`);
    expect(wrongOf(await remove()).map(({ message }) => message)).toEqual(refusal('Runs it'));
    await world.call(me, 'DELETE', `/v1/policies/${String(rows[0]?.['policyId'])}`);
    expect((await remove()).status).toBe(204);
  });

  it('is not deleted while a device should have it; nor is its package', async () => {
    const version = await uploaded({ name: 'In use' });
    const device = await world.call(me, 'PUT', '/v1/devices', { name: 'Pump', ...mine, operatingSystemId: 4 });
    const at = `/v1/packages/${String(version['packageId'])}`;
    const { packageId, packageVersionId } = version;
    await world.call(me, 'POST', `/v1/deviceInstallations/${String(device.body['deviceId'])}/packages`, [
      { packageId, packageVersionId },
    ] as never);
    const refused = await world.call(me, 'DELETE', `${at}/versions/${String(packageVersionId)}`);
    expect([refused.status, (refused.body['error'] as { message: string }).message]).toEqual([
      409,
      'Version 1.0.0 cannot be deleted while devices have it or should have it.',
    ]);
    expect(wrongOf(await world.call(me, 'DELETE', at)).map((w) => w.message)).toEqual([
      'This package cannot be deleted while it is installed on devices.',
    ]);
  });

  it('[API-171] goes with its package, and so do the operations', async () => {
    const version = await uploaded({ name: 'Goes' });
    expect((await world.call(me, 'DELETE', `/v1/packages/${String(version['packageId'])}`)).status).toBe(204);
    for (const [set, key] of [['packageVersions', version['packageVersionId']]] as const)
      expect((await world.call(me, 'GET', `/v1/${set}(${String(key)})`)).status).toBe(404);
    const left = await world.system.db.query({ text: 'select 1 from operation where package_id = $1', values: [version['packageId']] });
    expect(left).toEqual([]);
  });
});

describe('download', () => {
  it('answers the bytes with their hash to people and agents of the tenant alone', async () => {
    const zip = await packageZip(manifestOf({ name: 'Fetched' }));
    const answer = await upload(me, { label: 'x', tenantId: mine.tenantId }, zip);
    const version = answer.body.value?.[0] ?? {};
    const url = `/v1/packages/${String(version['packageId'])}/versions/${String(version['packageVersionId'])}/content`;
    // This token of the tenant may only enrol machines and send packets.
    const token = (tenantId: string): TestCaller => ({
      tenants: [tenantId],
      permissions: new Map(),
      actor: { kind: 'token', id: crypto.randomUUID(), name: 'agent', scopes: ['agent', 'ingest'] },
    });
    for (const caller of [me, agentOf(mine.tenantId, crypto.randomUUID())]) {
      // Length and digest describe the uncompressed file, so it is not compressed.
      const got = await world.call(caller, 'GET', url, undefined, { 'accept-encoding': 'gzip, br' });
      expect([got.status, got.headers['content-encoding']]).toEqual([200, undefined]);
      expect(got.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="package 1.zip"; filename*=UTF-8''package%201.zip`,
        'x-content-type-options': 'nosniff',
        'x-content-sha256': version['sha256'],
        'content-length': String(zip.length),
      });
    }
    expect((await world.call(agentOf(theirs.tenantId, crypto.randomUUID()), 'GET', url)).status).toBe(404);
    expect((await world.call(holder([theirs.tenantId]), 'GET', url)).status).toBe(404);
    expect((await world.call(token(mine.tenantId), 'GET', url)).status).toBe(403);
    expect((await world.call(holder([mine.tenantId], ['CloudFit.CFS.Devices:view']), 'GET', url)).status).toBe(403);
    const statusWith = async (ifNoneMatch: string) =>
      (await world.call(me, 'GET', url, undefined, { 'if-none-match': ifNoneMatch })).status;
    const tag = `"${String(version['sha256'])}"`;
    expect(await statusWith(tag)).toBe(304);
    // The conditional headers of RFC 9110: an ETag in a list, weak validators, any.
    expect([await statusWith(`"other", W/${tag}`), await statusWith('*'), await statusWith('"other"')]).toEqual([304, 304, 200]);
    expect((await world.call(me, 'GET', url.replace(String(version['packageId']), 'x'))).status).toBe(400);
  });
});

describe('a part of a file', () => {
  it('is answered with 206 as asked for, also when the download goes on, and never of another file', async () => {
    const zip = await packageZip(manifestOf({ name: 'In parts' }));
    const answer = await upload(me, { label: 'x', tenantId: mine.tenantId }, zip);
    const version = answer.body.value?.[0] ?? {};
    const url = `/v1/packages/${String(version['packageId'])}/versions/${String(version['packageVersionId'])}/content`;
    const tag = `"${String(version['sha256'])}"`;
    const { root, authorization } = await world.connect(me);
    const get = async (headers: Record<string, string>) => {
      const response = await fetch(root.replace(/\/v1$/, url), { headers: { authorization, ...headers } });
      return {
        status: response.status,
        bytes: Buffer.from(await response.arrayBuffer()),
        range: response.headers.get('content-range'),
        length: response.headers.get('content-length'),
      };
    };
    const size = zip.length;
    expect(await get({ range: 'bytes=10-', 'if-range': tag })).toEqual({
      status: 206,
      bytes: zip.subarray(10),
      range: `bytes 10-${size - 1}/${size}`,
      length: String(size - 10),
    });
    expect(await get({ range: 'bytes=5-9' })).toMatchObject({ status: 206, bytes: zip.subarray(5, 10), range: `bytes 5-9/${size}` });
    expect(await get({ range: 'bytes=10-', 'if-range': '"another file"' })).toMatchObject({ status: 200, bytes: zip, range: null });
    expect(await get({})).toMatchObject({ status: 200, bytes: zip, range: null });
    expect(await get({ range: `bytes=${size}-` })).toMatchObject({ status: 416, range: `bytes */${size}` });
  });
});

describe('catalogue', () => {
  it('lists operations of the tenant and of everyone for the operating system', async () => {
    const freshTenant = await world.tenant();
    const caller = holder([freshTenant.tenantId]);
    const add = async (over: Record<string, unknown>, tenantId?: string) =>
      upload(holder('all'), { label: 'x', ...(tenantId ? { tenantId } : {}) }, await packageZip(manifestOf(over)));
    const operations = (...names: string[]) => names.map((name) => ({ name }));
    await add(
      { name: 'Catalogue linux', operatingSystems: ['LinuxX64'], operations: operations('zz Linux one', 'zz Linux two') },
      freshTenant.tenantId,
    );
    await add({ name: 'Catalogue windows', operatingSystems: ['WinX64'], operations: operations('zz Windows') }, freshTenant.tenantId);
    await add({ name: 'Catalogue any', operations: operations('zz Any') });
    await add({ name: 'Catalogue theirs', operations: operations('zz Theirs') }, theirs.tenantId);
    const list = (os: number, query = '', tenantId = freshTenant.tenantId) =>
      world.call(caller, 'GET', `/v1/operations/GetAvailableOperationsForDevice(tenantId=${tenantId},operatingSystemId=${os})?${query}`);
    const linux = await list(4, "$filter=startswith(name,'zz')&$orderby=name&$top=2&$count=true&$expand=package");
    await proves('[API-124] answers a page', () => {
      expect(linux.body.value?.map((o) => o['name'])).toEqual(['zz Any', 'zz Linux one']);
      expect(linux.body['@odata.count']).toBe(3);
    });
    const all = (await list(4, '$count=true')).body['@odata.count'];
    await proves('[API-125] counts what no filter leaves out', () =>
      expect(linux.body.value?.map((o) => o['totalBeforeFiltering'])).toEqual([all, all]),
    );
    const windows = await list(1, "$filter=startswith(name,'zz')&$orderby=name");
    await proves('[OPR-014] lists those of the operating system', () =>
      expect(windows.body.value?.map((o) => o['name'])).toEqual(['zz Any', 'zz Windows']),
    );
    expect((await list(4, '', theirs.tenantId)).status).toBe(404);
    expect((await list(9)).status).toBe(400);
    const nobody = holder([freshTenant.tenantId], ['CloudFit.CFS.Devices:view']);
    const url = `/v1/operations/GetAvailableOperationsForDevice(tenantId=${freshTenant.tenantId},operatingSystemId=4)`;
    expect((await world.call(nobody, 'GET', url)).status).toBe(403);
  });
});

it('sweeps files that no version names, and uploads that were left behind', async () => {
  const version = await uploaded({ name: 'Stays' });
  const swept = await uploaded({ name: 'Swept' });
  const before = await keptFiles();
  await world.call(me, 'DELETE', `/v1/packages/${String(swept['packageId'])}`);
  const store = folderStore(join(folder, 'kept'));
  const sweep = (now: number) => sweepWork(store, join(folder, 'incoming'), () => now).run(world.system.db);
  await sweep(Date.now());
  expect(await keptFiles()).toBe(before);
  await sweep(Date.now() + 2 * 3_600_000);
  expect(await keptFiles()).toBeLessThan(before);
  const url = `/v1/packages/${String(version['packageId'])}/versions/${String(version['packageVersionId'])}/content`;
  expect((await world.call(me, 'GET', url)).status).toBe(200);
});

it('offers a sample package that can be uploaded as it is, and whose operations run', async () => {
  const viewer = holder([mine.tenantId], ['CloudFit.CFS.Packages:view']);
  const { root, authorization } = await world.connect(viewer);
  const answer = await fetch(`${root}/packages/sample`, { headers: { authorization } });
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, expect.stringContaining('sample-package.zip')]);
  const zip = Buffer.from(await answer.arrayBuffer());
  const accepted = await upload(me, { label: 'Sample', tenantId: mine.tenantId }, zip);
  expect([accepted.status, accepted.body['error']]).toEqual([201, undefined]);
  const { body } = await world.call(me, 'GET', `/v1/packages(${String(accepted.body.value?.[0]?.['packageId'])})?$expand=operations`);
  expect(body).toMatchObject({ name: 'Sample', executableName: 'sample.mjs', operatingSystemRidsId: 0 });
  const operations = body['operations'] as { name: string }[];
  expect(operations.map(({ name }) => name).toSorted()).toEqual(['Free space', 'System name']);

  const script = join(import.meta.dirname, '../../../sample-package/sample.mjs');
  const lastLine = (...args: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .at(-1) ?? '',
    );
  expect(lastLine('space', '/', '0')).toMatchObject({
    value: expect.any(Number),
    states: { Space: 'enough' },
    diagnostics: { Folder: '/' },
  });
  expect(lastLine('space', '/', '999999999999')).toMatchObject({ states: { Space: 'low' } });
  expect(lastLine('system')).toMatchObject({ value: expect.stringMatching(/\w+ \d/) });
});
