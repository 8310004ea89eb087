/** Measures the time from sending a packet until its work unit is visible in the API, on an idle system. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { addDevices, addToken, caller, findHome, type Call, type SubscriptionIds } from './site.ts';

const warmUps = 20;
const samples = 200;
const pollMs = 5;
const patienceMs = 10_000;
const ruleName = 'CPU is high';

async function addRule(call: Call, home: SubscriptionIds): Promise<void> {
  const conditions = starterRule.conditions.map((condition) => ({ ...condition, OccurrencePattern: undefined }));
  // Each device matches, more than the 100 a minute after which a rule's matches wait as a group.
  await call('PUT', '/v1/rules', { ...starterRule, ...home, name: ruleName, conditions, stormLimit: 10_000 });
  // Gives the running server time to load the new rule.
  await sleep(1_000);
}

/** Milliseconds until the packet is acknowledged, and until the work unit is visible. */
async function sample(
  call: Call,
  home: SubscriptionIds,
  device: { deviceId: string; name: string },
): Promise<{ answered: number; visible: number }> {
  const filter = encodeURIComponent(`tenantId eq ${home.tenantId} and title eq '${ruleName}: ${device.name}'`);
  const started = performance.now();
  await call('POST', '/v1/packets', [
    { entityId: device.deviceId, message: { Metrics: { Cpu: 97, Memory: 40, Uptime: 12_345 }, States: { Health: 'Healthy' } } },
  ]);
  const answered = performance.now() - started;
  while (performance.now() - started < patienceMs) {
    const { value } = (await call('GET', `/v1/workunits?$filter=${filter}`)) as { value: unknown[] };
    if (value.length > 0) return { answered, visible: performance.now() - started };
    await sleep(pollMs);
  }
  throw new Error(`No work unit for ${device.name} within ${patienceMs / 1_000} s.`);
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const client = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await client.connect();
    const home = await findHome(client);
    const devices = await addDevices(client, home, warmUps + samples);
    const { call, close } = caller(server.url, await addToken(client, home.tenantId));
    await addRule(call, home);
    const latencies: { answered: number; visible: number }[] = [];
    for (const device of devices) {
      latencies.push(await sample(call, home, device));
      await sleep(20);
    }
    close();
    const measured = latencies.slice(warmUps);
    const visible = measured.map((item) => item.visible);
    return [
      {
        name: `packet received to work unit visible by the API, idle system, one rule, ${samples} fresh devices, looked for every ${pollMs} ms`,
        figures: {
          'p50 ms': percentile(visible, 0.5),
          'p95 ms': percentile(visible, 0.95),
          'p99 ms': percentile(visible, 0.99),
          'most ms': percentile(visible, 0.9999),
          'packet acknowledged p50 ms': percentile(
            measured.map((item) => item.answered),
            0.5,
          ),
        },
      },
    ];
  } finally {
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
