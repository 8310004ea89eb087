/** What attackers send to sources: bodies that become large, deep or many, beside a neighbour that goes on reporting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestTurnOf } from '../testing/longest-turn.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../testing/world.ts';
import { snappy, writeRequest } from './testing/remote-write.ts';
import { addedSource, packetsOf, type AddedSource } from './testing/sources.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let neighbour: AddedSource;
let collect: () => void;

beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
  world = await createWorld({ takesSources: true });
  home = await world.tenant('Northwind');
  me = holder([home.tenantId]);
  const other = await world.tenant('Southwind');
  neighbour = await addedSource(world, holder([other.tenantId]), { kind: 'Webhook', ...other });
});
afterAll(() => world.close());

const source = (kind: string, more: object = {}): Promise<AddedSource> => addedSource(world, me, { kind, ...home, ...more });
const send = (to: AddedSource, path: string, body: Buffer | string | object, headers: Record<string, string>): Promise<WorldReply> =>
  world.call(null, 'POST', `/v1/intake/${to.id}${path}`, body, { authorization: `Bearer ${to.token}`, ...headers });

const delimited = (no: number, bytes: Uint8Array): Buffer =>
  Buffer.from(new BinaryWriter().tag(no, WireType.LengthDelimited).bytes(bytes).finish());
const within = (bytes: Uint8Array, ...numbers: number[]): Buffer =>
  numbers.reduce<Buffer>((inner, no) => delimited(no, inner), Buffer.from(bytes));
const text = (no: number, value: string): Buffer =>
  Buffer.from(new BinaryWriter().tag(no, WireType.LengthDelimited).string(value).finish());
const repeated = (bytes: Buffer, size: number): Buffer => Buffer.alloc(Math.floor(size / bytes.length) * bytes.length, bytes);

/** Below what a body may have, with room for what stands around. */
const maxBytes = 8 * 1_048_576 - 1_000;
const proto = { 'content-type': 'application/x-protobuf' };
const snapped = { ...proto, 'content-encoding': 'snappy' };
const plain = { 'content-type': 'text/plain' };
const json = { 'content-type': 'application/json' };

/** A metric with one gauge point of these fields, as a body of OTLP. */
const gauge = (...point: Buffer[]): Buffer => within(Buffer.concat([text(1, 'a'), within(Buffer.concat(point), 1, 5)]), 2, 2, 1);
const attribute = (key: string): Buffer => delimited(7, text(1, key));

function deepValue(levels: number): Buffer {
  // From the inside out, with lengths that are right.
  let value: Buffer = text(1, 'x');
  for (let i = 0; i < levels; i += 1) value = delimited(5, delimited(1, value));
  return value;
}

interface Attack {
  name: string;
  kind: string;
  path?: string;
  headers: Record<string, string>;
  body: () => Buffer | string;
  status: number;
}

