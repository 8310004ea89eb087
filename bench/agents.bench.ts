/**
 * Simulates agents that each send one packet every 30 s: measures response times, errors and the server's memory over time. The
 * promised figure needs BENCH_AGENTS=10000 and BENCH_AGENT_MINUTES=10.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, residentMb, type BenchRow } from './load.ts';
import { addDevices, addRules, addToken, findHome } from './site.ts';

const agentCount = Number(process.env['BENCH_AGENTS'] ?? 2_000);
const minutes = Number(process.env['BENCH_AGENT_MINUTES'] ?? 1);
const everyMs = 30_000;
const ruleCount = 1_000;
const patienceMs = 15_000;

interface Site {
  port: number;
  token: string;
  devices: readonly string[];
}

/** Sends packets over keep-alive connections until `until`. `late`: how many ms after its schedule each packet was sent. */
async function report(site: Site, until: number): Promise<{ latencies: number[]; late: number[]; errors: string[] }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 256 });
  const latencies: number[] = [];
  const late: number[] = [];
  const errors: string[] = [];
  const send = (deviceId: string, n: number): Promise<void> =>
    new Promise((resolve) => {
      const body = JSON.stringify([
        { entityId: deviceId, message: { Metrics: { Cpu: n % 85, Memory: 40, DiskFree: 55.5 }, States: { Health: 'Healthy' } } },
      ]);
      const headers = {
        authorization: `Bearer ${site.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const started = performance.now();
      const fail = (words: string): void => {
        errors.push(words);
        resolve();
      };
      http
        .request(
          {
            port: site.port,
            host: '127.0.0.1',
            agent,
            method: 'POST',
            path: '/v1/packets',
            headers,
            signal: AbortSignal.timeout(patienceMs),
          },
          (answer) => {
            const parts: Buffer[] = [];
            // An aborted response never emits `end`.
            answer.on('error', (error) => fail(error.message));
            answer.on('data', (part: Buffer) => parts.push(part));
            answer.on('end', () => {
              latencies.push(performance.now() - started);
              const text = Buffer.concat(parts).toString();
              if (answer.statusCode === 200 && !text.includes('refused')) resolve();
              else fail(`${answer.statusCode} ${text.slice(0, 300)}`);
            });
          },
        )
        .on('error', (error) => fail(error.message))
        .end(body);
    });
  const began = performance.now();
  const under: Promise<void>[] = [];
  for (let n = 0; ; n++) {
    const due = began + (n * everyMs) / site.devices.length;
    if (due > until) break;
    const wait = due - performance.now();
    if (wait > 1) await sleep(wait);
    late.push(Math.max(0, performance.now() - due));
    under.push(send(site.devices[n % site.devices.length] ?? '', n));
  }
  await Promise.all(under);
  agent.destroy();
  return { latencies, late, errors };
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const client = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await client.connect();
    const home = await findHome(client);
    const devices = (await addDevices(client, home, agentCount)).map((device) => device.deviceId);
    await addRules(client, home, ruleCount);
    await client.query('analyze');
    await client.query("select pg_notify('rules', '')");
    const site = { port: Number(new URL(server.url).port), token: await addToken(client, home.tenantId), devices };
    await sleep(1_500);
    // First, each agent reports once, so that the server's caches are filled before the memory is measured.
    await report(site, performance.now() + everyMs);
    const memory = [residentMb(server.pid())];
    const watching = setInterval(() => memory.push(residentMb(server.pid())), 5_000);
    const { latencies, late, errors } = await report(site, performance.now() + minutes * 60_000);
    clearInterval(watching);
    memory.push(residentMb(server.pid()));
    if (errors.length > 0) {
      const kinds = [...Map.groupBy(errors, (words) => words)].map(([words, all]) => `${all.length} x ${words}`).slice(0, 5);
      throw new Error(`${errors.length} of ${late.length} packets failed: ${kinds.join('; ')}\n${server.output().slice(-2_000)}`);
    }
    return [
      {
        name: `${agentCount} agents that send one packet every ${everyMs / 1_000} s for ${minutes} min, ${ruleCount} rules`,
        figures: {
          'p50 ms': percentile(latencies, 0.5),
          'p95 ms': percentile(latencies, 0.95),
          'p99 ms': percentile(latencies, 0.99),
          packets: latencies.length,
          errors: errors.length,
          'resident MB at first': memory[0] ?? 0,
          'resident MB at most': Math.max(...memory),
          'resident MB at last': memory.at(-1) ?? 0,
          'sender late p99 ms': percentile(late, 0.99),
        },
      },
    ];
  } finally {
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
