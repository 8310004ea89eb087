/** Blocks: their entities, values, history, log, colours, and the heartbeat block of each device. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { blockColors, builtInAction } from '@cloudfit/contract/enums.ts';
import { rawRoutes } from '../../http/raw-calls.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { unusedWatch } from '../../testing/unused-watch.ts';

let world: TestWorld;
let ingest: Ingest;
let automation: Automation;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let agent: TestCaller;

beforeAll(async () => {
  const unused = (): never => {
    throw new Error('Not called here.');
  };
  const parts = {
    ingest: (ctx, body, contentType) => ingest.ingestBody(ctx, body, contentType),
    watch: unusedWatch,
    stream: unused,
  } satisfies Partial<Parameters<typeof rawRoutes>[0]>;
  // The test calls none of the other parts, which handle files.
  const raw = rawRoutes(parts as unknown as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw });
  ingest = await openIngest({ database: world.database, log: pino({ level: 'silent' }) });
  automation = await startAutomation(world);
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
  agent = { ...holder([home.tenantId], []), actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } };
});
afterAll(async () => {
  await automation.stop();
  await ingest.stop();
  await world.close();
});

const make = (body: Record<string, unknown> = {}): Promise<WorldReply> =>
  world.call(me, 'PUT', '/v1/blocks', { name: 'Queue length', blockTypeId: 1, ...home, ...body });
const post = (id: unknown, value: unknown, caller = agent): Promise<WorldReply> =>
  world.call(caller, 'POST', `/v1/blocks/${String(id)}/value`, { value });
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;

describe('blocks', () => {
  it('[BLK-010] [API-078] are created with their fields, grey at first', async () => {
    const created = await make();
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: 'Queue length',
      entityColor: { color: 'grey' },
      deviceId: null,
      entityId: created.body['blockId'],
    });
  });

  it('[BLK-016] have one of the colours of the specification', async () => {
    for (const color of blockColors) expect((await make({ entityColor: { color } })).status).toBe(201);
    expect(details(await make({ entityColor: { color: 'pink' } }))).toMatchObject([{ target: 'entityColor' }]);
  });

  it('[BLK-011] have an id of the server or of a person', async () => {
    expect(String((await make()).body['blockId'])).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const v5 = uuidV5(home.tenantId, 'a block');
    expect((await make({ blockId: v5.toUpperCase() })).body['blockId']).toBe(v5);
    const [row] = (await world.call(me, 'GET', `/v1/blocks?$filter=blockId eq ${v5}&$expand=tenant,subscription`)).body.value ?? [];
    expect(row).toMatchObject({ tenant: { tenantId: home.tenantId }, subscription: { name: 'Default' } });
  });

  it('[BLK-018] [BLK-019] take ids of versions 4 and 5 only', async () => {
    for (const blockId of [home.tenantId, 'x', '', null])
      expect(details(await make({ blockId }))).toEqual([
        expect.objectContaining({ target: 'blockId', message: 'Please enter a valid v4 or v5 GUID' }),
      ]);
  });

  it.each([
    ['[BLK-017]', 'name', ''],
    ['[BLK-020]', 'blockTypeId', undefined],
    ['[BLK-021]', 'tenantId', undefined],
    ['[BLK-022]', 'subscriptionId', undefined],
  ])('%s need %s', async (_id, name, value) => {
    expect(details(await make({ [name]: value })).map((d) => d.target)).toEqual([name]);
  });

  it('are of a subscription of their tenant', async () => {
    expect(details(await make({ subscriptionId: other.subscriptionId }))).toMatchObject([{ target: 'subscriptionId' }]);
  });

  it('[BLK-014] [BLK-015] have one of the types that can be chosen, which a heartbeat is not', async () => {
    expect(details(await make({ blockTypeId: 8 }))).toMatchObject([{ target: 'blockTypeId', message: /heartbeat/ }]);
    expect((await make({ blockTypeId: 2 })).status).toBe(201);
    expect(details(await make({ blockTypeId: 3 }))).toMatchObject([{ target: 'blockTypeId' }]);
  });

  it('are listed by name, renamed and deleted', async () => {
    const freshTenant = await world.tenant();
    const us = holder([freshTenant.tenantId]);
    for (const name of ['b', 'c', 'a']) await world.call(us, 'PUT', '/v1/blocks', { name, blockTypeId: 1, ...freshTenant });
    const names = async (filter: string) =>
      (await world.call(us, 'GET', `/v1/blocks?$filter=${encodeURIComponent(filter)}`)).body.value?.map((row) => row['name']);
    await proves('[API-075] [API-077] filtered by subscription, sorted by name', async () =>
      expect(await names(`subscriptionId eq ${freshTenant.subscriptionId}`)).toEqual(['a', 'b', 'c']),
    );
    await proves('[API-076] filtered by tenant', async () =>
      expect(await names(`subscription/tenantId eq ${freshTenant.tenantId}`)).toEqual(['a', 'b', 'c']),
    );
    const [first] = (await world.call(us, 'GET', '/v1/blocks')).body.value ?? [];
    const url = `/v1/blocks/${String(first?.['blockId'])}`;
    const renamed = await world.call(us, 'POST', url, { name: 'z', description: 'Last of all' });
    await proves('[API-079] renamed', () => expect(renamed.body).toMatchObject({ name: 'z', description: 'Last of all' }));
    expect(details(await world.call(us, 'POST', url, { blockTypeId: 2 }))).toMatchObject([{ target: 'blockTypeId' }]);
    await proves('[API-080] deleted', async () => {
      expect((await world.call(us, 'DELETE', url)).status).toBe(204);
      expect(await names(`subscriptionId eq ${freshTenant.subscriptionId}`)).toEqual(['b', 'c']);
    });
  });
});

describe('values of a block', () => {
  it('go into packets and history', async () => {
    const { blockId } = (await make()).body;
    for (const value of [1, 2, 42]) expect((await post(blockId, value)).body).toMatchObject({ entityId: blockId, status: 'stored' });
    const packets = await world.call(me, 'GET', `/v1/packets?$filter=entityId in (${String(blockId)},${crypto.randomUUID()})`);
    await proves('[API-083] [API-084] lists the packets of these entities', () => expect(packets.body.value).toBeInstanceOf(Array));
    await proves('[BLK-001] the latest packet of each', () => expect(packets.body.value).toHaveLength(1));
    await proves('[API-085] [PKT-004] the fields of a packet', () =>
      expect(packets.body.value?.[0]).toMatchObject({
        entityId: blockId,
        message: { Value: 42 },
        timestamp: expect.stringMatching(/Z$/),
      }),
    );
    const history = async (query: string) => world.call(me, 'GET', `/v1/blocks/${String(blockId)}/history${query}`);
    const page = (await history('?pageNumber=0&rowCount=2')).body as unknown as { historyItems: Record<string, unknown>[] };
    await proves('[API-081] a page and the total', () =>
      expect(page).toMatchObject({ totalCount: 3, historyItems: [{ value: 42 }, { value: 2 }] }),
    );
    await proves('[BLK-012] the fields of an item', () =>
      expect(Object.keys(page.historyItems[0] ?? {}).toSorted()).toEqual(['message', 'receivedTimestamp', 'timestamp', 'value']),
    );
    expect(page.historyItems[0]).toMatchObject({ message: { Value: 42 } });
    expect((await history('?pageNumber=1&rowCount=2')).body).toMatchObject({ totalCount: 3, historyItems: [{ value: 1 }] });
    expect((await history('')).body['historyItems']).toHaveLength(3);
    expect((await history('?rowCount=0')).status).toBe(400);
    expect((await history('?pageNumber=-1')).status).toBe(400);
  });

  it('are taken by type, from a token that may ingest, for blocks of its tenant that are fed', async () => {
    const { blockId } = (await make()).body;
    expect(details(await post(blockId, 'many'))).toMatchObject([
      { target: 'value', message: 'A numeric block takes a number as its Value.' },
    ]);
    expect(details(await post(blockId, undefined))).toMatchObject([{ target: 'value' }]);
    const small = (await make({ blockTypeId: 2 })).body['blockId'];
    expect((await post(small, 'all good')).status).toBe(200);
    expect((await post(small, 'x'.repeat(200))).status).toBe(200);
    expect((await post(small, 'x'.repeat(201))).status).toBe(400);
    expect((await post(blockId, 1, me)).status).toBe(403);
    expect((await post(crypto.randomUUID(), 1)).status).toBe(404);
    expect((await post(blockId, 1, { ...agent, tenants: [other.tenantId] })).status).toBe(404);
    const device = (await world.call(me, 'PUT', '/v1/devices', { name: 'web-9', ...home })).body;
    expect((await post(device['deviceId'], 1)).status).toBe(404);
    expect(details(await post(uuidV5(String(device['deviceId']), 'heartbeat'), 1))).toMatchObject([
      { target: 'id', message: 'This block shows what its device reports. Send packets of the device to /v1/packets.' },
    ]);
  });

  it('do not come back with a block that is created again under the same id', async () => {
    const { blockId } = (await make()).body;
    await post(blockId, 7);
    await world.call(me, 'DELETE', `/v1/blocks/${String(blockId)}`);
    const theirs = holder([other.tenantId]);
    const again = await world.call(theirs, 'PUT', '/v1/blocks', { blockId, name: 'Theirs', blockTypeId: 1, ...other });
    expect(again.status).toBe(201);
    expect((await world.call(theirs, 'GET', `/v1/blocks/${String(blockId)}/history`)).body).toMatchObject({ totalCount: 0 });
    expect((await world.call(holder('all'), 'GET', `/v1/packets?$filter=entityId eq ${String(blockId)}`)).body.value).toEqual([]);
    await until(async () => (await post(blockId, 8, { ...agent, tenants: [other.tenantId] })).status === 200);
  });
});

describe('history and log of a block', () => {
  it('[BLK-013] [API-082] the log says what happened to it', async () => {
    const { blockId } = (await make()).body;
    await world.call(me, 'POST', `/v1/blocks/${String(blockId)}`, { entityColor: { color: 'red' } });
    const { logs } = (await world.call(me, 'GET', `/v1/blocks/${String(blockId)}/logs`)).body as unknown as {
      logs: Record<string, unknown>[];
    };
    expect(logs.map((entry) => entry['detail'])).toEqual(['Color set to red.', 'Block created.']);
    expect(Object.keys(logs[0] ?? {}).toSorted()).toEqual(['created', 'detail', 'logEntryId']);
  });

  it('are for those who may view blocks of its tenant', async () => {
    const { blockId } = (await make()).body;
    for (const part of ['history', 'logs']) {
      const url = `/v1/blocks/${String(blockId)}/${part}`;
      expect((await world.call(holder([home.tenantId], ['CloudFit.CFS.Packets:view']), 'GET', url)).status).toBe(403);
      expect((await world.call(holder([other.tenantId]), 'GET', url)).status).toBe(404);
      expect((await world.call(me, 'GET', `/v1/blocks/x/${part}`)).status).toBe(400);
    }
  });
});

describe('the heartbeat block of a device', () => {
  const blockOf = async (deviceId: unknown) =>
    (await world.call(holder('all'), 'GET', `/v1/blocks?$filter=deviceId eq ${String(deviceId)}`)).body.value?.[0];

  it('[BLK-014] comes with it, whatever its person may do to blocks, moves and goes with it', async () => {
    const devices = ['create', 'edit', 'view', 'delete'].map((verb) => `CloudFit.CFS.Devices:${verb}`);
    const technician = holder([home.tenantId, other.tenantId], [...devices, 'CloudFit.CFS.Subscriptions:view']);
    const device = (await world.call(technician, 'PUT', '/v1/devices', { name: 'web-1', ...home })).body;
    const url = `/v1/devices/${String(device['deviceId'])}`;
    const block = await blockOf(device['deviceId']);
    expect(block).toMatchObject({
      blockId: uuidV5(String(device['deviceId']), 'heartbeat'),
      entityId: device['deviceId'],
      blockTypeId: 8,
      name: 'web-1',
      tenantId: home.tenantId,
    });
    await world.call(technician, 'POST', url, { name: 'web-2' });
    expect(await blockOf(device['deviceId'])).toMatchObject({ name: 'web-2' });
    await world.call(me, 'POST', `/v1/blocks/${String(block?.['blockId'])}`, { name: 'The web server' });
    expect((await world.call(technician, 'POST', url, { name: 'web-3', ...other })).status).toBe(200);
    expect(await blockOf(device['deviceId'])).toMatchObject({ name: 'The web server', ...other });
    expect((await world.call(holder('all'), 'DELETE', `/v1/blocks/${String(block?.['blockId'])}`)).status).toBe(409);
    expect((await world.call(technician, 'DELETE', url)).status).toBe(204);
    expect(await blockOf(device['deviceId'])).toBeUndefined();
    const audits = await world.system.db.query<{ verb: string }>({
      text: "select verb from audit where entity = 'blocks' and entity_id = $1 order by audit_id",
      values: [block?.['blockId']],
    });
    expect(audits.map((row) => row.verb)).toEqual(['create', 'update', 'update', 'move', 'move', 'delete']);
  });

  it('[PKT-005] shows the packets of its device', async () => {
    const device = (await world.call(me, 'PUT', '/v1/devices', { name: 'web-4', ...home })).body;
    const message = { Properties: { Rack: 'A1' }, Metrics: { Cpu: 5 }, States: { Disk: true }, Diagnostics: { Agent: ['x'] } };
    await ingest.ingestBody(world.ctx(agent), { entityId: device['deviceId'], message }, 'application/json');
    const block = await blockOf(device['deviceId']);
    const [row] =
      (await world.call(me, 'GET', `/v1/blocks?$filter=blockId eq ${String(block?.['blockId'])}&$expand=packet`)).body.value ?? [];
    expect(row).toMatchObject({ packet: { entityId: device['deviceId'], message } });
    expect((await world.call(me, 'GET', `/v1/blocks/${String(block?.['blockId'])}/history`)).body).toMatchObject({
      totalCount: 1,
      historyItems: [{ value: null }],
    });
  });
});

describe('the action set color', () => {
  const run = async (parameters: Record<string, unknown>) => {
    const { body } = await world.call(me, 'POST', `/v1/actionDefinitions/${builtInAction.setColor}/test`, parameters);
    return automation.outcome(body['id']);
  };

  it('colours the block that it names, in its own tenant', async () => {
    const { blockId } = (await make()).body;
    await proves('[ACT-033] sets the colour', async () => {
      expect(await run({ Color: 'yellow', BlockId: blockId })).toMatchObject({ result_status_id: 1, result_detail: { color: 'yellow' } });
      expect((await world.call(me, 'GET', `/v1/blocks/${String(blockId)}`)).body).toMatchObject({ entityColor: { color: 'yellow' } });
    });
    await proves('[ACT-035] to one of the list', async () =>
      expect(await run({ Color: 'pink', BlockId: blockId })).toMatchObject({
        result_status_id: 2,
        result_detail: { error: /Color is one of/ },
      }),
    );
    const theirs = await world.call(holder([other.tenantId]), 'PUT', '/v1/blocks', { name: 'Theirs', blockTypeId: 1, ...other });
    expect(await run({ Color: 'red', BlockId: theirs.body['blockId'] })).toMatchObject({
      result_status_id: 2,
      result_detail: { error: 'The block was not found.' },
    });
    expect(await run({ Color: 'red' })).toMatchObject({ result_status_id: 2 });
  });

  it('[ACT-033] colours the block that a rule matched', async () => {
    const { blockId } = (await make({ name: 'Hot block' })).body;
    const rule = await world.call(me, 'PUT', '/v1/rules', {
      name: 'Too long',
      ruleTypeId: 1,
      ...home,
      conditions: [
        { Type: 'And', LeftOperand: 50, Operator: 1, RightOperand: blockId },
        { Type: 'And', LeftOperand: 60, Operator: 3, RightOperand: '100' },
      ],
      matchActions: [{ ActionDefinitionId: builtInAction.setColor, Parameters: { Color: 'red' } }],
    });
    expect([rule.status, rule.body['error']]).toEqual([201, undefined]);
    await until(() => ingest.rules.ingestion().get(String(rule.body['ruleId'])));
    expect((await post(blockId, 101)).status).toBe(200);
    await until(async () => {
      const { body } = await world.call(me, 'GET', `/v1/blocks/${String(blockId)}`);
      return (body['entityColor'] as { color: string }).color === 'red';
    });
    const { logs } = (await world.call(me, 'GET', `/v1/blocks/${String(blockId)}/logs`)).body as unknown as { logs: { detail: string }[] };
    expect(logs[0]?.detail).toBe('Color set to red.');
  });
});
