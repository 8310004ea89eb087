/** OTLP over HTTP, with the exporters of the OpenTelemetry SDK and with requests that are written by hand. */
import { gzipSync } from 'node:zlib';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtoLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { AggregationTemporalityPreference, OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtoExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../testing/world.ts';
import { addedSource, packetsOf, type AddedSource } from './testing/sources.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let root: string;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  home = await world.tenant('Northwind');
  me = holder([home.tenantId]);
  ({ root } = await world.connect(me));
});
afterAll(() => world.close());

const source = (more: object = {}): Promise<AddedSource> => addedSource(world, me, { kind: 'OpenTelemetry', ...home, ...more });
const send = (to: AddedSource, path: string, body: unknown, headers: Record<string, string> = {}): Promise<WorldReply> =>
  world.call(null, 'POST', `/v1/intake/${to.id}${path}`, body, { authorization: `Bearer ${to.token}`, ...headers });
const row = async ({ id }: AddedSource) => {
  await world.intake?.counts.flush();
  return (await world.call(me, 'GET', `/v1/sources(${id})`)).body;
};

/** Runs with the two variables by which every exporter is pointed at an address, and nothing else. */
async function withEnvironment<T>(to: AddedSource, run: () => Promise<T>): Promise<T> {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `${root}/intake/${to.id}`;
  process.env['OTEL_EXPORTER_OTLP_HEADERS'] = `Authorization=Bearer%20${to.token}`;
  try {
    return await run();
  } finally {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    delete process.env['OTEL_EXPORTER_OTLP_HEADERS'];
  }
}

const now = (): number => Date.now();
const nano = (ms: number): string => `${ms}000000`;

/** A body with one metric of one device. */
const metric = (name: string, data: object, resource: Record<string, string> = { 'host.name': 'web-1' }) => ({
  resourceMetrics: [
    {
      resource: { attributes: Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } })) },
      scopeMetrics: [{ scope: { name: 'test' }, metrics: [{ name, ...data }] }],
    },
  ],
});
const gauge = (name: string, points: object[], resource?: Record<string, string>) =>
  metric(name, { gauge: { dataPoints: points } }, resource);

