/** Measures lists of the large demo data over HTTP: those of the screens beside bare SQL, sorted by each column, counted. */
import pg from 'pg';
import { pino } from 'pino';
import { ensureShippedSets } from '../../server/src/auth/shipped.ts';
import { openDatabase } from '../../server/src/db/connection.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { fillDemo } from '../../server/src/demo/fill.ts';
import { sizes } from '../../server/src/demo/sizes.ts';
import { planList } from '../../server/src/resources/list.ts';
import { registerServed, servedNamed } from '../../server/src/resources/served.ts';
import { served } from '../../server/src/app/served.ts';
import { systemCtx } from '../../server/src/auth/system-ctx.ts';
import { findSampleNames, screenLists } from '../../server/src/testing/screen-lists.ts';
import { serverProcess } from '../../server/src/testing/server-process.ts';
import { measure, percentile, type BenchRow, type LoadResult } from '../load.ts';
import { addToken, indexForSearch, withoutIndexes } from '../site.ts';
import { sortedLists } from '../../server/src/testing/statements/sorted-lists.ts';
import { timeSortedLists } from './sorted-lists.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 1);
const bareRuns = 40;
const countClients = 8;
/** How often HTTP and bare SQL are measured in turn. The median counts, so that a short disturbance has no effect. */
const rounds = 3;

const middle = (times: readonly number[]): number => percentile(times, 0.5);

async function bareP95(client: pg.Client, text: string, values: readonly unknown[]): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < bareRuns; i++) {
    const started = performance.now();
    await client.query({ name: text.length < 60 ? text : `bare ${text.length} ${values.length}`, text, values: [...values] });
    if (i >= 10) times.push(performance.now() - started);
  }
  return percentile(times, 0.95);
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const database = openDatabase({ url, max: 2, onError: () => undefined });
  const db = database.scoped('all');
  await ensureShippedSets(db);
  const size = { ...sizes.large, packetDays: 1, workUnits: Number(process.env['BENCH_WORK_UNITS'] ?? sizes.large.workUnits) };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await withoutIndexes(client, 'work_unit', () => fillDemo(db, { size, seed: 1, at: new Date() }));
  await registerServed(database, served);
  await indexForSearch(client);
  await client.query('vacuum analyze');
  const named = await findSampleNames(db);
  const {
    rows: [large],
  } = await client.query<{ tenantId: string }>('select tenant_id as "tenantId" from work_unit group by 1 order by count(*) desc limit 1');
  const largest = await addToken(client, large?.tenantId ?? null);
  const bearers = { one: await addToken(client, named.tenantId), all: await addToken(client, null) };
  const server = await serverProcess({ databaseUrl: url, roles: 'api' });
  await server.start();
  const ctx = systemCtx({ database, log: pino({ level: 'silent' }), name: 'bench' });
  const figures: Record<string, string | number> = {};
  const slowest = { p95: 0, ratio: 0 };
  const counted: LoadResult[] = [];
  let sorted: Awaited<ReturnType<typeof timeSortedLists>> = [];
  try {
    for (const { screen, set, query, all } of screenLists(named)) {
      const path = `/v1/${set}?${encodeURI(query)}`;
      const headers = { authorization: `Bearer ${all ? bearers.all : bearers.one}` };
      const { statement } = planList(ctx, servedNamed(set), encodeURI(query));
      const load = { port: Number(new URL(server.url).port), clients: 1, seconds, headers, requests: [{ method: 'GET', path }] };
      const overHttp: number[] = [];
      const bares: number[] = [];
      for (let round = 0; round < rounds; round++) {
        overHttp.push((await measure(load)).p95);
        bares.push(await bareP95(client, statement.text, statement.values ?? []));
      }
      const [p95, bare] = [middle(overHttp), middle(bares)];
      // A figure below 5 ms is mostly the HTTP round trip.
      const ratio = Math.max(p95, 5) / Math.max(bare, 5);
      figures[screen] = `${p95} ms (bare ${bare} ms)`;
      slowest.p95 = Math.max(slowest.p95, p95);
      slowest.ratio = Math.max(slowest.ratio, ratio);
    }
    const path = '/v1/workUnits?$orderby=severityId,created%20desc&$top=10&$count=true';
    const headers = { authorization: `Bearer ${bearers.all}` };
    const load = { port: Number(new URL(server.url).port), clients: countClients, seconds, headers, requests: [{ method: 'GET', path }] };
    for (let round = 0; round < rounds; round++) counted.push(await measure(load));
    sorted = await timeSortedLists(sortedLists(named), Number(new URL(server.url).port), { one: largest, all: bearers.all });
  } finally {
    await server.remove();
    await client.end();
    await database.close();
  }
  return [
    {
      name: `${screenLists(named).length} lists of screens over HTTP, ${size.workUnits.toLocaleString('en')} work units of ${size.tenants} tenants, one client, in turn with the statement run bare, the middle of ${rounds} rounds; slowest p95, and the worst ratio to it (both at least 5 ms)`,
      figures: { 'slowest p95 ms': slowest.p95, ...figures },
      ratio: { of: 'p95 over the same statement bare (at most)', value: Math.round(slowest.ratio * 100) / 100 },
    },
    {
      name: `${sorted.length.toLocaleString('en')} lists over HTTP, sorted by each column that a header sorts by, up and down, of all tenants and of the largest one, with each quick filter, the first page and row 10,000, with a bounded count; one client`,
      figures: {
        'slowest p95 ms': sorted[0]?.p95 ?? 0,
        'over 60 ms': sorted.filter(({ p95 }) => p95 > 60).length,
        ...Object.fromEntries(sorted.slice(0, 20).map(({ name, p95 }) => [name, p95])),
      },
    },
    {
      name: `ten of ${size.workUnits.toLocaleString('en')} work units of all tenants with their exact count over HTTP, ${countClients} clients, the middle of ${rounds} rounds`,
      figures: { 'requests/s': middle(counted.map(({ perSecond }) => perSecond)), 'p95 ms': middle(counted.map(({ p95 }) => p95)) },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
