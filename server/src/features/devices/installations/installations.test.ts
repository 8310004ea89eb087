/** Installations and the version report over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { makePackage, type CreatedPackage } from '../../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let theirs: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let otherTenantCaller: TestCaller;
let created: CreatedPackage;

const versions = [
  { version: '1.0.0', precedence: '1', status: 2 },
  { version: '1.1.0', precedence: '2', status: 1 },
  { version: '2.0.0-beta1', precedence: '3', status: 3 },
];

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant(), await world.tenant()];
  [me, otherTenantCaller] = [holder([mine.tenantId]), holder([theirs.tenantId])];
  created = await makePackage(world, { tenantId: mine.tenantId, name: 'Checks', rids: 4, versions });
});
afterAll(() => world.close());

async function device(over: Record<string, unknown> = {}, caller = me): Promise<string> {
  const { body } = await world.call(caller, 'PUT', '/v1/devices', { name: 'Pump', ...mine, operatingSystemId: 4, ...over });
  return String(body['deviceId']);
}
const installs = (id: string, caller = me) => world.call(caller, 'GET', `/v1/devices/GetPackageInstallsWithVersions(deviceId=${id})`);
const save = (id: string, items: unknown, caller = me) => world.call(caller, 'POST', `/v1/deviceInstallations/${id}/packages`, items);
const wrongOf = (answer: WorldReply): string[] =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);
const checks = (answer: WorldReply) =>
  answer.body.value?.find((v) => (v['installPackage'] as Record<string, unknown>)['packageId'] === created.packageId) as
    | { installPackage: Record<string, unknown>; packageVersions: { version: string }[] }
    | undefined;

/** Simulates the agent's report that a version is installed. */
const report = (deviceId: string, packageId: string, versionId: string | undefined) =>
  world.system.db.query({
    text: `insert into device_installation (tenant_id, device_id, package_id, package_version_id, installed_version_id, install_status)
      select tenant_id, device_id, $2, $3, $3, 'Installed' from device where device_id = $1
      on conflict (device_id, package_id) do update set installed_version_id = $3, install_status = 'Installed'`,
    values: [deviceId, packageId, versionId],
  });