const attacks: Attack[] = [
  {
    name: 'a gzip bomb',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: { ...proto, 'content-encoding': 'gzip' },
    body: () => gzipSync(Buffer.alloc(100_000_000)),
    status: 413,
  },
  { name: 'a snappy bomb', kind: 'RemoteWrite', headers: snapped, body: () => snappy(Buffer.alloc(100_000_000)), status: 413 },
  {
    name: 'ten million labels',
    kind: 'RemoteWrite',
    headers: snapped,
    body: () => snappy(repeated(delimited(1, Buffer.concat([text(1, 'a'), text(2, 'b')])), 80_000_000)),
    status: 413,
  },
  {
    name: 'a series with all the labels that a body has room for',
    kind: 'RemoteWrite',
    headers: snapped,
    body: () =>
      snappy(
        delimited(
          1,
          Buffer.concat([
            repeated(delimited(1, Buffer.concat([text(1, 'a'), text(2, 'b')])), maxBytes),
            delimited(2, new BinaryWriter().tag(1, WireType.Bit64).double(1).finish()),
          ]),
        ),
      ),
    status: 400,
  },
  {
    name: 'a point with a million attributes',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: proto,
    body: () => gauge(repeated(attribute('a'), maxBytes)),
    status: 400,
  },
  {
    name: 'a million empty series',
    kind: 'RemoteWrite',
    headers: snapped,
    body: () => snappy(repeated(delimited(1, Buffer.alloc(0)), maxBytes)),
    status: 413,
  },
  {
    name: 'a million series of one sample',
    kind: 'RemoteWrite',
    headers: snapped,
    body: () => snappy(repeated(writeRequest([{ labels: { __name__: 'a', instance: 'i' }, samples: [[1, 1]] }]), maxBytes)),
    status: 413,
  },
  {
    name: 'symbols without end',
    kind: 'RemoteWrite',
    headers: { ...snapped, 'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request' },
    body: () => snappy(repeated(text(4, 'a'), maxBytes)),
    status: 400,
  },
  {
    name: 'values in values',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: proto,
    body: () => gauge(delimited(7, Buffer.concat([text(1, 'deep'), delimited(2, deepValue(1_500))]))),
    status: 400,
  },
  {
    name: 'values beside values',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: proto,
    body: () => {
      // Each of a hundred attributes has lists of lists, as many as there is room for.
      const lists = (levels: number): Buffer =>
        levels === 0 ? delimited(1, Buffer.alloc(0)) : repeated(delimited(1, delimited(5, lists(levels - 1))), 80_000 / 4 ** (3 - levels));
      const wide = delimited(7, Buffer.concat([text(1, 'wide'), delimited(2, delimited(5, lists(3)))]));
      return gauge(repeated(wide, maxBytes));
    },
    status: 400,
  },
  {
    name: 'groups in groups',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: proto,
    body: () => repeated(Buffer.from([123]), maxBytes),
    status: 400,
  },
  { name: 'lists in lists', kind: 'OpenTelemetry', path: '/v1/metrics', headers: json, body: () => '['.repeat(3_000_000), status: 400 },
  {
    name: 'as many values as JSON may have',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: json,
    body: () =>
      `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","histogram":{"dataPoints":[{"timeUnixNano":"1","bucketCounts":[${'1234567890123456789,'.repeat(190_000)}1]}]}}]}]}]}`,
    status: 400,
  },
  {
    name: 'a million log records',
    kind: 'OpenTelemetry',
    path: '/v1/logs',
    headers: proto,
    body: () => within(within(repeated(delimited(2, text(3, 'x')), maxBytes), 2), 1),
    status: 413,
  },
  {
    name: 'millions of empty resources',
    kind: 'OpenTelemetry',
    path: '/v1/metrics',
    headers: proto,
    body: () => repeated(delimited(1, Buffer.alloc(0)), maxBytes),
    status: 413,
  },
  {
    name: 'millions of empty scopes of logs',
    kind: 'OpenTelemetry',
    path: '/v1/logs',
    headers: proto,
    body: () => within(repeated(delimited(2, Buffer.alloc(0)), maxBytes), 1),
    status: 413,
  },
  {
    name: 'millions of empty families',
    kind: 'PrometheusPush',
    path: '/metrics/job/j',
    headers: { 'content-type': 'application/vnd.google.protobuf' },
    body: () => Buffer.alloc(maxBytes),
    status: 413,
  },
  { name: 'a line of 100 MB', kind: 'Influx', path: '/write', headers: plain, body: () => Buffer.alloc(100_000_000, 'a'), status: 413 },
  {
    name: 'a line as long as a body',
    kind: 'Influx',
    path: '/write',
    headers: plain,
    body: () => `m,host=a v="${'a'.repeat(maxBytes)}"`,
    status: 400,
  },
  {
    name: 'lines with open quotes',
    kind: 'Influx',
    path: '/write',
    headers: plain,
    body: () => repeated(Buffer.from(`m v="\nm${' v=1\n'.repeat(3_000)}`), maxBytes),
    status: 413,
  },
  {
    name: 'blanks without end',
    kind: 'PrometheusPush',
    path: '/metrics/job/j',
    headers: plain,
    body: () => `a{${' '.repeat(maxBytes)}`,
    status: 400,
  },
  {
    name: 'a million lines that are wrong',
    kind: 'PrometheusPush',
    path: '/metrics/job/j',
    headers: plain,
    body: () => repeated(Buffer.from('a{\n'), maxBytes),
    status: 413,
  },
  { name: 'millions of line ends', kind: 'Syslog', headers: plain, body: () => Buffer.alloc(maxBytes, '\n'), status: 413 },
  { name: 'millions of short lines', kind: 'Syslog', headers: plain, body: () => repeated(Buffer.from('<1>\n'), maxBytes), status: 413 },
  {
    name: 'structured data without end',
    kind: 'Syslog',
    headers: plain,
    body: () => `<187>1 - sw stp - - [${'a="b" '.repeat(1_300_000)}] x`,
    status: 400,
  },
  {
    name: 'millions of objects in lines',
    kind: 'Webhook',
    headers: { 'content-type': 'application/x-ndjson' },
    body: () => repeated(Buffer.from('{}\n'), maxBytes),
    status: 413,
  },
  { name: 'a million results', kind: 'Nagios', headers: plain, body: () => repeated(Buffer.from('a\tb\t0\tx\n'), maxBytes), status: 413 },
  { name: 'performance data without end', kind: 'Nagios', headers: plain, body: () => `a\tb\t0\tx|${"'a'='".repeat(10_000)}`, status: 400 },
  {
    name: 'ten thousand events',
    kind: 'CloudEvents',
    headers: { 'content-type': 'application/cloudevents-batch+json' },
    body: () => `[${'{"specversion":"1.0","id":"1","source":"s","type":"t","data":{"a":1}},'.repeat(10_000)}7]`,
    status: 413,
  },
];

