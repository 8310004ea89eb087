/** Packets stored and evaluated per second over HTTP, beside a bare handler that only inserts the same batches. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { pino } from 'pino';
import { systemCtx } from '../server/src/auth/system-ctx.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openIngest } from '../server/src/ingest/accept.ts';

export interface BenchRow {
  name: string;
  figures: Record<string, string | number>;
  ratio?: { of: string; value: number; wanted: number };
}

const senders = 8;
const batchSize = 100;
const deviceCount = 800;
const ruleCount = 1_000;
const rulesPerDevice = 10;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);

interface Fixture {
  tenantId: string;
  devices: string[];
}

/** Every device is concerned by ten rules of the thousand: five on all devices of its tag, each with another metric or pattern. */
async function prepare(url: string): Promise<Fixture> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tenantId = randomUUID();
  await client.query(`insert into tenant (tenant_id, name) values ($1, $2)`, [tenantId, `Bench ${tenantId}`]);
  const [subscription] = (
    await client.query<{ subscription_id: string }>(
      `insert into subscription (tenant_id, name) values ($1, 'Bench') returning subscription_id`,
      [tenantId],
    )
  ).rows;
  const groups = ruleCount / rulesPerDevice;
  const devices = (
    await client.query<{ device_id: string }>(
      `insert into device (tenant_id, subscription_id, name, tags) select $1, $2, 'device-' || n, 'group-' || (n % $3) from generate_series(0, $4 - 1) n returning device_id`,
      [tenantId, subscription?.subscription_id, groups, deviceCount],
    )
  ).rows.map((row) => row.device_id);
  const rules = Array.from({ length: ruleCount }, (_, i) => ({
    tenant_id: tenantId,
    name: `rule ${i}`,
    rule_type_id: 1,
    match_lifetime: 300,
    conditions: [
      { Type: 'And', LeftOperand: 32, Operator: 1, RightOperand: `group-${i % groups}` },
      {
        Type: 'And',
        LeftOperand: 62,
        LeftOperandFieldName: i % 2 ? 'Cpu' : 'Memory',
        Operator: 3,
        RightOperand: String(90 + (i % 7)),
        ...(Math.floor(i / groups) % 3 === 0 ? { OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } } : {}),
      },
    ],
  }));
  await client.query(
    `insert into rule (tenant_id, name, rule_type_id, match_lifetime, conditions) select tenant_id, name, rule_type_id, match_lifetime, conditions
     from jsonb_to_recordset($1::jsonb) as r (tenant_id uuid, name text, rule_type_id int, match_lifetime int, conditions jsonb)`,
    [JSON.stringify(rules)],
  );
  await client.query(
    'create table if not exists bare_packet (tenant_id uuid not null, entity_id uuid not null, timestamp timestamptz(3) not null, received_timestamp timestamptz(3) not null default now(), packet_id uuid not null default uuidv7(), message jsonb not null)',
  );
  await client.query('create index if not exists bare_packet_entity on bare_packet (entity_id, timestamp desc)');
  await client.query('analyze');
  await client.end();
  return { tenantId, devices };
}

/** Bodies of one sender, made beforehand; one packet in two hundred is over the rules' limits. */
function bodiesOf(devices: readonly string[], sender: number): Buffer[] {
  const own = devices.filter((_, i) => i % senders === sender);
  return Array.from({ length: 20 }, (_, n) =>
    Buffer.from(
      JSON.stringify(
        Array.from({ length: batchSize }, (_p, i) => ({
          entityId: own[(n * batchSize + i) % own.length],
          message: {
            Properties: { Host: `host-${i}`, Version: '1.4.2' },
            Metrics: {
              Cpu: (n * 7 + i) % 200 === 0 ? 97 : (i * 13 + n) % 85,
              Memory: (i * 7 + n) % 80,
              Uptime: 12_345 + i,
              DiskFree: 55.5,
            },
            States: { Health: 'Healthy' },
          },
        })),
      ),
    ),
  );
}

interface LoadResult {
  batches: number;
  refused: number;
  latencies: number[];
}