describe('installations', () => {
  it('list each package that runs there with its versions', async () => {
    const installable = checks(await installs(await device()));
    await proves('[INST-002] a package', () =>
      expect(installable?.installPackage).toMatchObject({ packageName: 'Checks', packageVersionId: null }),
    );
    await proves('[INST-003] can be installed', () => expect(installable?.installPackage['installStatus']).toBe('AvailableForInstall'));
    await proves('[INST-004] in these versions', () =>
      expect(installable?.packageVersions).toEqual(
        [...versions].reverse().map(({ version }) => ({ version, packageVersionId: created.versions[version] })),
      ),
    );
    await proves('[API-100] none that does not run there', async () =>
      expect(checks(await installs(await device({ operatingSystemId: 1 })))).toBeUndefined(),
    );
  });

  it('are set by a list, and none is an empty version', async () => {
    const id = await device();
    const set = async (packageVersionId: unknown) =>
      checks(await save(id, [{ packageId: created.packageId, deviceId: id, packageVersionId }]))?.installPackage;
    await proves('[API-101] takes a list with a version', async () =>
      expect(await set(created.versions['1.0.0'])).toMatchObject({
        packageVersionId: created.versions['1.0.0'],
        installStatus: 'InstallPending',
      }),
    );
    await proves('[INST-007] none before it is installed', async () =>
      expect(await set('')).toMatchObject({ packageVersionId: null, installStatus: 'AvailableForInstall' }),
    );
    await set(created.versions['1.0.0']);
    await report(id, created.packageId, created.versions['1.0.0']);
    await proves('[API-101] takes another version, and the installed one', async () => {
      expect(await set(created.versions['1.1.0'])).toMatchObject({
        installedVersionId: created.versions['1.0.0'],
        installStatus: 'InstallPending',
      });
      expect(await set(created.versions['1.0.0'])).toMatchObject({ installStatus: 'Installed' });
    });
    await proves('[INST-007] none once it is installed', async () =>
      expect(await set('')).toMatchObject({
        packageVersionId: null,
        installedVersionId: created.versions['1.0.0'],
        installStatus: 'UninstallPending',
      }),
    );
    const audits = await world.system.db.query<{ verb: string }>({
      text: `select verb from audit where entity = 'deviceInstallations' and after->>'deviceId' = $1 or before->>'deviceId' = $1 and entity = 'deviceInstallations' order by audit_id`,
      values: [id],
    });
    expect(audits.map((a) => a.verb)).toEqual(['create', 'delete', 'create', 'update', 'update', 'update']);
  });

  it('are all or nothing, each wrong item with its reason', async () => {
    const id = await device();
    const foreign = await makePackage(world, { tenantId: theirs.tenantId });
    const answer = await save(id, [
      { packageId: created.packageId, packageVersionId: created.versions['1.0.0'] },
      { packageId: foreign.packageId, packageVersionId: foreign.versions['1.0.0'] },
      { packageId: created.packageId, packageVersionId: '' },
      { packageId: created.packageId, deviceId: crypto.randomUUID() },
    ]);
    expect([answer.status, wrongOf(answer)]).toEqual([
      400,
      [
        'items.1.packageId: Package was not found for this device.',
        'items.2.packageId: This package is in the list twice. Send it once.',
        'items.3.deviceId: deviceId differs from the device in the address. Send the same id.',
      ],
    ]);
    expect(wrongOf(await save(id, [{ packageId: created.packageId, packageVersionId: crypto.randomUUID() }]))).toEqual([
      'items.0.packageVersionId: Version was not found in Checks for this device.',
    ]);
    expect(wrongOf(await save(id, [{ packageId: created.packageId, packageVersionId: 'x' }]))).toEqual([
      'items.0.packageVersionId: Please enter a valid GUID.',
    ]);
    expect(wrongOf(await save(id, { packageId: created.packageId }))).toEqual(['items: Send a list of packages.']);
    expect(checks(await installs(id))?.installPackage['installStatus']).toBe('AvailableForInstall');
  });

  it('of versions that the devices would refuse are not stored, by no way, and the reason is told', async () => {
    const home = await world.tenant();
    const caller = holder([home.tenantId]);
    const signed = [...versions.slice(0, 2), { version: '3.0.0', precedence: '4', status: 2 }];
    const signedChecks = await makePackage(world, { tenantId: home.tenantId, name: 'Signed checks', versions: signed });
    const ids = ['1.0.0', '1.1.0', '3.0.0'].map((version) => String(signedChecks.versions[version]));
    const [first = '', second = '', third = ''] = ids;
    const sign = (id: string, publisher: string) =>
      world.system.db.query({
        text: `update package_version set publisher_name = $2, publisher_key = $2, publisher_signature = 'x' where package_version_id = $1`,
        values: [id, publisher],
      });
    await sign(first, 'Acme');
    await sign(third, 'Gone');
    await world.system.db.query({
      text: `insert into publisher (tenant_id, name, public_key, fingerprint) values ($1, 'Acme', 'Acme', 'x')`,
      values: [home.tenantId],
    });
    const only = (onlyTrustedPublishers: boolean) => world.call(caller, 'POST', `/v1/tenants/${home.tenantId}`, { onlyTrustedPublishers });
    const [one, other] = [await device({ ...home }, caller), await device({ ...home }, caller)];
    const wish = (packageVersionId: string) => save(one, [{ packageId: signedChecks.packageId, packageVersionId }], caller);
    const campaign = (packageVersionId: string, path = 'start') =>
      world.call(caller, 'POST', `/v1/campaigns/${path}`, {
        tenantId: home.tenantId,
        kind: 'InstallVersion',
        packageVersionId,
        deviceIds: [one],
      });
    const reasons = {
      unsigned:
        'Version 1.1.0 cannot be installed: no publisher has signed it, and this tenant takes only packages of publishers whom it trusts.',
      gone: 'Version 3.0.0 cannot be installed: it was signed by Gone, whose key this tenant does not trust.',
    };
    expect(wrongOf(await wish(third))).toEqual([`items.0.packageVersionId: ${reasons.gone}`]);
    expect((await wish(second)).status).toBe(200);
    await only(true);
    // A version that was requested before stays when the list is saved again.
    expect((await wish(second)).status).toBe(200);
    expect((await wish(first)).status).toBe(200);
    expect(wrongOf(await wish(second))).toEqual([`items.0.packageVersionId: ${reasons.unsigned}`]);
    for (const path of ['start', 'preview']) {
      expect(wrongOf(await campaign(second, path))).toEqual([`packageVersionId: ${reasons.unsigned}`]);
      expect((await campaign(first, path)).status).toBe(200);
    }
    const operation = { deviceId: other, operationId: signedChecks.operationId, label: 'Measure', frequencyTypeId: 1, enabled: true };
    expect((await world.call(caller, 'PUT', '/v1/deviceOperations', operation)).status).toBe(201);
    const requested = async (id: string) => {
      const rows = (await installs(id, caller)).body.value?.map((v) => v['installPackage'] as Record<string, unknown>);
      return rows?.find((row) => row['packageId'] === signedChecks.packageId)?.['packageVersionId'];
    };
    expect([await requested(one), await requested(other)]).toEqual([first, first]);
    // If the device would accept no version, only the operation is added, and the log of the device says why.
    await sign(first, 'Gone');
    const last = await device({ ...home }, caller);
    expect((await world.call(caller, 'PUT', '/v1/deviceOperations', { ...operation, deviceId: last })).status).toBe(201);
    expect(await requested(last)).toBeNull();
    const log = await world.call(caller, 'GET', `/v1/devices/${last}/logs`);
    expect(log.body.value?.map((line) => String(line['detail'])).join()).toContain(
      'An operation needs Signed checks. Version 3.0.0 cannot be installed',
    );
  });

  it('are not removed while enabled operations need them, unless these are disabled with it', async () => {
    const id = await device();
    const packageId = created.packageId;
    await save(id, [{ packageId, packageVersionId: created.versions['1.0.0'] }]);
    await report(id, packageId, created.versions['1.0.0']);
    const operation = { deviceId: id, operationId: created.operationId, frequencyTypeId: 1, enabled: true };
    for (const label of ['Disk', 'Load'])
      expect((await world.call(me, 'PUT', '/v1/deviceOperations', { ...operation, label })).status).toBe(201);
    await world.call(me, 'PUT', '/v1/deviceOperations', { ...operation, label: 'Off', enabled: false });
    expect(checks(await installs(id))?.installPackage).toMatchObject({ operations: 2, operationLabels: ['Disk', 'Load'] });
    const refusal =
      'Enabled operations of this device need Checks: Disk, Load. Disable them, or send disableOperations: true to disable them with it.';
    expect(wrongOf(await save(id, [{ packageId, packageVersionId: '' }]))).toEqual([`items.0.packageVersionId: ${refusal}`]);
    expect(checks(await installs(id))?.installPackage).toMatchObject({ operations: 2, installStatus: 'Installed' });
    const removed = await save(id, [{ packageId, packageVersionId: '', disableOperations: true }]);
    expect(checks(removed)?.installPackage).toMatchObject({ operations: 0, operationLabels: [], installStatus: 'UninstallPending' });
    const audits = await world.system.db.query<{ enabled: boolean }>({
      text: `select (after->>'enabled')::boolean as enabled from audit where entity = 'deviceOperations' and verb = 'update' and after->>'deviceId' = $1`,
      values: [id],
    });
    expect(audits).toEqual([{ enabled: false }, { enabled: false }]);
  });

  it('are refused without the permission and across tenants', async () => {
    const id = await device();
    const items = [{ packageId: created.packageId, packageVersionId: created.versions['1.0.0'] }];
    expect((await save(id, items, holder([mine.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await save(id, items, otherTenantCaller)).status).toBe(404);
    expect((await save('x', items)).status).toBe(400);
    expect((await installs(id, holder([mine.tenantId], ['CloudFit.CFS.Packages:view']))).status).toBe(403);
    expect((await installs(id, otherTenantCaller)).status).toBe(404);
    expect((await installs('x')).status).toBe(400);
  });
});

describe('version report', () => {
  it('tells per device and package whether a newer release runs there', async () => {
    const [old, current, pre] = [await device({ name: 'Old' }), await device({ name: 'Current' }), await device({ name: 'Pre' })];
    await report(old, created.packageId, created.versions['1.0.0']);
    await report(current, created.packageId, created.versions['1.1.0']);
    await report(pre, created.packageId, created.versions['2.0.0-beta1']);
    const filter = encodeURIComponent(`deviceId in (${[old, current, pre].join(',')})`);
    const { body } = await world.call(me, 'GET', `/v1/compliancereport?$filter=${filter}&$orderby=deviceName&$count=true`);
    await proves('[API-092] filters, sorts and counts', () => {
      expect(body['@odata.count']).toBe(3);
      expect(body.value?.map((row) => row['deviceName'])).toEqual(['Current', 'Old', 'Pre']);
    });
    await proves('[VER-009] says which is outdated', () =>
      expect(body.value?.map((row) => row['versionStatus'])).toEqual(['Current', 'Outdated', 'Current']),
    );
    expect(body.value).toMatchObject([
      { deviceName: 'Current', versionStatus: 'Current', isCompliant: true, installedVersion: '1.1.0', latestVersion: '1.1.0' },
      {
        deviceName: 'Old',
        versionStatus: 'Outdated',
        isCompliant: false,
        installedVersion: '1.0.0',
        latestVersion: '1.1.0',
        packageName: 'Checks',
        subscriptionName: 'Default',
      },
      { deviceName: 'Pre', versionStatus: 'Current', isCompliant: true, installedVersion: '2.0.0-beta1' },
    ]);
    await proves('[VER-008] has these fields', () =>
      expect(Object.keys(body.value?.[0] ?? {})).toEqual(
        expect.arrayContaining(['tenantName', 'installedVersionReleased', 'latestVersionReleased', 'deviceId']),
      ),
    );
  });

  it('looks at releases for the operating system of the device alone', async () => {
    const mixed = await makePackage(world, {
      tenantId: null,
      versions: [
        { version: '1.0.0', precedence: '1', status: 2, rids: 0 },
        { version: '1.1.0', precedence: '2', status: 2, rids: 4 },
        { version: '1.2.0', precedence: '3', status: 1, rids: 1 },
      ],
    });
    const of = async (operatingSystemId: number) => {
      const id = await device({ operatingSystemId });
      await report(id, mixed.packageId, mixed.versions['1.0.0']);
      return (await world.call(me, 'GET', `/v1/compliancereport?$filter=deviceId eq ${id}`)).body.value?.[0];
    };
    expect(await of(4)).toMatchObject({ versionStatus: 'Outdated', latestVersion: '1.1.0' });
    expect(await of(1)).toMatchObject({ versionStatus: 'Outdated', latestVersion: '1.2.0' });
    expect(await of(2)).toMatchObject({ versionStatus: 'Current', latestVersion: '1.0.0' });
  });

  it('is grouped and counts distinct packages and devices', async () => {
    const freshTenant = await world.tenant();
    const caller = holder([freshTenant.tenantId]);
    const add = async () => String((await world.call(caller, 'PUT', '/v1/devices', { name: 'D', ...freshTenant })).body['deviceId']);
    const [a, b] = [
      await makePackage(world, { tenantId: freshTenant.tenantId, versions }),
      await makePackage(world, { tenantId: freshTenant.tenantId, versions }),
    ];
    const [one, two] = [await add(), await add()];
    await report(one, a.packageId, a.versions['1.0.0']);
    await report(one, b.packageId, b.versions['1.1.0']);
    await report(two, b.packageId, b.versions['1.0.0']);
    const apply = async (text: string) =>
      (await world.call(caller, 'GET', `/v1/compliancereport?$apply=${encodeURIComponent(text)}`)).body.value?.map((row) => ({ ...row })) ??
      [];
    const by = async (field: string, counted: string) =>
      Object.fromEntries(
        (await apply(`groupby((${field}),aggregate(${counted} with countdistinct as n))`)).map((row) => [String(row[field]), row['n']]),
      );
    await proves('[API-094] packages by status', async () =>
      expect(await by('versionStatus', 'packageId')).toEqual({ Outdated: 2, Current: 1 }),
    );
    await proves('[API-095] devices by status', async () =>
      expect(await by('versionStatus', 'deviceId')).toEqual({ Outdated: 2, Current: 1 }),
    );
    await proves('[API-096] packages by compliance', async () =>
      expect(await by('isCompliant', 'packageId')).toEqual({ false: 2, true: 1 }),
    );
    await proves('[API-097] devices by compliance', async () => expect(await by('isCompliant', 'deviceId')).toEqual({ false: 2, true: 1 }));
    await proves('[API-093] the choices of a filter', async () =>
      expect(await apply('groupby((tenantId,tenantName))')).toMatchObject([{ tenantId: freshTenant.tenantId }]),
    );
  });
});
