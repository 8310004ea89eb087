/** Operations and device operations on the wire: every field, and every value of their enumerations. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { rawRoutes } from '../../../http/raw-calls.ts';
import { manifestOf, multipartOf, packageZip } from '../../../testing/packages/zip.ts';
import { testPackageKey } from '../../../testing/packages/key.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../../testing/world.ts';
import { folderStore } from '../../packages/folder-store.ts';

const types = ['Unknown', 'Authentication', 'Synthetic', 'Availability', 'ApiRead', 'LocalFileRead', 'Metric'];
const sources = ['PortalEntry', 'EnvironmentVariable', 'SecuredValue', 'RuntimeConfig'];
const frequencies = ['OnDemand', 'Recurring', 'OneTimeKeepAlive'];

let folder: string;
let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operation-shapes-'));
  const files = {
    store: folderStore(join(folder, 'kept')),
    key: testPackageKey(),
    incoming: join(folder, 'incoming'),
    maxBytes: 1024 ** 2,
  };
  const raw = rawRoutes({ files } as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw });
  mine = await world.tenant();
  me = holder([mine.tenantId]);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function upload(operations: readonly object[]): Promise<WorldReply> {
  const zip = await packageZip(manifestOf({ name: 'Shapes', operations }));
  const { body, headers } = multipartOf({ label: 'A build', tenantId: mine.tenantId }, [zip]);
  return world.call(me, 'POST', '/v1/packages/upload', body, headers);
}

const declared = types.map((type, at) => ({
  name: `${at} ${type}`,
  type,
  result: at % 2 === 0 ? 'Text' : 'Numeric',
  frequencies,
  defaultInterval: '00:15:00',
  description: `Kind ${type}`,
  parameters: sources.map((source) => ({ name: source, description: `From ${source}`, required: false, source, default: 'x' })),
}));

it('an operation says what it takes, how it runs and what it answers', async () => {
  const isRefused = async (wrong: object) => expect((await upload([{ name: 'a', ...wrong }])).status).toBe(400);
  await proves('[OPR-030] has one of these types', () => isRefused({ type: 'Other' }));
  await proves('[OPR-025] answers text or a number', () => isRefused({ result: 'Picture' }));
  await proves('[OPR-029] runs at one of these frequencies', () => isRefused({ frequencies: ['Weekly'] }));
  await proves('[OPR-027] takes parameters from these sources', () => isRefused({ parameters: [{ name: 'a', source: 'Elsewhere' }] }));

  const created = await upload(declared);
  const packageId = created.body.value?.[0]?.['packageId'];
  const { body } = await world.call(
    me,
    'GET',
    `/v1/operations?$filter=packageId eq ${String(packageId)}&$orderby=name&$expand=package($select=name)`,
  );
  const operations = body.value ?? [];
  await proves('[OPR-024] has these fields', () =>
    expect(operations).toMatchObject(
      types.map((type, at) => ({
        operationId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        name: `${at} ${type}`,
        description: `Kind ${type}`,
        package: { name: 'Shapes' },
        defaultInterval: '00:15:00',
        isDeleted: false,
      })),
    ),
  );
  await proves('[OPR-030] numbers its type', () => expect(operations.map((o) => o['operationTypeId'])).toEqual(types.map((_, at) => at)));
  await proves('[OPR-025] numbers what it answers', () =>
    expect(operations.map((o) => o['operationResultTypeId'])).toEqual(types.map((_, at) => (at % 2 === 0 ? 1 : 2))),
  );
  await proves('[OPR-029] numbers its frequencies', () =>
    expect(operations.map((o) => o['frequencyDefinitions'])).toEqual(types.map(() => [1, 2, 3])),
  );
  await proves('[OPR-026] [OPR-027] says its parameters, with the number of their source', () =>
    expect(operations[0]?.['parameterDefinitions']).toEqual(
      sources.map((source, at) => ({ Name: source, Description: `From ${source}`, Required: false, Source: at + 1, DefaultValue: 'x' })),
    ),
  );
});

it('a device operation carries its operation, an interval, and parameters', async () => {
  const { body: device } = await world.call(me, 'PUT', '/v1/devices', { name: 'Pump', ...mine, operatingSystemId: 4 });
  const listed = await world.call(me, 'GET', "/v1/operations?$filter=startswith(description,'Kind')&$orderby=name");
  const all = listed.body.value ?? [];
  const put = (over: Record<string, unknown>) =>
    world.call(me, 'PUT', '/v1/deviceOperations', {
      deviceId: device['deviceId'],
      operationId: all[0]?.['operationId'],
      label: 'Shape',
      frequencyTypeId: 2,
      ...over,
    });
  const kinds: unknown[] = [];
  for (const { operationId } of all) kinds.push((await put({ operationId })).body['operationType']);
  await proves('[OPR-030] names its type', () => expect(kinds).toEqual(types));

  await proves('[OPR-029] runs at one of these frequencies', async () => {
    for (const frequencyTypeId of [1, 2, 3]) expect((await put({ frequencyTypeId })).body['frequencyTypeId']).toBe(frequencyTypeId);
    for (const frequencyTypeId of [0, 4]) expect((await put({ frequencyTypeId })).status).toBe(400);
  });

  const parameters = sources.map((Name, at) => ({
    Name,
    Source: at + 1,
    Value: at === 2 ? [{ PlaceholderKey: '{a}', LookupKey: 'b' }] : 'v',
  }));
  const { body: created } = await put({ parameters, interval: '23:59:59' });
  await proves('[OPR-027] takes values from these sources', async () => {
    for (const Source of [0, 5]) expect((await put({ parameters: [{ Name: 'PortalEntry', Source, Value: 'v' }] })).status).toBe(400);
  });
  await proves('[OPR-021] takes a time of day as its interval', async () => {
    for (const interval of ['00:60:00', '1:00', '300']) expect((await put({ interval })).status).toBe(400);
  });
  const { body } = await world.call(
    me,
    'GET',
    `/v1/deviceOperations(${String(created['deviceOperationId'])})?$expand=operation($expand=package)`,
  );
  await proves('[OPR-021] keeps its interval', () => expect(body['interval']).toBe('23:59:59'));
  await proves('[OPR-020] carries its operation and the package', () =>
    expect(body['operation']).toMatchObject({ name: '0 Unknown', package: { name: 'Shapes' } }),
  );
  await proves('[OPR-022] keeps its parameters', () => expect(body['parameters']).toEqual(parameters));
});
