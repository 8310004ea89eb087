/** Measures a poll without news while other tenants write changes, and an export of a thousand rows. */
import http from 'node:http';
import pg from 'pg';
import { pino } from 'pino';
import { ensureShippedSets } from '../server/src/auth/shipped.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { served } from '../server/src/app/served.ts';
import { percentile, type BenchRow } from './load.ts';
import { serveApi } from './serve-api.ts';
import { addToken } from './site.ts';

const units = 50_000;
/** Recent changes of other tenants, which a poll has to skip. */
const changes = 100_000;

interface PollResponse {
  status: number;
  etag: string;
  bytes: number;
  ms: number;
}

function reader(port: number, bearer: string): (path: string, etag?: string) => Promise<PollResponse> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return (path, etag) =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const headers = { authorization: `Bearer ${bearer}`, ...(etag ? { 'if-none-match': etag } : {}) };
      http
        .get({ port, host: '127.0.0.1', agent, path, headers }, (answer) => {
          let bytes = 0;
          answer.on('data', (part: Buffer) => (bytes += part.length));
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, etag: answer.headers.etag ?? '', bytes, ms: performance.now() - started }),
          );
        })
        .on('error', reject);
    });
}

/** The durations of `count` reads after a warm-up. Each read must answer `status`. */
async function times(count: number, status: number, read: () => Promise<PollResponse>): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count + 30; i++) {
    const answer = await read();
    if (answer.status !== status) throw new Error(`A read answered ${answer.status}, not ${status}.`);
    if (i >= 30) all.push(answer.ms);
  }
  return all;
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const log = pino({ level: 'error' });
  const database = openDatabase({ url, max: 10, onError: (error) => log.error(error) });
  await ensureShippedSets(database.scoped('all'));
  const { rows: tenants } = await client.query<{ tenant_id: string }>(
    "insert into tenant (name) select 'Tenant ' || n from generate_series(1, 20) n returning tenant_id",
  );
  await client.query(
    `insert into work_unit (tenant_id, title, description, work_unit_type_id, created_by, modified_by)
     select ($1::uuid[])[1 + n % 20], 'Gateway ' || n || ' stopped reporting', 'Opened by a rule.', 1, 'bench', 'bench' from generate_series(1, $2::int) n`,
    [tenants.map((row) => row.tenant_id), units],
  );
  await client.query('vacuum analyze work_unit');
  const tenant = tenants[0]?.tenant_id ?? '';
  const bearer = await addToken(client, tenant);
  await registerServed(database, served);
  const api = await serveApi(database, {});
  const read = reader(api.port, bearer);

  const list = `/v1/workunits?$filter=${encodeURIComponent("stateId eq 'New'")}&$orderby=severityId,created%20desc&$top=100&$count=true&$expand=tenant`;
  const full = await times(100, 200, () => read(list));
  const { etag } = await read(list);
  await client.query(
    `insert into change (tenant_id, verb, entity, entity_id, correlation_id) select $1, 'update', 'workUnits', n::text, uuidv7() from generate_series(1, $2::int) n`,
    [tenants[1]?.tenant_id, changes],
  );
  await client.query('analyze change');
  const polls = await times(500, 304, () => read(list, etag));
  const exported = await times(20, 200, () => read('/v1/workunits/Export()?$expand=tenant($select=name)'));
  await api.close();
  await client.end();
  await database.close();
  return [
    {
      name: `poll of 100 work units with count and expand answered by 304, ${changes.toLocaleString('en')} changes of another tenant since`,
      figures: {
        'p50 ms': percentile(polls, 0.5),
        'p95 ms': percentile(polls, 0.95),
        'whole answer p95 ms': percentile(full, 0.95),
      },
    },
    {
      name: 'export of 1,000 work units as CSV, one client',
      figures: { 'p50 ms': percentile(exported, 0.5), 'p95 ms': percentile(exported, 0.95) },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
