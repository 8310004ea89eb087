/** Prometheus remote write: bodies that are written by hand, and a real Prometheus. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPrometheus, startPrometheus } from '../testing/programs/prometheus.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../testing/world.ts';
import { snappy, staleNumber, writeRequest, writeRequest2, type WrittenSeries } from './testing/remote-write.ts';
import { addedSource, packetsOf, type AddedSource } from './testing/sources.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  home = await world.tenant('Northwind');
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const source = (more: object = {}): Promise<AddedSource> => addedSource(world, me, { kind: 'RemoteWrite', ...home, ...more });
const sendBytes = (to: AddedSource, body: Buffer, headers: Record<string, string> = {}): Promise<WorldReply> =>
  world.call(null, 'POST', `/v1/intake/${to.id}`, body, {
    authorization: `Bearer ${to.token}`,
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
    ...headers,
  });
const send = (to: AddedSource, series: readonly WrittenSeries[]): Promise<WorldReply> => sendBytes(to, snappy(writeRequest(series)));
const second = {
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  'x-prometheus-remote-write-version': '2.0.0',
};
const row = async ({ id }: AddedSource) => {
  await world.intake?.counts.flush();
  return (await world.call(me, 'GET', `/v1/sources(${id})`)).body;
};
const written = ({ headers }: WorldReply) =>
  ['samples', 'histograms', 'exemplars'].map((kind) => headers[`x-prometheus-remote-write-${kind}-written`]);

const series = (name: string, instance: string, samples: WrittenSeries['samples'], labels: Record<string, string> = {}): WrittenSeries => ({
  labels: { __name__: name, instance, ...labels },
  samples,
});

describe('version 1.0', () => {
  it('makes a packet for each instance and time, with names as Prometheus writes them', async () => {
    const to = await source();
    const at = Date.now() - 10_000;
    const body = [
      series(
        'up',
        'web-1:9100',
        [
          [1, at],
          [0, at + 5_000],
        ],
        { job: 'node' },
      ),
      series('node_load1', 'web-1:9100', [[0.25, at]], { job: 'node', path: 'C:\\"x"' }),
      series('up', 'web-2:9100', [[1, at]], { job: 'node' }),
    ];
    const answer = await send(to, body);
    expect([answer.status, answer.text, written(answer)]).toEqual([204, '', [undefined, undefined, undefined]]);
    expect((await packetsOf(world, 'web-1:9100')).map(({ timestamp, message }) => [Date.parse(timestamp), message])).toEqual([
      [at, { Metrics: { 'up{job="node"}': 1, 'node_load1{job="node",path="C:\\\\\\"x\\""}': 0.25 } }],
      [at + 5_000, { Metrics: { 'up{job="node"}': 0 } }],
    ]);
    expect(await packetsOf(world, 'web-2:9100')).toHaveLength(1);
    // Sent again after an answer that was lost.
    expect((await send(to, body)).status).toBe(204);
    expect(await packetsOf(world, 'web-1:9100')).toHaveLength(2);
    expect(await row(to)).toMatchObject({ packetsStored: 3, packetsRefused: 0 });
  });

  it('takes samples out of order, and leaves out the end of a series and what is no number', async () => {
    const to = await source({ deviceName: '{instance:host}' });
    const at = Date.now() - 60_000;
    expect((await send(to, [series('a', 'late:1', [[2, at]])])).status).toBe(204);
    expect(
      (
        await send(to, [
          series('a', 'late:1', [
            [1, at - 30_000],
            [staleNumber(), at + 1_000],
            [Number.NaN, at + 2_000],
          ]),
        ])
      ).status,
    ).toBe(204);
    expect((await packetsOf(world, 'late')).map(({ message }) => message.Metrics)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('answers 400 to what will never be stored, stores the rest, and 5xx to nothing of it', async () => {
    const to = await source();
    const at = Date.now();
    const old = await send(to, [
      series('a', 'old-1', [
        [1, at - 8 * 86_400_000],
        [2, at],
      ]),
    ]);
    expect([old.status, old.headers['content-type'], old.text]).toEqual([
      400,
      'text/plain; charset=utf-8',
      '1 of 2 values were not stored. timestamp is more than 7 days old.',
    ]);
    expect(await packetsOf(world, 'old-1')).toHaveLength(1);
    expect((await send(to, [series('a', 'inf-1', [[Infinity, at]])])).text).toContain('a is infinite.');
    expect((await send(to, [{ labels: { instance: 'x' }, samples: [[1, at]] }])).text).toContain('no label __name__');
    expect((await send(to, [{ labels: { __name__: 'x' }, samples: [[1, at]] }])).text).toContain('no value for instance');
    const none = await send(to, []);
    expect(none.status).toBe(204);
  });

  it('says what is wrong with a body that is none', async () => {
    const to = await source();
    const errorOf = async (body: Buffer, headers?: Record<string, string>) => {
      const { status, text } = await sendBytes(to, body, headers);
      return [status, text];
    };
    expect(await errorOf(Buffer.from('not snappy'))).toEqual([
      400,
      'The body is not snappy as Content-Encoding says, or not the whole of it.',
    ]);
    expect(await errorOf(snappy(Buffer.from([10, 200, 1])))).toEqual([
      400,
      'The body is not the protobuf message that belongs here, or not the whole of it.',
    ]);
    expect((await errorOf(snappy(Buffer.alloc(0)), { 'content-type': 'application/json' }))[0]).toBe(415);
    expect(
      (await errorOf(snappy(Buffer.alloc(0)), { 'content-type': 'application/x-protobuf;proto=io.prometheus.write.v3.Request' }))[0],
    ).toBe(415);
    // A block that says that it has four gigabytes reserves none of them.
    expect((await errorOf(Buffer.from([255, 255, 255, 255, 15, 0, 0])))[0]).toBe(413);
  });
});

describe('version 2.0', () => {
  it('reads labels by symbols, and says what was written', async () => {
    const to = await source();
    const at = Date.now();
    const histogram = new BinaryWriter();
    histogram.tag(1, WireType.Varint).uint64(10).tag(3, WireType.Bit64).double(25).tag(4, WireType.Varint).sint32(0);
    // Five values in (1, 2] and five in (2, 4]: bucket 1 has 5, and bucket 2 has no more than that.
    const span = new BinaryWriter().tag(1, WireType.Varint).sint32(1).tag(2, WireType.Varint).uint32(2).finish();
    histogram.tag(11, WireType.LengthDelimited).bytes(span);
    histogram.tag(12, WireType.LengthDelimited).bytes(new BinaryWriter().sint64(5).sint64(0).finish());
    histogram.tag(15, WireType.Varint).int64(at);
    const body = writeRequest2(
      [series('rpc', 'v2-1', [], { job: 'a' }), series('up', 'v2-1', [[1, at]], { job: 'a' })],
      [histogram.finish()],
    );
    const answer = await sendBytes(to, snappy(body), second);
    expect([answer.status, answer.text, written(answer)]).toEqual([204, '', ['1', '1', '0']]);
    const [packet] = await packetsOf(world, 'v2-1');
    expect(packet?.message.Metrics).toEqual({
      'up{job="a"}': 1,
      'rpc_count{job="a"}': 10,
      'rpc_sum{job="a"}': 25,
      'rpc_p50{job="a"}': 2,
      'rpc_p95{job="a"}': expect.closeTo(2 * 2 ** 0.9, 9),
      'rpc_p99{job="a"}': expect.closeTo(2 * 2 ** 0.98, 9),
    });
  });

  it('counts what was not written, and refuses references to nowhere', async () => {
    const to = await source();
    const at = Date.now();
    const body = writeRequest2([
      series('up', 'v2-2', [
        [1, at],
        [1, at - 9 * 86_400_000],
      ]),
    ]);
    const answer = await sendBytes(to, snappy(body), second);
    expect([answer.status, written(answer)]).toEqual([400, ['1', '0', '0']]);
    const nowhere = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(new BinaryWriter().uint32(7).uint32(8).finish());
    nowhere
      .tag(2, WireType.LengthDelimited)
      .bytes(new BinaryWriter().tag(1, WireType.Bit64).double(1).tag(2, WireType.Varint).int64(at).finish());
    const broken = new BinaryWriter().tag(5, WireType.LengthDelimited).bytes(nowhere.finish()).finish();
    const refused = await sendBytes(to, snappy(broken), second);
    expect([refused.status, refused.text, written(refused)]).toEqual([
      400,
      '1 of 1 values were not stored. A series refers to symbols that the body does not have.',
      ['0', '0', '0'],
    ]);
  });
});

it('tells a person what a body in base64 would become', async () => {
  const to = await source();
  const body = snappy(writeRequest([series('up', 'try-rw', [[1, Date.now()]])])).toString('base64');
  const tried = await world.call(me, 'POST', `/v1/sources/${to.id}/try`, { body });
  expect(tried.body.value).toMatchObject([{ entity: { name: 'try-rw', is: 'new' }, message: { Metrics: { up: 1 } } }]);
});

it.skipIf(!hasPrometheus)(
  'takes what a real Prometheus writes, each sample once',
  async () => {
    const to = await source();
    const { root } = await world.connect(me);
    const prometheus = await startPrometheus(
      `remote_write:\n  - url: ${root}/intake/${to.id}\n    authorization:\n      credentials: ${to.token}\n    queue_config:\n      batch_send_deadline: 500ms\n`,
    );
    try {
      const instance = `127.0.0.1:${prometheus.port}`;
      const ups = async () =>
        (await packetsOf(world, instance)).flatMap(({ timestamp, message }) =>
          message.Metrics?.['up{job="self"}'] === 1 ? [timestamp] : [],
        );
      await expect.poll(async () => (await ups()).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
      const times = await ups();
      expect(new Set(times).size).toBe(times.length);
      const metrics = await (await fetch(`${prometheus.url}/metrics`)).text();
      const valueOf = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1] ?? 0);
      expect(valueOf('prometheus_remote_storage_samples_failed_total\\{.*\\}')).toBe(0);
      expect(await row(to)).toMatchObject({ packetsRefused: 0, entitiesMade: 1 });
    } finally {
      await prometheus.close();
    }
  },
  60_000,
);