describe('the OpenTelemetry SDK', () => {
  it.each([
    ['http/json', JsonExporter],
    ['http/protobuf', ProtoExporter],
  ] as const)('exports metrics by %s with an endpoint and a header alone', async (protocol, Exporter) => {
    const to = await source();
    const device = `sdk-${protocol}`;
    await withEnvironment(to, async () => {
      const reader = new PeriodicExportingMetricReader({ exporter: new Exporter(), exportIntervalMillis: 3_600_000 });
      const provider = new MeterProvider({
        resource: resourceFromAttributes({ 'host.name': device }),
        readers: [reader],
        views: [{ instrumentName: 'exponential', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
      });
      const meter = provider.getMeter('test');
      const requests = meter.createCounter('requests');
      const duration = meter.createHistogram('duration');
      const exponential = meter.createHistogram('exponential');
      meter.createObservableGauge('temperature').addCallback((result) => result.observe(21.5, { room: 'a' }));
      requests.add(10, { code: '200' });
      for (let i = 1; i <= 100; i += 1) {
        duration.record(i);
        exponential.record(i);
      }
      await reader.forceFlush();
      await new Promise((resolve) => setTimeout(resolve, 60));
      requests.add(5, { code: '200' });
      duration.record(1_000);
      await reader.forceFlush();
      await provider.shutdown();
    });
    const packets = await packetsOf(world, device);
    const [first, second] = packets.map(({ message }) => message.Metrics ?? {});
    expect(first).toMatchObject({
      'requests{code="200"}': 10,
      'temperature{room="a"}': 21.5,
      'duration.count': 100,
      'duration.sum': 5_050,
    });
    expect(first?.['requests.rate{code="200"}']).toBeUndefined();
    expect(first?.['duration.p50']).toBeCloseTo(50, 0);
    expect(first?.['exponential.p95']).toBeGreaterThan(90);
    expect(first?.['exponential.p95']).toBeLessThan(100);
    expect(second).toMatchObject({ 'requests{code="200"}': 15, 'duration.count': 101 });
    // Five within the time between the two exports, which is at least 60 ms.
    expect(second?.['requests.rate{code="200"}']).toBeGreaterThan(0);
    expect(second?.['requests.rate{code="200"}']).toBeLessThanOrEqual(5 / 0.06);
    // Of the interval alone, not of all values since the start.
    expect(second?.['duration.p50']).toBeGreaterThan(750);
    expect(await row(to)).toMatchObject({ packetsRefused: 0 });
  });

  it('exports deltas, whose rate needs no earlier point', async () => {
    const to = await source();
    await withEnvironment(to, async () => {
      const exporter = new ProtoExporter({ temporalityPreference: AggregationTemporalityPreference.DELTA });
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const provider = new MeterProvider({ resource: resourceFromAttributes({ 'host.name': 'delta-1' }), readers: [reader] });
      const counter = provider.getMeter('test').createCounter('jobs');
      counter.add(3);
      await new Promise((resolve) => setTimeout(resolve, 30));
      await reader.forceFlush();
      await provider.shutdown();
    });
    const [packet] = await packetsOf(world, 'delta-1');
    expect(packet?.message.Metrics?.['jobs']).toBe(3);
    expect(packet?.message.Metrics?.['jobs.rate']).toBeGreaterThan(0);
  });

  it.each([
    ['http/json', JsonLogExporter],
    ['http/protobuf', ProtoLogExporter],
  ] as const)('exports logs by %s, as packets with severity and text', async (protocol, Exporter) => {
    const to = await source();
    const device = `log-${protocol}`;
    await withEnvironment(to, async () => {
      const provider = new LoggerProvider({
        resource: resourceFromAttributes({ 'host.name': device }),
        processors: [new SimpleLogRecordProcessor({ exporter: new Exporter() })],
      });
      const logger = provider.getLogger('shop');
      logger.emit({ severityNumber: 18, body: 'Payment failed', attributes: { order: 17, paid: false } });
      logger.emit({ severityText: 'notice', body: { step: 2 } as never });
      await provider.forceFlush();
      await provider.shutdown();
    });
    const packets = await packetsOf(world, device);
    expect(packets.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        {
          Value: 'Payment failed',
          States: { Severity: 'ERROR' },
          Properties: { order: '17', paid: 'false', Scope: 'shop', Text: 'Payment failed' },
          Metrics: { SeverityNumber: 18 },
        },
        { Value: '{"step":2}', States: { Severity: 'NOTICE' }, Properties: { Scope: 'shop', SeverityText: 'notice', Text: '{"step":2}' } },
      ]),
    );
  });
});

