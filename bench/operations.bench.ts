/** Measures, with a real agent and server, the time from a request to its result, and the CPU time of the agent itself. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgentSite } from '../server/src/testing/agent-site.ts';
import { percentile, type BenchRow } from './load.ts';

const requests = 20;
const operationCount = 200;
const measuredMs = Number(process.env['BENCH_OPERATION_SECONDS'] ?? 60) * 1_000;

const manifest = {
  name: 'Bench',
  version: '1.0.0',
  type: 'Watcher',
  executable: 'run.sh',
  executableType: 'Script',
  operations: [{ name: 'one', output: 'json', result: 'Numeric', frequencies: ['OnDemand', 'Recurring'] }],
};

/** CPU time of the process itself, without its children, in ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const site = await startAgentSite({ databaseUrl: url });
  try {
    const agent = site.startAgent();
    const deviceId = await site.promote();
    const operationId = (await site.install(manifest, { 'run.sh': 'echo \'{"value": 1}\'\n' }))['one'];
    const add = async (label: string, over: object) => {
      const body = { deviceId, operationId, label, enabled: true, ...over };
      return String((await site.call('PUT', '/v1/deviceOperations', body))['deviceOperationId']);
    };
    const id = await add('On demand', { frequencyTypeId: 1 });
    const latencies: number[] = [];
    for (let n = 0; n <= requests; n++) {
      const began = performance.now();
      const { completionToken } = await site.call('POST', `/v1/deviceOperations/${id}/enqueueOnDemand`, {});
      const ended = 'select operation_run_id from operation_run where operation_run_id = $1 and ended is not null';
      await site.until('the run ends', ended, [completionToken], 60_000);
      await site.call('GET', `/v1/devices/${deviceId}/latestOperationRuns`);
      // The first request does not count, because it waits for the installation of the package.
      if (n > 0) latencies.push(performance.now() - began);
      await sleep(500);
    }
    const idleFrom = cpuMs(agent.pid());
    await sleep(measuredMs / 4);
    const idle = cpuMs(agent.pid()) - idleFrom;
    for (let n = 0; n < operationCount; n++) await add(`Each minute ${n}`, { frequencyTypeId: 2, interval: '00:01:00' });
    await sleep(60_000);
    const from = cpuMs(agent.pid());
    const before = new Date().toISOString();
    await sleep(measuredMs);
    const busy = cpuMs(agent.pid()) - from;
    const { runs } = await site.until<{ runs: number }>(
      'runs',
      'select count(*)::int as runs from operation_run where requested_by is null and started > $1',
      [before],
    );
    return [
      {
        name: `Enqueue to result, ${requests} times`,
        figures: { 'p50 ms': percentile(latencies, 0.5), 'p95 ms': percentile(latencies, 0.95) },
      },
      {
        name: `one agent with ${operationCount} operations each minute`,
        figures: {
          '% of a core': (busy / measuredMs) * 100,
          '% of a core, idle': (idle / (measuredMs / 4)) * 100,
          'ms a run': busy / Math.max(runs, 1),
          runs,
        },
      },
    ];
  } finally {
    await site.close();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
