/**
 * Packages that come with the server: they are in the catalogue once, people cannot edit them, and every new device runs some
 * of them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRoutes } from '../../http/raw-calls.ts';
import { testPackageKey } from '../../testing/packages/key.ts';
import { manifestOf, multipartOf, packageZip } from '../../testing/packages/zip.ts';
import { enrolDevice } from '../../testing/enrolled-device.ts';
import { createWorld, holder, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { builtInNames, ensureBuiltIns, zipOfBuiltIn } from './built-in.ts';
import { folderStore } from './folder-store.ts';

const sources = fileURLToPath(new URL('../../../packages', import.meta.url));
const key = testPackageKey();
let folder: string;
let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
const everywhere = holder('all');

const storedFiles = () => folderStore(join(folder, 'kept'));
const seed = (store = storedFiles()) => ensureBuiltIns(world.system, { store, key, sources, incoming: join(folder, 'incoming') });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-in-'));
  const files = { store: folderStore(join(folder, 'kept')), key, incoming: join(folder, 'incoming'), maxBytes: 1024 ** 2 };
  world = await createWorld({ rawRoutes: rawRoutes({ files } as Parameters<typeof rawRoutes>[0]) });
  mine = await world.tenant();
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

const messageOf = (answer: WorldReply) => {
  const error = answer.body['error'] as { message: string; details?: { message: string }[] };
  return error.details?.[0]?.message ?? error.message;
};

async function rows() {
  const { body } = await world.call(
    everywhere,
    'GET',
    '/v1/packages?$filter=isBuiltIn eq true&$expand=packageVersions,operations&$orderby=name',
  );
  return body.value ?? [];
}

describe('built-in packages', () => {
  it('do not keep a server from starting whose files have no room, and come at the next start', async () => {
    const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    await seed({ ...storedFiles(), keep: full });
    expect(await rows()).toEqual([]);
    await seed();
    expect(await rows()).not.toEqual([]);
  });

  it('are in the catalogue for everyone once, signed, also when two servers start at once', async () => {
    await Promise.all([seed(), seed()]);
    const packages = await rows();
    expect(packages).toHaveLength((await builtInNames(sources)).length);
    for (const one of packages) {
      expect(one['tenantId']).toBeNull();
      expect(one['packageVersions']).toMatchObject([{ packageVersionStatusId: 1, signature: expect.stringMatching(/^[\w+/]{86}==$/) }]);
    }
    expect(packages.map((item) => item['name'])).toEqual(
      expect.arrayContaining([
        'System metrics',
        'Inventory',
        'HTTP check',
        'TCP check',
        'DNS check',
        'Ping',
        'SNMP',
        'Script runner',
        'Plugin runner',
      ]),
    );
  });

  it('are packed to the same bytes each time', async () => {
    for (const name of ['http-check', 'snmp'])
      expect((await zipOfBuiltIn(sources, name)).equals(await zipOfBuiltIn(sources, name))).toBe(true);
  });

  it('are neither edited nor deleted nor replaced by people, who are told why', async () => {
    const metrics = (await rows()).find((row) => row['name'] === 'System metrics') ?? {};
    const at = `/v1/packages/${String(metrics['packageId'])}`;
    const edited = await world.call(everywhere, 'POST', at, { name: 'Mine' });
    expect([edited.status, messageOf(edited)]).toEqual([400, 'System metrics comes with the server and cannot be edited.']);
    const deleted = await world.call(everywhere, 'DELETE', at);
    expect([deleted.status, messageOf(deleted)]).toEqual([400, 'System metrics comes with the server and cannot be deleted.']);
    const [version] = metrics['packageVersions'] as { packageVersionId: string; version: string }[];
    const withoutVersion = await world.call(everywhere, 'DELETE', `${at}/versions/${version?.packageVersionId}`);
    expect([withoutVersion.status, messageOf(withoutVersion)]).toEqual([
      409,
      `Version ${version?.version} comes with the server and cannot be deleted.`,
    ]);
    const { body, headers } = multipartOf({ label: 'x' }, [await packageZip(manifestOf({ version: '9.0.0' }))]);
    const uploaded = await world.call(everywhere, 'POST', '/v1/packages/upload', body, headers);
    expect([uploaded.status, messageOf(uploaded)]).toEqual([
      409,
      'System metrics comes with the server, which updates it. Give your package another name.',
    ]);
  });

  it('run on a new device without a click, and do not keep it from being deleted', async () => {
    const { deviceId } = await enrolDevice(world, mine);
    const operations = await world.call(everywhere, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${deviceId}&$orderby=label`);
    expect(operations.body.value).toMatchObject([
      { label: 'Inventory', enabled: true, frequencyTypeId: 2, interval: '04:00:00' },
      { label: 'System metrics', enabled: true, frequencyTypeId: 2, interval: '00:01:00' },
    ]);
    const { body } = await world.call(everywhere, 'GET', `/v1/devices/GetPackageInstallsWithVersions(deviceId=${deviceId})`);
    const wished = (body.value ?? [])
      .map((item) => item['installPackage'] as Record<string, unknown>)
      .filter((item) => item['packageVersionId'] !== null);
    expect(wished).toMatchObject([
      { packageName: 'Inventory', installStatus: 'InstallPending', operations: 1 },
      { packageName: 'System metrics', installStatus: 'InstallPending', operations: 1 },
    ]);
    expect((await world.call(everywhere, 'DELETE', `/v1/devices/${deviceId}`)).status).toBe(204);
  });
});

describe('an operation', () => {
  it('has its package installed when it is enabled on a device that has no wish for it, and leaves a wish alone', async () => {
    const device = await world.call(everywhere, 'PUT', '/v1/devices', { name: 'Pump', ...mine, operatingSystemId: 4 });
    const deviceId = String(device.body['deviceId']);
    const check = (await rows()).find((row) => row['name'] === 'TCP check') ?? {};
    const [operation] = check['operations'] as { operationId: string }[];
    const created = await world.call(everywhere, 'PUT', '/v1/deviceOperations', {
      deviceId,
      operationId: operation?.operationId,
      label: 'Port',
      enabled: false,
      frequencyTypeId: 2,
      interval: '00:01:00',
      parameters: ['Host', 'Port'].map((Name) => ({ Name, Source: 1, Value: '1' })),
    });
    const wished = async () => {
      const { body } = await world.call(everywhere, 'GET', `/v1/deviceInstallations?$filter=deviceId eq ${deviceId}`);
      return body.value?.map((row) => [row['packageId'], row['installStatus']]);
    };
    expect(await wished()).toEqual([]);
    const id = String(created.body['deviceOperationId']);
    const enable = (enabled: boolean) => world.call(everywhere, 'POST', `/v1/deviceOperations/${id}`, { enabled });
    expect((await enable(true)).status).toBe(200);
    expect(await wished()).toEqual([[check['packageId'], 'InstallPending']]);
    // After somebody has removed the package, only enabling the operation requests it again, not saving the operation.
    await world.call(everywhere, 'POST', `/v1/deviceInstallations/${deviceId}/packages`, [
      { packageId: check['packageId'], packageVersionId: '', disableOperations: true },
    ] as never);
    await world.call(everywhere, 'POST', `/v1/deviceOperations/${id}`, { label: 'Port 1' });
    expect(await wished()).toEqual([]);
  });
});