describe('what OTLP says', () => {
  it('is stored once, however often it is sent', async () => {
    const to = await source();
    const at = now();
    const body = metric(
      'total',
      {
        sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ timeUnixNano: nano(at), asInt: '7' }] },
      },
      { 'host.name': 'once-1' },
    );
    const answers = [await send(to, '/v1/metrics', body), await send(to, '/v1/metrics', body)];
    expect(answers.map(({ status, body: answer }) => [status, answer])).toEqual([
      [200, {}],
      [200, {}],
    ]);
    expect(await packetsOf(world, 'once-1')).toHaveLength(1);
  });

  it('counts on after a reset, and between points that arrive out of order', async () => {
    const to = await source();
    const at = now() - 100_000;
    const total = (seconds: number, value: number, start = at) =>
      send(
        to,
        '/v1/metrics',
        metric(
          'total',
          {
            sum: {
              aggregationTemporality: 2,
              isMonotonic: true,
              dataPoints: [{ startTimeUnixNano: nano(start), timeUnixNano: nano(at + seconds * 1_000), asDouble: value }],
            },
          },
          { 'host.name': 'reset-1' },
        ),
      );
    await total(10, 100);
    await total(20, 150);
    await total(15, 120);
    // The program has started again five seconds ago.
    await total(30, 10, at + 25_000);
    await total(40, 30, at + 25_000);
    // Started again without saying so.
    await total(50, 20, at + 25_000);
    const packets = await packetsOf(world, 'reset-1');
    expect(packets.map(({ message }) => [message.Metrics?.['total'], message.Metrics?.['total.rate']])).toEqual([
      [100, undefined],
      [120, undefined],
      [150, 5],
      [10, 2],
      [30, 2],
      [20, 2],
    ]);
  });

  it('names devices by the template, and leaves what names them out of the names of metrics', async () => {
    const to = await source({ deviceName: '{service.name}/{sensor}' });
    const at = nano(now());
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const point = (sensor: string, asDouble: number) => ({
      timeUnixNano: at,
      asDouble,
      attributes: [attribute('sensor', sensor), attribute('side', 'in')],
    });
    await send(to, '/v1/metrics', gauge('temp', [point('s1', 1), point('s2', 2)], { 'service.name': 'plant' }));
    expect((await packetsOf(world, 'plant/s1')).map(({ message }) => message)).toEqual([{ Metrics: { 'temp{side="in"}': 1 } }]);
    expect((await packetsOf(world, 'plant/s2')).map(({ message }) => message)).toEqual([{ Metrics: { 'temp{side="in"}': 2 } }]);
  });

  it('takes summaries, and leaves out exemplars, absent values and what it does not know', async () => {
    const to = await source();
    const at = nano(now());
    const body = metric(
      'latency',
      {
        summary: {
          dataPoints: [
            {
              timeUnixNano: at,
              count: '3',
              sum: 6,
              quantileValues: [
                { quantile: 0.5, value: 2 },
                { quantile: 0.999, value: 3 },
              ],
            },
          ],
        },
        futureField: 1,
      },
      { 'host.name': 'sum-1' },
    );
    body.resourceMetrics[0]?.scopeMetrics[0]?.metrics.push({
      name: 'gone',
      gauge: {
        dataPoints: [
          { timeUnixNano: at, asDouble: 4, flags: 1 },
          { timeUnixNano: at, asDouble: 'NaN', exemplars: [{ asDouble: 1 }] },
        ],
      },
    } as never);
    expect((await send(to, '/v1/metrics', body)).body).toEqual({});
    expect((await packetsOf(world, 'sum-1')).map(({ message }) => message)).toEqual([
      { Metrics: { 'latency.count': 3, 'latency.sum': 6, 'latency.p50': 2, 'latency.p99.9': 3 } },
    ]);
  });

  it('divides more names than a packet may have', async () => {
    const to = await source();
    const at = nano(now());
    const points = Array.from({ length: 900 }, (_, n) => ({
      timeUnixNano: at,
      asInt: String(n),
      attributes: [{ key: 'n', value: { intValue: n } }],
    }));
    expect((await send(to, '/v1/metrics', gauge('many', points, { 'host.name': 'many-1' }))).body).toEqual({});
    const packets = await packetsOf(world, 'many-1');
    expect(packets.map(({ message }) => Object.keys(message.Metrics ?? {}).length).toSorted()).toEqual([100, 400, 400]);
  });
});

