/** Device operations over HTTP: from the catalogue to runs on demand and copies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { makePackage, type CreatedPackage } from '../../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let theirs: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let otherTenantCaller: TestCaller;
let viewer: TestCaller;
let created: CreatedPackage;

const definitions = [
  { Name: 'Path', Description: '', Required: true, Source: 1, DefaultValue: '/' },
  { Name: 'Token', Description: '', Required: false, Source: 3, DefaultValue: '' },
];

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant(), await world.tenant()];
  [me, otherTenantCaller] = [holder([mine.tenantId]), holder([theirs.tenantId])];
  viewer = holder([mine.tenantId], ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Packages:view']);
  created = await makePackage(world, { tenantId: mine.tenantId, name: 'Checks', rids: 4, parameters: definitions });
});
afterAll(() => world.close());

async function device(over: Record<string, unknown> = {}, home = mine): Promise<string> {
  const { body } = await world.call(holder([home.tenantId]), 'PUT', '/v1/devices', {
    name: 'Pump',
    ...home,
    operatingSystemId: 4,
    ...over,
  });
  return String(body['deviceId']);
}

const path = [{ Name: 'Path', Source: 1, Value: '/var' }];
function put(body: Record<string, unknown>): Promise<WorldReply> {
  return world.call(me, 'PUT', '/v1/deviceOperations', {
    label: 'Disk',
    operationId: created.operationId,
    frequencyTypeId: 2,
    parameters: path,
    ...body,
  });
}
async function operation(over: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const answer = await put({ deviceId: await device(), ...over });
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body;
}
const wrongOf = (answer: WorldReply): string[] =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);
const idOf = (row: Record<string, unknown>): string => String(row['deviceOperationId']);

it('[OPR-019][OPR-023] has the value and the age of its latest packet, for those who may view packets', async () => {
  const silent = await operation();
  const [reported, structured] = [await operation(), await operation()];
  for (const [row, message] of [
    [reported, { Value: 7.5, Metrics: { Cpu: 3 } }],
    [structured, { Metrics: { Cpu: 3 } }],
  ] as const)
    await world.system.db.query({
      text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
        values ($1, $2, '2026-11-01T10:00:00Z', now(), uuidv7(), $3)`,
      values: [idOf(row), mine.tenantId, JSON.stringify(message)],
    });
  const of = async (row: Record<string, unknown>, query: string, caller = me) =>
    world.call(caller, 'GET', `/v1/deviceOperations(${idOf(row)})?${query}`);
  const age = '2026-11-01T10:00:00.000Z';
  expect((await of(reported, '$select=label,packetInfo&$expand=packetInfo($select=value,age)')).body).toMatchObject({
    label: 'Disk',
    packetInfo: { value: 7.5, age },
  });
  expect((await of(structured, '$expand=packetInfo')).body['packetInfo']).toMatchObject({ value: null, age });
  expect((await of(silent, '$expand=packetInfo')).body['packetInfo']).toBeNull();
  expect((await of(reported, '$select=packetInfo')).status).toBe(200);
  const without = holder([mine.tenantId], [permission('Devices', 'view')]);
  expect((await of(reported, '$expand=packetInfo', without)).status).toBe(403);
});

describe('a new one', () => {
  it('starts disabled, not interactive and not complete, and shows its package', async () => {
    const created = await operation();
    await proves('[OPR-037] disabled', () => expect(created['enabled']).toBe(false));
    await proves('[OPR-038] not interactive', () => expect(created['isInteractive']).toBe(false));
    await proves('[OPR-039] not complete', () => expect(created).toMatchObject({ operationComplete: false, completionToken: null }));
    await proves('[API-118][OPR-019] has what was sent and its package', () =>
      expect(created).toMatchObject({
        tenantId: mine.tenantId,
        isDeleted: false,
        packageName: 'Checks',
        packageType: 'Watcher',
        packageExecutableType: 'Script',
        operationType: 'Metric',
        parameters: path,
      }),
    );
  });

  it('needs a label, a frequency and an interval of 30 seconds', async () => {
    const deviceId = await device();
    await proves('[OPR-041] a label', async () =>
      expect(wrongOf(await put({ deviceId, label: '' }))).toEqual(['label: Label is required.']),
    );
    await proves('[OPR-042][OPR-043] an interval', async () => {
      expect(wrongOf(await put({ deviceId, interval: '' }))).toEqual(['interval: Interval is required']);
      expect(wrongOf(await put({ deviceId, interval: null }))).toEqual(['interval: Interval is required']);
    });
    await proves('[ERR-023] says what is wrong with one', async () =>
      expect(wrongOf(await put({ deviceId, interval: '5 min' }))).toEqual(['interval: Please enter a duration as hh:mm:ss.']),
    );
    await proves('[OPR-045] of at least 30 seconds', async () => {
      expect(wrongOf(await put({ deviceId, interval: '00:00:29' }))).toEqual(['interval: Must be at least 30 seconds.']);
      expect((await put({ deviceId, interval: '00:00:30' })).status).toBe(201);
    });
    await proves('[OPR-046] five minutes when none is sent', async () =>
      expect((await put({ deviceId })).body['interval']).toBe('00:05:00'),
    );
    await proves('[OPR-047] a frequency', async () =>
      expect(wrongOf(await put({ deviceId, frequencyTypeId: undefined })).map((w) => w.split(':')[0])).toEqual(['frequencyTypeId']),
    );
  });

  it('[OPR-048] runs only as its operation says', async () => {
    expect(wrongOf(await put({ deviceId: await device(), frequencyTypeId: 3 }))).toEqual([
      'frequencyTypeId: This operation runs OnDemand, Recurring only.',
    ]);
  });

  const refusalOf = async (parameters: unknown) => wrongOf(await put({ deviceId: await device(), parameters }));

  it('[OPR-049] needs the parameters that its operation requires', async () => {
    expect(await refusalOf([])).toEqual(['parameters: Path is required.']);
    expect(await refusalOf([{ Name: 'Path', Source: 1, Value: ' ' }])).toEqual(['parameters: Path is required.']);
  });

  it('[OPR-022] takes the parameters that its operation defines', async () => {
    expect(await refusalOf([{ Name: 'Path', Value: '/' }])).toEqual(['parameters: 0.Source is required.']);
    expect(await refusalOf([...path, { Name: 'Depth', Source: 1, Value: '1' }])).toEqual([
      'parameters: The operation has no parameter Depth.',
    ]);
    expect(await refusalOf([{ ...path[0], Source: 2 }])).toEqual(['parameters: The source of Path is PortalEntry.']);
    expect(await refusalOf([...path, ...path])).toEqual(['parameters: The parameter Path is given twice.']);
  });

  it('takes secured values as pairs of a placeholder and a lookup key', async () => {
    const deviceId = await device();
    const secured = (...Value: object[]) => put({ deviceId, parameters: [...path, { Name: 'Token', Source: 3, Value }] });
    await proves('[OPR-050] needs a placeholder', async () =>
      expect(wrongOf(await secured({ PlaceholderKey: '', LookupKey: 'db' }))).toEqual(['parameters: Placeholder is required.']),
    );
    await proves('[OPR-051] needs a lookup key', async () =>
      expect(wrongOf(await secured({ PlaceholderKey: '{Token}' }))).toEqual(['parameters: Lookup key is required.']),
    );
    const asText = async (Value: string) => wrongOf(await put({ deviceId, parameters: [...path, { Name: 'Token', Source: 3, Value }] }));
    expect(await asText('[{"PlaceholderKey":"","LookupKey":"db"}]')).toEqual(['parameters: Placeholder is required.']);
    expect(await asText('[{"placeholder":"x","LookupKey":"db"}]')).toEqual(['parameters: Placeholder is required.']);
    expect(await asText('[{"PlaceholderKey":"{Token}","LookupKey":" "}]')).toEqual(['parameters: Lookup key is required.']);
    const answer = await secured({ PlaceholderKey: '{Token}', LookupKey: 'db' });
    await proves('[OPR-028] answers the pairs', () =>
      expect((answer.body['parameters'] as object[])[1]).toEqual({
        Name: 'Token',
        Source: 3,
        Value: [{ PlaceholderKey: '{Token}', LookupKey: 'db' }],
      }),
    );
  });

  it('fits the operating system of the device, and its tenant', async () => {
    expect(wrongOf(await put({ deviceId: await device({ operatingSystemId: 1 }) }))).toEqual([
      "operationId: The operation's package does not run on the operating system of the device.",
    ]);
    const foreign = await makePackage(world, { tenantId: theirs.tenantId });
    expect(wrongOf(await put({ deviceId: await device(), operationId: foreign.operationId }))).toEqual([
      'operationId: Operation was not found.',
    ]);
    const { operationId } = await makePackage(world, { tenantId: null });
    expect(wrongOf(await put({ deviceId: await device({}, theirs), operationId, parameters: [] }))).toEqual([
      'deviceId: Device was not found.',
    ]);
  });
});

describe('changes', () => {
  it('updates and disables', async () => {
    const url = `/v1/deviceOperations/${idOf(await operation())}`;
    await proves('[API-119][OPR-035] changes the label and enables', async () =>
      expect((await world.call(me, 'POST', url, { enabled: true, label: 'Root disk' })).body).toMatchObject({
        enabled: true,
        label: 'Root disk',
      }),
    );
    await proves('[OPR-036] disables', async () =>
      expect((await world.call(me, 'POST', url, { enabled: false })).body['enabled']).toBe(false),
    );
    expect(wrongOf(await world.call(me, 'POST', url, { interval: '00:00:10' }))).toEqual(['interval: Must be at least 30 seconds.']);
    expect(wrongOf(await world.call(me, 'POST', url, { parameters: [] }))).toEqual(['parameters: Path is required.']);
    const token = { op: 'replace', path: '/completionToken', value: crypto.randomUUID() };
    expect(wrongOf(await world.call(me, 'PATCH', url, [token]))).toEqual(['completionToken: Completion token cannot be set.']);
  });

  it('[API-120] [OPR-040] marks a deleted one', async () => {
    const row = await operation();
    expect((await world.call(me, 'DELETE', `/v1/deviceOperations/${idOf(row)}`)).status).toBe(204);
    const [remaining] = await world.system.db.query({
      text: 'select is_deleted from device_operation where device_operation_id = $1',
      values: [idOf(row)],
    });
    expect(remaining).toEqual({ is_deleted: true });
  });

  it('lists those of a device with operation and package, by label', async () => {
    const deviceId = await device();
    for (const [label, enabled] of [
      ['c', true],
      ['a', true],
      ['b', false],
    ] as const)
      await put({ deviceId, label, enabled });
    const list = (filter: string, rest = '') =>
      world.call(me, 'GET', `/v1/deviceOperations?$filter=${encodeURIComponent(`deviceId eq ${deviceId} and ${filter}`)}${rest}`);
    const shown = await list('isDeleted eq false and enabled eq true', '&$expand=operation($expand=package)&$count=true&$orderby=label');
    await proves('[API-113] counts them', () => expect(shown.body['@odata.count']).toBe(2));
    await proves('[API-111][API-114] the enabled ones by label', () =>
      expect(shown.body.value?.map((row) => row['label'])).toEqual(['a', 'c']),
    );
    await proves('[API-112] with operation and package', () =>
      expect(shown.body.value?.[0]).toMatchObject({ operation: { name: 'Measure', package: { name: 'Checks' } } }),
    );
    await proves('[API-110] all that are not deleted', async () =>
      expect((await list('isDeleted eq false')).body.value?.map((o) => o['label'])).toEqual(['a', 'b', 'c']),
    );
  });

  it('follows the name of its package', async () => {
    const ofTenant = await makePackage(world, { tenantId: mine.tenantId });
    const row = await operation({ operationId: ofTenant.operationId, parameters: [] });
    await world.call(me, 'POST', `/v1/packages/${ofTenant.packageId}`, { name: 'Renamed', packageTypeId: 2 });
    const { body } = await world.call(me, 'GET', `/v1/deviceOperations(${idOf(row)})`);
    expect(body).toMatchObject({
      packageName: 'Renamed',
      packageType: 'Command',
      packageExecutableType: 'Script',
      operationType: 'Metric',
    });
  });
});

describe('runs on demand', () => {
  const call = (row: Record<string, unknown>, name: string, method: string, caller = me) =>
    world.call(caller, method, `/v1/deviceOperations/${idOf(row)}/${name}`, method === 'POST' ? {} : undefined);

  it('are queued and taken back, by GET and by POST, once', async () => {
    for (const method of ['GET', 'POST']) {
      const row = await operation({ frequencyTypeId: 1, enabled: true });
      const queued = await call(row, 'enqueueOnDemand', method);
      await proves('[API-116][OPR-033] queues', () => expect(queued.status).toBe(200));
      await proves('[OPR-032] has a token while it is queued', () =>
        expect([queued.body['operationComplete'], typeof queued.body['completionToken']]).toEqual([false, 'string']),
      );
      expect((await call(row, 'EnqueueOnDemand', method)).body['completionToken']).toBe(queued.body['completionToken']);
      const dequeued = await call(row, 'dequeueOnDemand', method);
      await proves('[API-117][OPR-034] takes back', () => expect([dequeued.status, dequeued.body['completionToken']]).toEqual([200, null]));
      expect((await call(row, 'dequeueOnDemand', method)).status).toBe(200);
      const audits = await world.system.db.query({
        text: "select 1 from audit where entity = 'deviceOperations' and entity_id = $1 and verb = 'update'",
        values: [idOf(row)],
      });
      expect(audits).toHaveLength(2);
    }
  });

  it('[API-115] leave entries in the log of the operation', async () => {
    const row = await operation({ frequencyTypeId: 1, enabled: true });
    await call(row, 'enqueueOnDemand', 'POST');
    const logs = await world.call(me, 'GET', `/v1/deviceOperations/${idOf(row)}/logs?$select=logEntryId,created,entryType,detail`);
    expect(logs.body.value).toMatchObject([{ entryType: 'Information', detail: 'A run was requested.' }]);
    expect(logs.body.value?.[0]).toHaveProperty('logEntryId');
    expect((await world.call(otherTenantCaller, 'GET', `/v1/deviceOperations/${idOf(row)}/logs`)).status).toBe(404);
    expect(
      (await world.call(holder([mine.tenantId], ['CloudFit.CFS.Packages:view']), 'GET', `/v1/deviceOperations/${idOf(row)}/logs`)).status,
    ).toBe(403);
    expect((await world.call(me, 'GET', '/v1/deviceOperations/x/logs')).status).toBe(400);
  });

  it('[OPR-009] are for enabled operations on demand alone', async () => {
    const recurring = await operation({ enabled: true });
    for (const [requirement, name] of [
      ['[ERR-026] says why it is not queued', 'enqueueOnDemand'],
      ['[ERR-027] says why it is not taken back', 'dequeueOnDemand'],
    ] as const)
      await proves(requirement, async () =>
        expect(wrongOf(await call(recurring, name, 'POST'))).toEqual([
          'frequencyTypeId: Only an operation that runs on demand can be queued.',
        ]),
      );
    const disabled = await operation({ frequencyTypeId: 1 });
    expect(wrongOf(await call(disabled, 'enqueueOnDemand', 'GET'))).toEqual([
      'enabled: The operation is disabled; enable it before you queue it.',
    ]);
  });

  it('are refused without the permission, across tenants, for a bad id, and by HEAD', async () => {
    const row = await operation({ frequencyTypeId: 1, enabled: true });
    for (const name of ['enqueueOnDemand', 'dequeueOnDemand']) {
      for (const method of ['GET', 'POST']) {
        expect((await call(row, name, method, viewer)).status).toBe(403);
        expect((await call(row, name, method, otherTenantCaller)).status).toBe(404);
        expect((await call({ deviceOperationId: 'x' }, name, method)).status).toBe(400);
      }
      expect((await call(row, name, 'HEAD')).status).toBe(405);
    }
    expect((await world.call(me, 'GET', `/v1/deviceOperations(${idOf(row)})`)).body['completionToken']).toBeNull();
  });
});

describe('clone', () => {
  const clone = (body: Record<string, unknown>, caller = me) => world.call(caller, 'POST', '/v1/deviceOperations/clone', body);

  it('[API-121] [API-122] copies a comma list of operations to another device', async () => {
    const fromDeviceId = await device();
    const toDeviceId = await device();
    const rows = [
      (await put({ deviceId: fromDeviceId, label: 'One', enabled: true })).body,
      (await put({ deviceId: fromDeviceId, label: 'Two' })).body,
    ];
    const answer = await clone({ fromDeviceId, toDeviceId, deviceOperationIdsToClone: rows.map(idOf).join(', ') });
    await proves('[API-123][OPR-061] says that they are cloned', () =>
      expect([answer.status, answer.body['message']]).toEqual([200, 'Device Operations Cloned Successfully.']),
    );
    const { body } = await world.call(me, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${toDeviceId}`);
    expect(body.value).toMatchObject([
      { label: 'One', enabled: true, parameters: path, completionToken: null },
      { label: 'Two', enabled: false },
    ]);
  });

  it('needs another device and at least one operation', async () => {
    const fromDeviceId = await device();
    const one = idOf((await put({ deviceId: fromDeviceId })).body);
    const toDeviceId = await device();
    const refused = async (body: Record<string, unknown>) =>
      wrongOf(await clone({ fromDeviceId, toDeviceId, deviceOperationIdsToClone: one, ...body }));
    await proves('[OPR-052] a target', async () => {
      expect(await refused({ toDeviceId: '' })).toEqual(['toDeviceId: A target device is required.']);
      expect(await refused({ toDeviceId: undefined })).toEqual(['toDeviceId: A target device is required.']);
    });
    await proves('[OPR-054] another one', async () =>
      expect(await refused({ toDeviceId: fromDeviceId })).toEqual(['toDeviceId: The target device must differ from the source device.']),
    );
    await proves('[OPR-053] an operation', async () =>
      expect(await refused({ deviceOperationIdsToClone: ' ,' })).toEqual([
        'deviceOperationIdsToClone: At least one operation is required.',
      ]),
    );
    await proves('[ERR-028] says that the target does not exist', async () =>
      expect(await refused({ toDeviceId: await device({}, theirs) })).toEqual(['toDeviceId: Device was not found.']),
    );
    expect(await refused({ toDeviceId: await device({ operatingSystemId: 1 }) })).toEqual([
      "deviceOperationIdsToClone: Disk: The operation's package does not run on the operating system of the device.",
    ]);
    expect(await refused({ fromDeviceId: await device() })).toEqual([
      'deviceOperationIdsToClone.0: Disk is not an operation of the source device.',
    ]);
  });

  it('is refused without the permission and across tenants, and copies nothing then', async () => {
    const fromDeviceId = await device();
    const ids = [idOf((await put({ deviceId: fromDeviceId })).body), crypto.randomUUID()];
    const toDeviceId = await device();
    const body = { fromDeviceId, toDeviceId, deviceOperationIdsToClone: ids.join(',') };
    expect((await clone(body, viewer)).status).toBe(403);
    expect((await clone({ ...body, toDeviceId: await device({}, theirs) }, otherTenantCaller)).status).toBe(404);
    expect((await clone(body)).status).toBe(404);
    expect((await world.call(me, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${toDeviceId}`)).body.value).toEqual([]);
  });
});
