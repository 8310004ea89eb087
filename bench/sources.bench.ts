/** Measures what sources take of metrics, 100 series a request, beside the same packets in the format of CloudFit. */
import pg from 'pg';
import { pino } from 'pino';
import { sourceTokenPrefix } from '@cloudfit/contract/sources/kinds.ts';
import { snappy, writeRequest, type WrittenSeries } from '../server/src/intake/testing/remote-write.ts';
import { otlpMetrics, type OtlpSeries } from '../server/src/intake/testing/otlp.ts';
import { createIntegrationToken } from '../server/src/auth/integration-token.ts';
import { ensureShippedSets } from '../server/src/auth/shipped.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { watchDevices } from '../server/src/features/devices/agent/device-watch.ts';
import { rawRoutes } from '../server/src/http/raw-calls.ts';
import { openIngest } from '../server/src/ingest/accept.ts';
import { openIntake } from '../server/src/intake/take.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { served } from '../server/src/app/served.ts';
import { prepareIngest, setRules } from './ingest.bench.ts';
import { percentile, type BenchRow } from './load.ts';
import { sendInThread } from './packets.ts';
import { serveApi } from './serve-api.ts';
import type { SubscriptionIds } from './site.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
/** Devices and metrics of a request: 100 series. */
const [devicesPerRequest, metrics] = [25, ['Cpu', 'Memory', 'Uptime', 'DiskFree']];
const rounds = 3;
/** More than are sent in the time, because a body that is sent twice is stored once. */
const requests = 900 * seconds;

async function addSource(
  client: pg.Client,
  home: SubscriptionIds,
  kind: string,
  deviceName: string,
): Promise<{ id: string; token: string }> {
  const { hash, hint, token } = createIntegrationToken(sourceTokenPrefix);
  const { rows } = await client.query<{ id: string }>(
    `insert into intake_source (tenant_id, subscription_id, name, kind, enabled, opens_units, unknown_entities, entity_cap, device_name, clock, token_hash, token_hint)
     values ($1, $2, $3, $3, true, false, 'Refuse', 500, $4, 'Sent', $5, $6) returning source_id as id`,
    [home.tenantId, home.subscriptionId, kind, deviceName, hash, hint],
  );
  return { id: rows[0]?.id ?? '', token };
}

interface RequestContent {
  at: number;
  devices: readonly { id: string; name: string }[];
  values: readonly number[];
}

const forms: Readonly<Record<'native' | 'otlp' | 'remoteWrite', (content: RequestContent) => Uint8Array>> = {
  native: ({ at, devices, values }) =>
    Buffer.from(
      JSON.stringify(
        devices.map(({ id }) => ({
          entityId: id,
          timestamp: new Date(at).toISOString(),
          messageId: `${at}`,
          message: { Metrics: Object.fromEntries(metrics.map((metric, i) => [metric, values[i]])) },
        })),
      ),
    ),
  otlp: ({ at, devices, values }) =>
    otlpMetrics(
      devices.map(({ name }): OtlpSeries => ({
        resource: { 'host.name': name },
        metrics: metrics.map((metric, i) => [metric, values[i] ?? 0]),
      })),
      at,
    ),
  remoteWrite: ({ at, devices, values }) =>
    snappy(
      writeRequest(
        devices.flatMap(({ name }) =>
          metrics.map((metric, i): WrittenSeries => ({ labels: { __name__: metric, instance: name }, samples: [[values[i] ?? 0, at]] })),
        ),
      ),
    ),
};

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const log = pino({ level: 'error' });
  const database = openDatabase({ url, max: 10, onError: () => undefined });
  await registerServed(database, served);
  await ensureShippedSets(database.scoped('all'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { home, devices, token } = await prepareIngest(client);
  await setRules(client, home, { count: 1_000, groups: 100 });
  const named = devices.map((id, i) => ({ id, name: `device-${i + 1}` }));
  const otlp = await addSource(client, home, 'OpenTelemetry', '{host.name}');
  const remote = await addSource(client, home, 'RemoteWrite', '{instance}');
  const ingest = await openIngest({ database, log });
  const intake = await openIntake({ database, log, storeItems: (ctx, items) => ingest.ingest(ctx, items) });
  const watch = await watchDevices(database, (error) => log.error(error));
  const raw = rawRoutes({
    ingest: ingest.ingestBody,
    watch,
    stream: () => Promise.reject(new Error('Nobody listens here.')),
    files: {} as never,
    signIn: () => Promise.reject(new Error('Nobody signs in here.')),
  });
  const api = await serveApi(database, { rawRoutes: raw, intake });
  const ways = {
    native: { path: '/v1/packets', token, headers: { 'content-type': 'application/json' } },
    otlp: { path: `/v1/intake/${otlp.id}/v1/metrics`, token: otlp.token, headers: { 'content-type': 'application/x-protobuf' } },
    remoteWrite: {
      path: `/v1/intake/${remote.id}/api/v1/write`,
      token: remote.token,
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    },
  };
  type Way = keyof typeof ways;
  // Each request has a time of its own, later than those before, as of a sender that reports again.
  let at = Date.now() - 86_400_000;
  const measure = async (way: Way, count: number, time: number): Promise<number> => {
    const bodies = Array.from({ length: count }, (_, n) =>
      forms[way]({
        at: (at += 1),
        devices: Array.from(
          { length: devicesPerRequest },
          (_device, i) => named[(n * devicesPerRequest + i) % named.length] ?? { id: '', name: '' },
        ),
        values: [(n * 13) % 85, (n * 7) % 80, 12_345 + n, 55.5],
      }),
    );
    const { path, headers, token: bearer } = ways[way];
    const sent = await sendInThread({ port: api.port, token: bearer, devices, seconds: time, sent: { path, headers, bodies } });
    if (sent.failure) throw new Error(`A request failed: ${sent.failure}`);
    return Math.round((sent.batches * devicesPerRequest) / sent.seconds);
  };
  const figures: Record<Way, number[]> = { native: [], otlp: [], remoteWrite: [] };
  const order: readonly Way[] = ['native', 'otlp', 'remoteWrite'];
  for (const way of order) await measure(way, 300, 1);
  for (let i = 0; i < rounds; i += 1) for (const way of order) figures[way].push(await measure(way, requests, seconds));
  await api.close();
  await watch.close();
  await intake.close();
  await ingest.stop();
  await client.end();
  await database.close();
  const middle = (way: Way): number => percentile(figures[way], 0.5);
  const row = (way: Way, name: string): BenchRow => ({
    name: `${name}: ${devicesPerRequest} devices of ${metrics.length} metrics a request, 1,000 rules, over HTTP; the middle of ${rounds} rounds`,
    figures: {
      'packets/s': middle(way),
      'native packets/s': middle('native'),
      runs: `${figures[way].join(' ')}; native ${figures.native.join(' ')}`,
    },
    ratio: { of: 'the same packets in the format of CloudFit', value: Math.round((middle(way) / middle('native')) * 100) / 100 },
  });
  return [row('otlp', 'OTLP metrics in protobuf'), row('remoteWrite', 'Prometheus remote write 1.0')];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