/** The largest JSON body with the most values, for each kind that takes JSON. */
for (const [kind, contentType] of [
  ['Webhook', 'application/json'],
  ['Alertmanager', 'application/json'],
  ['Nagios', 'application/json'],
  ['PagerDuty', 'application/json'],
  ['Syslog', 'application/json'],
  ['CloudEvents', 'application/cloudevents+json'],
] as const)
  attacks.push({
    name: `eight megabytes of numbers for ${kind}`,
    kind,
    headers: { 'content-type': contentType },
    body: () => `{"a":[${`${'1234567890'.repeat(4)},`.repeat(199_000)}1]}`,
    status: 400,
  });

/** The largest live memory beside `work` in MB, compared with before it. */
async function memoryOf(work: () => Promise<unknown>): Promise<number> {
  const live = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = live();
  let largest = before;
  let isWorking = true;
  const watch = (async () => {
    while (isWorking) {
      await sleep(100);
      largest = Math.max(largest, live());
    }
  })();
  await work();
  isWorking = false;
  await watch;
  return (largest - before) / 1_048_576;
}

describe.each(attacks)('$name', ({ kind, path = '', headers, body: written, status }) => {
  it('blocks nobody, costs little memory, and harms no neighbour', async () => {
    const to = await source(kind, { unknownEntities: 'Refuse' });
    const body = Buffer.from(written());
    const statuses = new Set<number>();
    const attack = async () => statuses.add((await send(to, path, body, headers)).status);
    await attack();
    expect([...statuses]).toEqual([status]);
    expect(await longestTurnOf(50, attack)).toBeLessThan(50);
    expect(await memoryOf(attack)).toBeLessThan(50);
    const beside = attack();
    const answer = await send(neighbour, '', { device: 'beside', load: 1 }, json);
    expect(answer.status).toBe(200);
    await beside;
    expect([...statuses]).toEqual([status]);
  }, 60_000);
});

it('makes as many devices as the source may, says so, and goes on with those', async () => {
  const to = await source('RemoteWrite', { entityCap: 3 });
  const at = Date.now();
  const request = (offset: number) =>
    snappy(
      writeRequest(
        Array.from({ length: 500 }, (_, n) => ({ labels: { __name__: 'up', instance: `explode-${n}` }, samples: [[1, at + offset]] })),
      ),
    );
  const first = await send(to, '', request(0), snapped);
  expect([first.status, first.text]).toEqual([
    400,
    expect.stringMatching(/^497 of 500 values were not stored\. The source has made 3 devices and blocks, which is its limit/),
  ]);
  await send(to, '', request(1), snapped);
  await world.intake?.counts.flush();
  const row = (await world.call(me, 'GET', `/v1/sources(${to.id})`)).body;
  expect(row).toMatchObject({ entitiesMade: 3, packetsStored: 6, packetsRefused: 994 });
  const rows = await world.system.db.query({ text: `select 1 from device where name like 'explode-%'`, values: [] });
  expect(rows).toHaveLength(3);
});

it('never stores for a device of another tenant that a label names', async () => {
  const theirs = await world.tenant('Eastwind');
  await world.call(holder([theirs.tenantId]), 'PUT', '/v1/devices', { name: 'theirs-9', ...theirs });
  const body = snappy(writeRequest([{ labels: { __name__: 'up', instance: 'theirs-9' }, samples: [[1, Date.now()]] }]));
  const refusing = await send(await source('RemoteWrite', { unknownEntities: 'Refuse' }), '', body, snapped);
  expect([refusing.status, refusing.text]).toEqual([
    400,
    '1 of 1 values were not stored. No device of the subscription is named theirs-9.',
  ]);
  expect(await packetsOf(world, 'theirs-9')).toEqual([]);
  // Made for the tenant of the source, if it may make devices; theirs has nothing all the same.
  await send(await source('RemoteWrite'), '', body, snapped);
  const rows = await world.system.db.query<{ tenant_id: string; packets: number }>({
    text: `select d.tenant_id, (select count(*)::int from packet p where p.entity_id = d.device_id) as packets from device d where d.name = 'theirs-9' order by packets`,
    values: [],
  });
  expect(rows).toEqual([
    { tenant_id: theirs.tenantId, packets: 0 },
    { tenant_id: home.tenantId, packets: 1 },
  ]);
});
