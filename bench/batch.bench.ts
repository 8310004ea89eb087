/** Measures what a list costs as a call of a `$batch`, and alone, in turns in the same run. */
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

const list = '/v1/workunits?$top=500&$expand=tenant&$orderby=created';
const lists = 20;
const rounds = 15;

function caller(port: number, bearer: string): (method: string, path: string, body?: object) => Promise<string> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', agent, path, method, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve(Buffer.concat(parts).toString())
            : reject(new Error(`${path} answered ${answer.statusCode}.`)),
        );
      });
      request.on('error', reject).end(body && JSON.stringify(body));
    });
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const database = openDatabase({ url, max: 10, onError: (error) => pino({ level: 'error' }).error(error) });
  await ensureShippedSets(database.scoped('all'));
  const { rows: tenants } = await client.query<{ tenant_id: string }>("insert into tenant (name) values ('North') returning tenant_id");
  const tenant = tenants[0]?.tenant_id ?? '';
  await client.query(
    `insert into work_unit (tenant_id, title, description, work_unit_type_id, created_by, modified_by)
     select $1, 'Gateway ' || n || ' stopped reporting', repeat('Opened by a rule. ', 20), 1, 'bench', 'bench' from generate_series(1, 2000) n`,
    [tenant],
  );
  await client.query('vacuum analyze work_unit');
  const bearer = await addToken(client, tenant);
  await registerServed(database, served);
  const api = await serveApi(database, {});
  const call = caller(api.port, bearer);
  const requests = Array.from({ length: lists }, (_, i) => ({ id: String(i), method: 'GET', url: list }));
  const alone: number[] = [];
  const inBatch: number[] = [];
  let bytes = 0;
  for (let round = -3; round < rounds; round++) {
    const started = performance.now();
    for (let i = 0; i < lists; i++) await call('GET', list);
    const between = performance.now();
    bytes = (await call('POST', '/v1/$batch', { requests })).length;
    if (round < 0) continue;
    alone.push((between - started) / lists);
    inBatch.push((performance.now() - between) / lists);
  }
  await api.close();
  await client.end();
  await database.close();
  const [single, batched] = [percentile(alone, 0.5), percentile(inBatch, 0.5)];
  return [
    {
      name: `a list of 500 work units with their tenant, ${lists} of them in one $batch of ${Math.round(bytes / 1_048_576)} MB`,
      figures: { 'ms a list': batched, 'alone ms a list': single },
      ratio: { of: 'the same list alone', value: Math.round((batched / single) * 100) / 100 },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
