/** The addresses of sources: who may send, what becomes of unknown names, and what a source counts. */
import { sourceKinds } from '@cloudfit/contract/sources/kinds.ts';
import { samplePayload } from '@cloudfit/contract/sources/samples.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  home = await world.tenant('Northwind');
  other = await world.tenant('Southwind');
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

interface CreatedSource {
  id: string;
  token: string;
}

const create = (more: object = {}, caller: TestCaller = me): Promise<WorldReply> =>
  world.call(caller, 'PUT', '/v1/sources', { name: `Source ${crypto.randomUUID().slice(0, 4)}`, kind: 'Webhook', ...home, ...more });
async function source(more: object = {}): Promise<CreatedSource> {
  const { status, body } = await create(more);
  expect([status, body['error']]).toEqual([201, undefined]);
  return { id: String(body['sourceId']), token: String(body['generatedToken']) };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const send = (
  { id, token }: CreatedSource,
  body: unknown,
  path = '',
  headers: Record<string, string> = bearer(token),
): Promise<WorldReply> => world.call(null, 'POST', `/v1/intake/${id}${path}`, body, headers);
const errorOf = ({ status, body }: WorldReply): [number, string] => [
  status,
  (body['error'] as { message: string } | undefined)?.message ?? '',
];
const wrongOf = ({ body }: WorldReply) =>
  ((body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map(
    ({ target, message }) => `${target}: ${message}`,
  );
const row = async ({ id }: CreatedSource) => {
  await world.intake?.counts.flush();
  return (await world.call(me, 'GET', `/v1/sources(${id})`)).body;
};
const devices = async (name: string) =>
  (await world.call(holder([home.tenantId, other.tenantId]), 'GET', `/v1/devices?$filter=name eq '${name}'&$expand=packet`)).body.value ??
  [];

describe('the token', () => {
  it('is taken as bearer, as password, in the address and from InfluxDB, and nowhere shown again', async () => {
    const created = await source();
    const body = { device: 'web-1', load: 0.5 };
    const ways: [string, Record<string, string>][] = [
      ['', bearer(created.token)],
      ['', { authorization: `Token ${created.token}` }],
      ['', { authorization: `Basic ${Buffer.from(`x:${created.token}`).toString('base64')}` }],
      [`/${created.token}`, {}],
      [`/${created.token}/api/v2/write`, {}],
    ];
    for (const [path, headers] of ways) expect([path, (await send(created, body, path, headers)).status]).toEqual([path, 200]);
    expect(JSON.stringify(await row(created))).not.toContain(created.token);
    const audits = await world.system.db.query<{ text: string }>({
      text: 'select after::text as text from audit where entity_id = $1',
      values: [created.id],
    });
    expect(audits).toHaveLength(1);
    expect(audits[0]?.text).not.toContain(created.token.slice(5, 40));
  });

  it('belongs to its source, and says so when it does not', async () => {
    const [one, two] = [await source(), await source()];
    const body = { device: 'web-1', load: 0.5 };
    const apart = 'This address and token do not belong together. Copy both from the page Sources.';
    expect(errorOf(await send({ ...one, token: two.token }, body))).toEqual([401, apart]);
    expect(errorOf(await send({ id: crypto.randomUUID(), token: two.token }, body))).toEqual([401, apart]);
    expect(errorOf(await send({ id: 'x', token: two.token }, body))).toEqual([401, apart]);
    expect(errorOf(await send(one, body, '', {}))[0]).toBe(401);
    expect(errorOf(await send({ ...one, token: one.token.slice(0, -1) }, body))[1]).toContain('not a complete token');
  });

  it('dies at once when a new one is created, and when the source is disabled', async () => {
    const created = await source();
    const body = { device: 'web-1', load: 0.5 };
    expect((await send(created, body)).status).toBe(200);
    const renewed = await world.call(me, 'PUT', `/v1/sources/${created.id}/token`);
    await expect.poll(async () => (await send(created, body)).status).toBe(401);
    const next = { id: created.id, token: String(renewed.body['generatedToken']) };
    expect((await send(next, body)).status).toBe(200);
    await world.call(me, 'POST', `/v1/sources/${created.id}`, { enabled: false });
    await expect
      .poll(async () => errorOf(await send(next, body)))
      .toEqual([403, 'This source is disabled. Enable it on the page Sources.']);
    expect(
      (await world.call(holder([home.tenantId], ['CloudFit.CFS.Sources:view']), 'PUT', `/v1/sources/${created.id}/token`)).status,
    ).toBe(403);
    expect((await world.call(holder([other.tenantId]), 'PUT', `/v1/sources/${created.id}/token`)).status).toBe(404);
    expect((await world.call(null, 'PUT', `/v1/sources/${created.id}/token`)).status).toBe(401);
  });
});

describe('a source', () => {
  it('gives nobody what they may not do', async () => {
    const may = (...verbs: string[]) =>
      holder(
        [home.tenantId],
        ['Sources:create', 'Sources:view', ...verbs].map((verb) => `CloudFit.CFS.${verb}`),
      );
    expect(wrongOf(await create({}, may('Packets:create')))).toEqual([
      'unknownEntities: You cannot give permissions that you do not hold: CloudFit.CFS.Devices:create.',
    ]);
    expect(wrongOf(await create({ kind: 'Alertmanager' }, may('Packets:create', 'Blocks:create')))).toEqual([
      'opensUnits: You cannot give permissions that you do not hold: CloudFit.CFS.Rules:create.',
    ]);
    expect((await create({ unknownEntities: 'Refuse' }, may('Packets:create'))).status).toBe(201);
    expect((await create({ unknownEntities: 'Refuse' }, may())).status).toBe(400);
  });

  it('refuses templates and mappings that are wrong, and says what is', async () => {
    expect(wrongOf(await create({ deviceName: '{host', mapping: 'Metrics.Load = {load}\nTemp = {t}' }))).toEqual([
      'deviceName: A { has no } behind it.',
      'mapping: Line 2: Temp is no place in a packet; there are Items, Time, Id, Value, Metrics.x, States.x or Properties.x.',
    ]);
    for (const line of ['Time = data.time', 'Id = id', 'Metrics.Load = load']) {
      const written = line.split(' = ')[1] ?? '';
      expect(wrongOf(await create({ mapping: line }))).toEqual([
        `mapping: Line 1: ${written} is no name in braces. Write {${written}} for the value at that path.`,
      ]);
    }
    expect((await create({ mapping: 'Metrics.Up = 1\nStates.Site = north\nValue = up' })).status).toBe(201);
    expect(wrongOf(await create({ blockName: '{host}', unknownEntities: 'Wait' }))).toEqual([
      'unknownEntities: Only devices wait to be promoted. Blocks are made at once, or refused.',
    ]);
  });
});

describe('a JSON webhook', () => {
  it('reads names that have dots in them, beside those of objects', async () => {
    const created = await source({
      deviceName: '{host.name}',
      mapping: 'Metrics.{plugin}.{instance|type}.{names.0} = {values.0}\nMetrics.cpu = {system.cpu.pct}',
    });
    const sent = {
      'host.name': 'dots-1',
      plugin: 'load',
      instance: '',
      type: 'x',
      names: ['short'],
      values: [2],
      system: { 'cpu.pct': 5 },
    };
    expect((await send(created, sent)).body).toMatchObject({ stored: 1 });
    const [device] = await devices('dots-1');
    expect(device?.['packet']).toMatchObject({ message: { Metrics: { 'load.x.short': 2, cpu: 5 } } });
  });

  it('places numbers, states and texts by their names', async () => {
    const created = await source();
    expect((await send(created, { device: 'press-1', load: 0.5, status: 'ok', site: { name: 'North', floor: 2 }, on: true })).body).toEqual(
      {
        stored: 1,
        duplicate: 0,
        refused: 0,
      },
    );
    const [device] = await devices('press-1');
    expect(device?.['packet']).toMatchObject({
      message: {
        Metrics: { load: 0.5, 'site.floor': 2 },
        States: { status: 'ok' },
        Properties: { device: 'press-1', 'site.name': 'North', on: true },
      },
    });
  });

  it('reads one value in each line, and a body with a byte order mark, and says why another is not read', async () => {
    const { id, token } = await source({});
    const send = (body: string, type = 'application/json') =>
      world.call(null, 'POST', `/v1/intake/${id}`, body, { authorization: `Bearer ${token}`, 'content-type': type });
    expect((await send('{"device":"nd-1","v":1}\n\n{"device":"nd-2","v":2}\n7\n', 'application/x-ndjson')).body).toMatchObject({
      stored: 2,
      refused: 1,
    });
    expect((await send('{"device":"nd-1","v":1}\r\n{"device":"nd-2","v":2}\n')).body).toMatchObject({ stored: 2 });
    expect((await send('[{"device":"nd-1","v":1},\n{"device":"nd-2","v":2}]')).body).toMatchObject({ stored: 2 });
    expect((await send('\uFEFF{"device":"nd-1","v":3}')).status).toBe(200);
    for (const [body, why] of [
      ['', 'The body is empty.'],
      ['{"device":"a",}', 'The body is not valid JSON: Expected double-quoted property name'],
      ['{"device":"a","__proto__":{}}', 'must not be named __proto__'],
    ] as const)
      expect((await send(body)).text, body).toContain(why);
  });

  it('follows a mapping: items, time, id, and names from the body', async () => {
    const created = await source({
      deviceName: '{site}-{sensor:lower}',
      mapping: '# of the plant\nItems = {readings}\nTime = {at}\nId = {id}\nMetrics.{what} = {value}\nStates.Door = {door}',
    });
    const at = Date.now() - 3_600_000;
    const body = {
      readings: [
        { site: 'n', sensor: 'T1', at, id: 1, what: 'Temperature', value: '21.5' },
        { site: 'n', sensor: 'T1', at, id: 1, what: 'Temperature', value: '21.5' },
        { site: 'n', sensor: 'T2', at, what: 'Temperature', value: 'warm' },
        { site: 'n', sensor: 'T2', at: 'noon', what: 'Temperature', value: 1 },
        { sensor: 'T2' },
        { site: 'n', sensor: 'T3' },
        7,
      ],
    };
    const { status, body: answer } = await send(created, body);
    expect([status, answer]).toEqual([
      200,
      {
        stored: 1,
        duplicate: 1,
        refused: 5,
        reasons: [
          { code: 'InvalidMetric', message: 'Metrics.Temperature is "warm", which is no number.' },
          { code: 'InvalidTimestamp', message: 'noon is no time.' },
          { code: 'NoName', message: 'There is no value for site, sensor, by which the source names the device.' },
          { code: 'NothingMapped', message: 'It has none of the values that the mapping of the source names.' },
          { code: 'InvalidItem', message: 'Item 7 is no object. Name the list of objects by a line Items = path.' },
        ],
      },
    ]);
    const packets = await world.system.db.query<{ timestamp: string; message: object }>({
      text: 'select p.timestamp, p.message from latest_packet p join device d on d.device_id = p.entity_id where d.name = $1',
      values: ['n-t1'],
    });
    expect(packets.map(({ timestamp, message }) => [Date.parse(timestamp), message])).toEqual([[at, { Metrics: { Temperature: 21.5 } }]]);
    expect(errorOf(await send(created, { other: [] }))).toEqual([
      400,
      'There is no list at readings, which the mapping of the source names by Items.',
    ]);
  });

  it('gives packets the time of their receipt when the source says so', async () => {
    const created = await source({ clock: 'Received', mapping: 'Time = {at}\nMetrics.X = {x}' });
    expect((await send(created, { device: 'late-1', at: '2001-01-01T00:00:00Z', x: 1 })).body).toMatchObject({ stored: 1 });
    const sent = await source({ mapping: 'Time = {at}\nMetrics.X = {x}' });
    expect(errorOf(await send(sent, { device: 'late-1', at: '2001-01-01T00:00:00Z', x: 1 }))).toEqual([
      400,
      'timestamp is more than 7 days old.',
    ]);
  });
});

describe('names that are not known', () => {
  const body = (device: string) => ({ device, load: 1 });

  it('are refused, if the source says so; those that are known are not', async () => {
    const created = await source({ unknownEntities: 'Refuse' });
    await world.call(me, 'PUT', '/v1/devices', { name: 'known-1', ...home });
    expect((await send(created, [body('known-1'), body('new-1')])).body).toMatchObject({
      stored: 1,
      refused: 1,
      reasons: [{ code: 'UnknownName', message: 'No device of the subscription is named new-1.' }],
    });
    expect(await devices('new-1')).toEqual([]);
  });

  it('wait as pending devices, and report as soon as somebody has promoted them', async () => {
    const created = await source({ unknownEntities: 'Wait' });
    for (const state of ['new and waits', 'waits'])
      expect(errorOf(await send(created, body('wait-1')))).toEqual([
        400,
        `wait-1 is ${state} under Pending Devices. Promote it there.`.replace('is waits', 'waits'),
      ]);
    const pending = (await world.call(me, 'GET', `/v1/pendingdevices?$filter=machineName eq 'wait-1'`)).body.value ?? [];
    expect(pending).toHaveLength(1);
    const promoted = await world.call(me, 'POST', `/v1/pendingdevices/batchpromote?subscriptionId=${home.subscriptionId}`, [
      pending[0]?.['pendingDeviceId'],
    ]);
    expect(promoted.status).toBe(200);
    const [device] = await devices('wait-1');
    await world.call(me, 'POST', `/v1/devices/${String(device?.['deviceId'])}`, { name: 'renamed-1' });
    expect((await send(created, body('wait-1'))).body).toMatchObject({ stored: 1 });
    const [renamed] = await devices('renamed-1');
    expect(renamed?.['packet']).toBeTruthy();
  });

  it('are made once by two requests at a time, up to the cap', async () => {
    const created = await source({ entityCap: 2 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(created, [body('cap-1'), body('cap-2'), body('cap-3')])));
    for (const { body: answer } of answers)
      expect(answer).toMatchObject({
        stored: 2,
        refused: 1,
        reasons: [{ code: 'CapReached', message: expect.stringContaining('made 2 devices and blocks') }],
      });
    expect(await Promise.all(['cap-1', 'cap-2', 'cap-3'].map(async (name) => (await devices(name)).length))).toEqual([1, 1, 0]);
    expect(await row(created)).toMatchObject({ entitiesMade: 2, packetsStored: 8, packetsRefused: 4 });
    await world.call(me, 'POST', `/v1/sources/${created.id}`, { entityCap: 3 });
    expect((await send(created, body('cap-3'))).body).toMatchObject({ stored: 1 });
  });

  it('never are devices of another tenant, or of two of one name', async () => {
    await world.call(holder([other.tenantId]), 'PUT', '/v1/devices', { name: 'theirs-1', ...other });
    const created = await source({ unknownEntities: 'Refuse' });
    expect(errorOf(await send(created, body('theirs-1')))).toEqual([400, 'No device of the subscription is named theirs-1.']);
    for (let i = 0; i < 2; i++) await world.call(me, 'PUT', '/v1/devices', { name: 'twice-1', ...home });
    expect(errorOf(await send(created, body('twice-1')))).toEqual([
      400,
      'Several devices of the subscription are named twice-1. Give them names of their own.',
    ]);
  });

  it('come back when somebody has deleted what a source created', async () => {
    const created = await source();
    await send(created, body('back-1'));
    const [device] = await devices('back-1');
    await world.call(me, 'DELETE', `/v1/devices/${String(device?.['deviceId'])}`);
    await expect.poll(async () => (await send(created, body('back-1'))).body['stored'], { timeout: 15_000 }).toBe(1);
  });
});

describe('a payload on trial', () => {
  it.each(sourceKinds)('has a sample of %s, of which every item would be stored', async (kind) => {
    const created = await source({ kind, opensUnits: false });
    const tried = await world.call(me, 'POST', `/v1/sources/${created.id}/try`, { body: samplePayload(kind, Date.now()) });
    expect(tried.body.value?.length).toBeGreaterThan(0);
    for (const item of tried.body.value ?? [])
      expect(item).toMatchObject({ entity: { is: expect.stringMatching(/^(?:new|known)$/) }, message: expect.anything() });
    expect(tried.text).not.toContain('refusal');
  });

  it('says what it would become, and changes nothing', async () => {
    const created = await source({ mapping: 'Metrics.Load = {load}' });
    await world.call(me, 'PUT', '/v1/devices', { name: 'try-1', ...home });
    const body = JSON.stringify([{ device: 'try-1', load: 1 }, { device: 'try-2', load: 2 }, { load: 3 }]);
    const tried = await world.call(me, 'POST', `/v1/sources/${created.id}/try`, { body });
    expect([tried.status, tried.body]).toEqual([
      200,
      {
        value: [
          { entity: { kind: 'device', name: 'try-1', is: 'known' }, message: { Metrics: { Load: 1 } } },
          { entity: { kind: 'device', name: 'try-2', is: 'new' }, message: { Metrics: { Load: 2 } } },
          { refusal: 'There is no value for device or host or hostname or source or name, by which the source names the device.' },
        ],
        more: 0,
      },
    ]);
    expect(await devices('try-2')).toEqual([]);
    expect(await row(created)).toMatchObject({ entitiesMade: 0, packetsStored: 0, packetsRefused: 0, lastData: null });
    expect((await world.call(me, 'POST', `/v1/sources/${created.id}/try`, { body: '{' })).status).toBe(400);
    expect((await world.call(holder([other.tenantId]), 'POST', `/v1/sources/${created.id}/try`, { body })).status).toBe(404);
    expect((await world.call(holder([home.tenantId], []), 'POST', `/v1/sources/${created.id}/try`, { body })).status).toBe(403);
    expect((await world.call(null, 'POST', `/v1/sources/${created.id}/try`, { body })).status).toBe(401);
    expect((await world.call(me, 'POST', `/v1/sources/${created.id}/try`, {})).status).toBe(400);
  });
});
