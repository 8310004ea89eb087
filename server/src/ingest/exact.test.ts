/** Packets that parsing would change: each is refused, in every form of a batch, while the other packets are stored. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rawRoutes } from '../http/raw-calls.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { openIngest, type Ingest } from './accept.ts';
import { exactProblem, isExact, largestObject, writtenItems, writtenValue } from './exact-json.ts';

let world: TestWorld;
let ingest: Ingest;
let agent: TestCaller;
let deviceId: string;

beforeAll(async () => {
  const parts = { ingest: (ctx, body, type) => ingest.ingestBody(ctx, body, type) } satisfies Partial<Parameters<typeof rawRoutes>[0]>;
  const raw = rawRoutes({ ...parts, files: {} } as unknown as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw.filter(({ action }) => action.path === '/v1/packets') });
  ingest = await openIngest({ database: world.database, log: pino({ level: 'silent' }) });
  const { tenantId, subscriptionId } = await world.tenant();
  agent = { ...holder([tenantId], []), actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } };
  const [device] = await world.system.db.query<{ device_id: string }>({
    text: "insert into device (tenant_id, subscription_id, name) values ($1, $2, 'web-1') returning device_id",
    values: [tenantId, subscriptionId],
  });
  deviceId = device?.device_id ?? '';
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

const packet = (message: string) => Buffer.from(`{"entityId": "${deviceId}", "message": ${message}}`);
const good = (nth: number) => packet(`{"Value": ${nth}, "Properties": {"Text": "{\\"a\\": [1, \\"ü\\"]}, ok: yes"}}`);
const invalidUtf8 = () => Buffer.concat([packet('{"Value": "x').subarray(0, -1), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}}')]);
const repeated = () => packet('{"Value": 1, "Metrics": {"Cpu": 5, "Memory": 1, "C\\u0070u": 95}}');
const utf8 = { status: 'refused', code: 'InvalidText', message: 'The packet is not valid UTF-8.' };
const twice = { status: 'refused', code: 'PropertyTwice', message: 'The packet has the property Cpu twice.' };

it.each([
  [
    'application/json',
    (items: Buffer[]) =>
      Buffer.concat([Buffer.from(' ['), ...items.flatMap((item, n) => (n ? [Buffer.from(' ,\n'), item] : [item])), Buffer.from('] ')]),
  ],
  ['application/x-ndjson', (items: Buffer[]) => Buffer.concat(items.flatMap((item) => [item, Buffer.from('\n')]))],
])('refuses such an item of a batch of %s and stores its neighbours', async (type, join) => {
  const before = await stored();
  const body = join([good(1), invalidUtf8(), good(2), repeated(), good(3)]);
  const answer = await world.call(agent, 'POST', '/v1/packets', body, { 'content-type': type });
  expect(answer.status).toBe(200);
  expect(answer.body['value']).toMatchObject([{ status: 'stored' }, utf8, { status: 'stored' }, twice, { status: 'stored' }]);
  expect((await stored()).slice(before.length).toSorted()).toEqual([1, 2, 3]);
});

it.each([
  ['small', ''],
  ['large', `, "Properties": {"Filler": "${'x'.repeat(70_000)}"}`],
])('refuses what is no packet under its index and stores its neighbours, in a %s array', async (_size, filler) => {
  const bad = [
    packet(`{"Value": "a\u0001b"}`),
    packet('{"Value": "line\nbreak"}'),
    packet(`{"Diagnostics": {"a": ${'['.repeat(100)}1${']'.repeat(100)}}}`),
    packet('{"Metrics": {"__proto__": 1}}'),
    packet('{"Metrics": {"\\u005f_proto__": 1}}'),
    packet('{"Value": 01}'),
    Buffer.from('{"entityId": }'),
    Buffer.from('5'),
  ];
  const before = await stored();
  const items = [packet(`{"Value": 7${filler}}`), ...bad.flatMap((item, n) => [item, packet(`{"Value": ${n + 8}}`)])];
  const body = Buffer.concat([Buffer.from('['), ...items.flatMap((item, n) => (n ? [Buffer.from(','), item] : [item])), Buffer.from(']')]);
  const answer = await world.call(agent, 'POST', '/v1/packets', body);
  expect(answer.status).toBe(200);
  const value = answer.body['value'] as { status: string; code?: string; index: number }[];
  expect(value.map((item, n) => item.index === n && (item.code ?? item.status))).toEqual([
    'stored',
    ...['InvalidJson', 'InvalidJson', 'TooDeep', 'InvalidPacket', 'InvalidPacket', 'InvalidJson', 'InvalidJson', 'InvalidPacket'].flatMap(
      (code) => [code, 'stored'],
    ),
  ]);
  expect((await stored()).slice(before.length).toSorted((a, b) => a - b)).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15]);
});

const stored = async () =>
  (
    await world.system.db.query<{ value: number }>({
      text: "select (message->'Value')::int as value from packet where entity_id = $1 order by packet_id",
      values: [deviceId],
    })
  ).map((row) => row.value);

it('refuses a single packet in the same way, and another body that is no UTF-8', async () => {
  const before = await stored();
  for (const [body, refusal] of [
    [invalidUtf8(), utf8],
    [repeated(), twice],
  ] as const)
    expect(await world.call(agent, 'POST', '/v1/packets', body)).toMatchObject({
      status: 400,
      headers: { 'cloudfit-packets': 'stored=0, duplicate=0, refused=1' },
      body: { error: { code: 'ValidationFailed', message: refusal.message, target: '0' }, value: [refusal] },
    });
  expect(await stored()).toEqual(before);
  const name = Buffer.concat([Buffer.from('{"name": "'), Buffer.from([0xff]), Buffer.from('"}')]);
  const answer = await world.call(holder('all'), 'PUT', '/v1/tenants', name);
  expect([answer.status, answer.body['error']]).toMatchObject([400, { message: 'The body is not valid UTF-8.' }]);
});

it('says by the status and by a header whether packets were stored', async () => {
  const json = (packets: readonly object[]) => ({ type: 'application/json', body: JSON.stringify(packets) });
  const lines = (packets: readonly object[]) => ({
    type: 'application/x-ndjson',
    body: packets.map((packet) => JSON.stringify(packet)).join('\n'),
  });
  const right = { entityId: deviceId, messageId: 'once', message: { Value: 1 } };
  const wrong = { entityId: crypto.randomUUID(), message: { Value: 1 } };
  for (const write of [json, lines])
    for (const [packets, status, counts] of [
      [[wrong, wrong], 400, 'stored=0, duplicate=0, refused=2'],
      [[wrong, { ...right, messageId: write.name }], 200, 'stored=1, duplicate=0, refused=1'],
      [[{ ...right, messageId: write.name }], 200, 'stored=0, duplicate=1, refused=0'],
      [[{ ...right, messageId: write.name }, wrong], 200, 'stored=0, duplicate=1, refused=1'],
      [[], 200, 'stored=0, duplicate=0, refused=0'],
    ] as const) {
      const { type, body } = write(packets);
      const answer = await world.call(agent, 'POST', '/v1/packets', body, { 'content-type': type });
      expect([answer.status, answer.headers['cloudfit-packets'], answer.body.value?.length]).toEqual([status, counts, packets.length]);
      if (status === 400)
        expect(answer.body['error']).toMatchObject({
          message: expect.stringMatching(/^None of the 2 packets was stored. The first: Unknown entity/),
          details: [{ target: '0' }, { target: '1' }],
        });
    }
});

it('cuts a batch into its items and passes what parsing leaves as it is', () => {
  for (const items of [[], [{}], [1, 'a,]}"\\', null], [[1, [2]], { a: { b: ['}', { c: 1 }] }, d: [] }, '"']]) {
    const bytes = Buffer.from(JSON.stringify(items, null, 1));
    expect([...writtenItems(bytes)].map((writtenItem) => JSON.parse(String(writtenItem?.bytes)) as unknown)).toEqual(items);
    expect(isExact(writtenValue(bytes), items)).toBe(true);
    expect(exactProblem(writtenValue(bytes), items)).toBeUndefined();
  }
  expect(isExact(writtenValue(Buffer.from('{"a":{"b":1,"b":1}}')), { a: { b: 1 } })).toBe(false);
});

it('counts the properties of the largest object', () => {
  for (const [text, count] of [
    ['[{"a":1},{"a":{"b":"x:{","c":[1,2],"d":{}}, "e":2}]', 3],
    ['[1,2]', 0],
    ['{"a":1,"b":2', 2],
    [String.raw`{"a\"{":1}`, 1],
  ] as const)
    expect([text, largestObject(Buffer.from(text))]).toEqual([text, count]);
});