async function send(port: number, bodies: readonly Buffer[], until: number): Promise<LoadResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const result: LoadResult = { batches: 0, refused: 0, latencies: [] };
  for (let n = 0; performance.timeOrigin + performance.now() < until; n += 1) {
    const body = bodies[n % bodies.length] as Buffer;
    const started = performance.now();
    const status = await new Promise<number>((resolve, reject) => {
      const request = http.request(
        {
          port,
          agent,
          method: 'POST',
          path: '/v1/packets',
          headers: { 'content-type': 'application/json', 'content-length': body.length },
        },
        (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
    result.latencies.push(performance.now() - started);
    if (status === 200) result.batches += 1;
    else result.refused += 1;
  }
  agent.destroy();
  return result;
}

async function load(port: number, devices: readonly string[], forSeconds: number): Promise<LoadResult> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { port, devices, forSeconds }, execArgv: [] });
  const result = await new Promise<LoadResult>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  return result;
}

async function serve(handle: (body: string) => Promise<unknown>): Promise<{ port: number; close: () => Promise<void> }> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      handle(Buffer.concat(parts).toString())
        .then((answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)))
        .catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const bareInsert = `insert into bare_packet (tenant_id, entity_id, timestamp, message)
select $1, (p ->> 'entityId')::uuid, now(), p -> 'message' from jsonb_array_elements($2::jsonb) p`;

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

interface Measured {
  perSecond: number;
  p50: number;
  p95: number;
  refused: number;
}

async function measure(handle: (body: string) => Promise<unknown>, devices: readonly string[]): Promise<Measured> {
  const server = await serve(handle);
  await load(server.port, devices, 1.5);
  const result = await load(server.port, devices, seconds);
  await server.close();
  return {
    perSecond: Math.round((result.batches * batchSize) / seconds),
    refused: result.refused,
    p50: Math.round(percentile(result.latencies, 0.5) * 10) / 10,
    p95: Math.round(percentile(result.latencies, 0.95) * 10) / 10,
  };
}

/** `url` names an empty database of a server that this run may fill. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const fixture = await prepare(url);
  const log = pino({ level: 'error' });
  const pool = new pg.Pool({ connectionString: url, max: senders });
  const bare = await measure(
    (body) => pool.query({ name: 'bare', text: bareInsert, values: [fixture.tenantId, body] }).then(() => ({ ok: true })),
    fixture.devices,
  );
  await pool.end();

  const database = openDatabase({ url, max: 10, onError: (error) => log.error(error) });
  const ingest = await openIngest({ database, log });
  const ctx = systemCtx({ database, log, name: 'bench', tenants: [fixture.tenantId] });
  const full = await measure((body) => ingest.ingestBody(ctx, body, 'application/json'), fixture.devices);
  await ingest.stop();
  await database.close();
  const value = Math.round((full.perSecond / bare.perSecond) * 100) / 100;
  return [
    {
      name: `packets stored and evaluated, ${ruleCount} rules (${rulesPerDevice} per packet), batches of ${batchSize}, ${senders} senders`,
      figures: {
        'packets/s': full.perSecond,
        'p50 ms': full.p50,
        'p95 ms': full.p95,
        refused: full.refused,
        'bare insert packets/s': bare.perSecond,
      },
      ratio: { of: 'bare node:http insert', value, wanted: 0.45 },
    },
  ];
}

if (!isMainThread && parentPort) {
  const { port, devices, forSeconds } = workerData as { port: number; devices: string[]; forSeconds: number };
  const until = performance.timeOrigin + performance.now() + forSeconds * 1_000;
  const results = await Promise.all(Array.from({ length: senders }, (_, sender) => send(port, bodiesOf(devices, sender), until)));
  parentPort.postMessage({
    batches: results.reduce((sum, r) => sum + r.batches, 0),
    refused: results.reduce((sum, r) => sum + r.refused, 0),
    latencies: results.flatMap((r) => r.latencies),
  } satisfies LoadResult);
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await bench(), null, 2));
}
