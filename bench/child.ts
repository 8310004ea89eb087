/** Runs one bench in its own process, so that it does not inherit memory or compiled code from another bench. */
import type { BenchRow } from './load.ts';
import type { BenchName } from './targets.ts';

const benches: Record<BenchName, () => Promise<{ bench(url: string): Promise<BenchRow[]> }>> = {
  rules: () => import('./rules.bench.ts'),
  ingest: () => import('./ingest.bench.ts'),
  sources: () => import('./sources.bench.ts'),
  queue: () => import('./queue.bench.ts'),
  expiry: () => import('./expiry.bench.ts'),
  action: () => import('./action.bench.ts'),
  storm: () => import('./storm.bench.ts'),
  backlog: () => import('./backlog.bench.ts'),
  agents: () => import('./agents.bench.ts'),
  fleet: () => import('./fleet/fleet.bench.ts'),
  stream: () => import('./fleet/stream.bench.ts'),
  servers: () => import('./fleet/servers.bench.ts'),
  connections: () => import('./fleet/connections.bench.ts'),
  campaigns: () => import('./campaigns.bench.ts'),
  policies: () => import('./policies.bench.ts'),
  operations: () => import('./operations.bench.ts'),
  growth: () => import('./fleet/growth.bench.ts'),
  series: () => import('./series.bench.ts'),
  backtest: () => import('./backtest.bench.ts'),
  explain: () => import('./explain.bench.ts'),
  latency: () => import('./latency.bench.ts'),
  'work-units': () => import('./lists/work-units.bench.ts'),
  screens: () => import('./lists/screens.bench.ts'),
  upload: () => import('./upload.bench.ts'),
  poll: () => import('./poll.bench.ts'),
  batch: () => import('./batch.bench.ts'),
  start: () => import('./start.bench.ts'),
  portal: () => import('./portal/portal.bench.ts'),
};

const { bench } = await benches[process.argv[2] as BenchName]();
const rows = await bench(process.env['BENCH_DATABASE_URL'] ?? '');
process.send?.(rows, () => process.exit(0));
