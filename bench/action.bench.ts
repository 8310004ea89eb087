/** Measures the time from a packet to its action's request at a local receiver, idle and at half of the maximum packet rate. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { batchSize, sendInThread } from './packets.ts';
import { addDevices, addRules, addToken, caller, findHome, type Call, type SubscriptionIds } from './site.ts';

const samples = 200;
const warmUps = 20;
const patienceMs = 10_000;
const loadedDevices = 800;
const otherRules = 1_000;
const loadedSeconds = 20;

interface Receiver {
  url: string;
  /** Resolves when the receiver gets the action about the device. */
  next(deviceId: string): Promise<void>;
  close(): void;
}

async function receive(): Promise<Receiver> {
  const awaited = new Map<string, () => void>();
  const server = http.createServer((request, response) => {
    awaited.get(request.url?.slice(1) ?? '')?.();
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const next = (deviceId: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`No action within ${patienceMs / 1_000} s.`)), patienceMs);
    awaited.set(deviceId, () => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function addRule(client: pg.Client, home: SubscriptionIds, url: string): Promise<void> {
  const {
    rows: [action],
  } = await client.query<{ id: string }>(
    `insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method, body)
    values ($1, 'Receiver', 3, $2, 'POST', '{"name": "{DeviceName}"}') returning action_definition_id as id`,
    [home.tenantId, `${url}/{DeviceId}`],
  );
  const conditions = [
    {
      Type: 'And',
      LeftOperand: operandId.metric,
      LeftOperandFieldName: 'Temperature',
      Operator: operatorId.greaterThan,
      RightOperand: '90',
    },
  ];
  await client.query(
    `insert into rule (tenant_id, subscription_id, name, rule_type_id, match_lifetime, conditions, match_actions, storm_limit) values ($1, $2, 'Too hot', 1, 300, $3, $4, 10000)`,
    [home.tenantId, home.subscriptionId, JSON.stringify(conditions), JSON.stringify([{ ActionDefinitionId: action?.id, Parameters: {} }])],
  );
}

async function measure(call: Call, receiver: Receiver, devices: readonly { deviceId: string }[]): Promise<number[]> {
  const latencies: number[] = [];
  for (const { deviceId } of devices) {
    const came = receiver.next(deviceId);
    const started = performance.now();
    await call('POST', '/v1/packets', [{ entityId: deviceId, message: { Metrics: { Temperature: 97, Cpu: 40 } } }]);
    await came;
    latencies.push(performance.now() - started);
    await sleep(20);
  }
  return latencies;
}

const figuresOf = (latencies: readonly number[]) => ({
  'p50 ms': percentile(latencies, 0.5),
  'p95 ms': percentile(latencies, 0.95),
  'p99 ms': percentile(latencies, 0.99),
});

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const receiver = await receive();
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid), OUTBOUND_ALLOW: '127.0.0.1' } });
  const client = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await client.connect();
    const home = await findHome(client);
    const devices = await addDevices(client, home, warmUps + 2 * samples);
    const crowd = (await addDevices(client, home, loadedDevices)).map((device) => device.deviceId);
    await addRules(client, home, otherRules);
    await addRule(client, home, receiver.url);
    await client.query('analyze');
    await client.query("select pg_notify('rules', '')");
    const token = await addToken(client, home.tenantId);
    const { call, close } = caller(server.url, token);
    await sleep(1_500);
    const idle = (await measure(call, receiver, devices.slice(0, warmUps + samples))).slice(warmUps);
    const load = { port: Number(new URL(server.url).port), token, devices: crowd, seconds: 4 };
    const full = await sendInThread(load);
    const perSecond = full.batches / load.seconds;
    let isOver = false;
    const loading = sendInThread({ ...load, seconds: loadedSeconds, batchesPerSecond: perSecond / 2 }).finally(() => (isOver = true));
    await sleep(500);
    const loaded: number[] = [];
    for (const device of devices.slice(warmUps + samples)) {
      if (isOver) break;
      loaded.push(...(await measure(call, receiver, [device])));
    }
    const sent = await loading;
    close();
    const failure = full.failure ?? sent.failure;
    if (failure) throw new Error(`A batch failed: ${failure}`);
    return [
      {
        name: `packet sent to its action at a local receiver, idle server, ${otherRules} other rules, ${samples} fresh devices`,
        figures: figuresOf(idle),
      },
      {
        name: `same while batches of ${batchSize} come at half the pace of full load`,
        figures: {
          ...figuresOf(loaded),
          samples: loaded.length,
          'full load packets/s': Math.round(perSecond * batchSize),
          'sent packets/s': Math.round((sent.batches * batchSize) / loadedSeconds),
        },
      },
    ];
  } finally {
    receiver.close();
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