describe('the answers of OTLP', () => {
  const partialOf = (bytes: Uint8Array): { rejected: number; message: string } => {
    const outer = new BinaryReader(bytes);
    expect(outer.tag()).toEqual([1, WireType.LengthDelimited]);
    const inner = new BinaryReader(outer.bytes());
    inner.tag();
    const rejected = Number(inner.int64());
    inner.tag();
    return { rejected, message: inner.string() };
  };

  it('say how many points were rejected, and why, in the encoding of the request', async () => {
    const to = await source({ unknownEntities: 'Refuse' });
    await world.call(me, 'PUT', '/v1/devices', { name: 'part-1', ...home });
    const at = nano(now());
    const body = gauge('a', [{ timeUnixNano: at, asDouble: 1 }], { 'host.name': 'part-1' });
    const unknown = gauge(
      'a',
      [
        { timeUnixNano: at, asDouble: 1 },
        { timeUnixNano: at, asDouble: 2, attributes: [{ key: 'b', value: { stringValue: 'c' } }] },
      ],
      { 'host.name': 'part-2' },
    );
    body.resourceMetrics.push(...unknown.resourceMetrics);
    const answer = await send(to, '/v1/metrics', body);
    expect([answer.status, answer.body]).toEqual([
      200,
      { partialSuccess: { rejectedDataPoints: '2', errorMessage: 'No device of the subscription is named part-2.' } },
    ]);
    expect(await row(to)).toMatchObject({ packetsStored: 1, packetsRefused: 2 });
    // The same by protobuf: one point of two without a time.
    const point = new BinaryWriter().tag(4, WireType.Bit64).double(1).finish();
    const timed = new BinaryWriter().tag(3, WireType.Bit64).fixed64(at).tag(4, WireType.Bit64).double(3).finish();
    const data = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(point).tag(1, WireType.LengthDelimited).bytes(timed).finish();
    const written = new BinaryWriter().tag(1, WireType.LengthDelimited).string('a').tag(5, WireType.LengthDelimited).bytes(data).finish();
    const wrap = (bytes: Uint8Array, no: number) => new BinaryWriter().tag(no, WireType.LengthDelimited).bytes(bytes).finish();
    const host = wrap(
      Buffer.concat([
        new BinaryWriter().tag(1, WireType.LengthDelimited).string('host.name').finish(),
        wrap(new BinaryWriter().tag(1, WireType.LengthDelimited).string('part-1').finish(), 2),
      ]),
      1,
    );
    const request = Buffer.from(wrap(Buffer.concat([wrap(host, 1), wrap(wrap(written, 2), 2)]), 1));
    const response = await fetch(`${root}/intake/${to.id}/v1/metrics`, {
      method: 'POST',
      headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
      body: gzipSync(request),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    expect(partialOf(new Uint8Array(await response.arrayBuffer()))).toEqual({
      rejected: 1,
      message: 'a has a point without timeUnixNano.',
    });
    // Of which nothing was stored is no success: exporters show a failure, and do not repeat it.
    const all = await send(to, '/v1/metrics', unknown);
    expect([all.status, all.body]).toEqual([400, { code: 3, message: 'No device of the subscription is named part-2.' }]);
    expect((await send(to, '/v1/metrics', {})).body).toEqual({});
  });

  it('are a google.rpc.Status when nothing could be read, in the encoding of the request', async () => {
    const to = await source();
    const json = await send(to, '/v1/metrics', '{"resourceMetrics":');
    expect([json.status, json.body]).toEqual([400, { code: 3, message: expect.stringMatching(/^The body is not valid JSON: /) }]);
    expect((await send(to, '/v1/logs', { resourceMetrics: [] })).body).toMatchObject({ code: 3 });
    const proto = (path: string, body: Buffer<ArrayBuffer>, token = to.token) =>
      fetch(`${root}/intake/${to.id}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-protobuf' },
        body,
      });
    const statusOf = async (response: Response) => {
      const reader = new BinaryReader(new Uint8Array(await response.arrayBuffer()));
      reader.tag();
      const code = reader.int32();
      reader.tag();
      return [response.status, response.headers.get('content-type'), code, reader.string()];
    };
    expect(await statusOf(await proto('/v1/metrics', Buffer.from([10, 200, 1])))).toEqual([
      400,
      'application/x-protobuf',
      3,
      'The body is not the protobuf message that belongs here, or not the whole of it.',
    ]);
    expect(await statusOf(await proto('/v1/traces', Buffer.alloc(0)))).toEqual([
      404,
      'application/x-protobuf',
      5,
      expect.stringContaining('OTEL_TRACES_EXPORTER'),
    ]);
    expect(await statusOf(await proto('/v1/metrics', Buffer.alloc(0), 'cfso_x'))).toEqual([
      401,
      'application/x-protobuf',
      16,
      expect.stringContaining('token'),
    ]);
    expect((await proto('/v1/metrics', Buffer.alloc(0))).status).toBe(200);
    const text = await send(to, '/v1/metrics', 'x', { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
  });

  it('belong to the source whose token was sent', async () => {
    const [one, two] = [await source(), await source()];
    const answer = await send({ ...one, token: two.token }, '/v1/metrics', { resourceMetrics: [] });
    expect([answer.status, answer.body['code']]).toEqual([401, 16]);
  });
});

describe('a trial of OTLP', () => {
  it('takes JSON of both signals, and protobuf in base64', async () => {
    const to = await source();
    const tried = async (body: string) => (await world.call(me, 'POST', `/v1/sources/${to.id}/try`, { body })).body;
    const at = now();
    const json = JSON.stringify(gauge('a', [{ timeUnixNano: nano(at), asDouble: 1 }], { 'host.name': 'try-9' }));
    expect((await tried(json)).value).toMatchObject([{ entity: { name: 'try-9', is: 'new' }, message: { Metrics: { a: 1 } } }]);
    const logs = { resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: [{ body: { stringValue: 'hi' } }] }] }] };
    expect((await tried(JSON.stringify(logs))).value).toMatchObject([{ refusal: expect.stringContaining('host.name') }]);
    expect((await tried('not base64!'))['error']).toMatchObject({ message: expect.stringContaining('base64') });
    expect(await packetsOf(world, 'try-9')).toEqual([]);
  });
});
