/**
 * Measures reads of metrics over HTTP (a month of one device, a day of fifty devices), and ingest with and without the roll-up
 * of as many packets as come in. BENCH_DEVICES=120 makes ten million packets.
 */
import pg from 'pg';
import { ensureShippedSets } from '../server/src/auth/shipped.ts';
import { served } from '../server/src/app/served.ts';
import { openDatabase, type Database } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { rollUp } from '../server/src/features/series/roll-up.ts';
import { seriesActions } from '../server/src/features/series/series.action.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { measureIngest, prepareIngest, setRules } from './ingest.bench.ts';
import { percentile, type BenchRow } from './load.ts';
import { serveApi } from './serve-api.ts';
import { caller, type Call } from './site.ts';

/** The number of devices with a month of packets; `dayDevices` more have packets of the last days only. */
const monthDevices = Number(process.env['BENCH_DEVICES'] ?? 6);
const dayDevices = 50;
const everySeconds = 30;
const calls = 60;
const retention = { packetDays: 31, minuteDays: 31, hourDays: 730 };
const rounds = 3;

/** Inserts the packets of all devices day by day, in the order in which packets arrive. Returns the ids of the devices. */
async function fill(client: pg.Client, tenantId: string): Promise<{ month: string[]; day: string[] }> {
  const { rows } = await client.query<{ id: string }>('select gen_random_uuid() as id from generate_series(1, $1::int)', [
    monthDevices + dayDevices,
  ]);
  const ids = rows.map((row) => row.id);
  const [month, day] = [ids.slice(0, monthDevices), ids.slice(monthDevices)];
  await client.query('select make_packet_partitions(current_date - 31)');
  for (let ago = 31; ago >= 0; ago -= 1)
    await client.query(
      `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
select $1, id, at, at, jsonb_build_object('Metrics', jsonb_build_object('Cpu', (random() * 1000)::int / 10.0, 'Memory', (random() * 1000)::int / 10.0, 'Disk', 55.5, 'Uptime', extract(epoch from at)::bigint),
  'States', jsonb_build_object('Health', 'Healthy'))
from generate_series(current_date - $3::int, current_date - $3::int + interval '1 day' - interval '1 second', make_interval(secs => ${everySeconds})) at cross join unnest($2::uuid[]) id
where at < now()`,
      [tenantId, ago <= 2 ? ids : month, ago],
    );
  await client.query(
    `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select id, $1, now(), now(), uuidv7(), '{"Metrics": {"Cpu": 1}}' from unnest($2::uuid[]) id`,
    [tenantId, ids],
  );
  return { month, day };
}

async function rollUpAll(database: Database): Promise<number> {
  const db = database.scoped('all');
  const started = performance.now();
  for (let more = true; more;) {
    await rollUp(database, retention);
    const [state] = await db.query<{ more: boolean }>({
      text: `select closed_until is null or closed_until < now() - interval '65 minutes' or exists (select from series_due where hour < now() - interval '65 minutes') as more from series_state`,
    });
    more = state?.more ?? false;
  }
  return (performance.now() - started) / 1_000;
}

interface ServedApi {
  call: Call;
  close(): Promise<void>;
}

async function serveSeries(database: Database, token: string): Promise<ServedApi> {
  const api = await serveApi(database, { actions: seriesActions({ seriesRetention: retention }) });
  const { call, close } = caller(`http://127.0.0.1:${api.port}`, token);
  return {
    call,
    close: async () => {
      close();
      await api.close();
    },
  };
}

/** Milliseconds of each call, one after another, for ranges that end at different moments. */
async function times(call: Call, body: (n: number) => object, count: number): Promise<number[]> {
  const durations: number[] = [];
  for (let n = -5; n < count; n += 1) {
    const started = performance.now();
    await call('POST', '/v1/series', body(n));
    if (n >= 0) durations.push(performance.now() - started);
  }
  return durations;
}

const day = 86_400_000;

function requestOf(series: readonly object[], days: number, points: number): (n: number) => object {
  return (n) => {
    const to = Date.now() - (n + 5) * 1_234;
    return { from: new Date(to - days * day).toISOString(), to: new Date(to).toISOString(), points, series };
  };
}

/** The best of some rounds: other work on the machine only makes them slower. */
async function best(call: Call, body: (n: number) => object): Promise<{ p50: number; p95: number }> {
  const all: { p50: number; p95: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const durations = await times(call, body, calls);
    all.push({ p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) });
  }
  return all.toSorted((a, b) => a.p95 - b.p95)[0] ?? { p50: 0, p95: 0 };
}

/** Marks past hours with about `packets` packets as due, and rolls them up while `work` runs. */
async function withComputing<T>(database: Database, packets: number, work: () => Promise<T>): Promise<{ result: T; computed: number }> {
  const db = database.scoped('all');
  const hours = Math.ceil(packets / (3_600 / everySeconds));
  await db.query({
    text: `insert into series_due (tenant_id, entity_id, hour)
select tenant_id, entity_id, page from series_minute where metric = 'Metrics.Cpu' order by page desc limit $1`,
    values: [hours],
  });
  let isOver = false;
  const computing = (async () => {
    while (!isOver) {
      await rollUp(database, retention);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const result = await work();
  isOver = true;
  await computing;
  const [left] = await db.query<{ due: number }>({ text: 'select count(*)::int as due from series_due' });
  await db.query({ text: 'delete from series_due' });
  return { result, computed: (hours - (left?.due ?? 0)) * (3_600 / everySeconds) };
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const database = openDatabase({ url, max: 10, onError: () => undefined });
  const db = database.scoped('all');
  await registerServed(database, served);
  await ensureShippedSets(db);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { home, devices, token } = await prepareIngest(client);
  await client.query('select keep_series_partitions(31)');
  const entities = await fill(client, home.tenantId);
  await client.query('analyze');
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from packet');
  const stored = rows[0]?.n ?? 0;
  const api = await serveSeries(database, token);
  const cpuOf = (ids: readonly string[]): object[] => ids.map((entityId) => ({ entityId, metric: 'Cpu' }));
  const month = requestOf(cpuOf(entities.month.slice(0, 1)), 30, 500);
  const board = requestOf(cpuOf(entities.day), 1, 200);
  const fromPackets = { month: percentile(await times(api.call, month, 5), 0.5), board: percentile(await times(api.call, board, 5), 0.5) };
  const seconds = await rollUpAll(database);
  await client.query('vacuum analyze');
  const [monthFigures, boardFigures] = [await best(api.call, month), await best(api.call, board)];
  await api.close();
  const { rows: sizes } = await client.query<{ packets: number; minutes: number; hours: number; days: number }>(
    `select sum(pg_total_relation_size(inhrelid)) filter (where inhparent = 'packet'::regclass)::float8 as packets,
  sum(pg_total_relation_size(inhrelid)) filter (where inhparent = 'series_minute'::regclass)::float8 as minutes,
  pg_total_relation_size('series_hour')::float8 as hours, pg_total_relation_size('series_day')::float8 as days from pg_inherits`,
  );
  const megabytes = (bytes: number | undefined): number => Math.round((bytes ?? 0) / 1_048_576);
  await setRules(client, home, { count: 1_000, groups: 100 });
  const load = { token, devices, seconds: Number(process.env['BENCH_SECONDS'] ?? 5) };
  const ingest: { off: number; on: number; computed: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const off = (await measureIngest(database, load)).perSecond;
    const on = await withComputing(database, off * load.seconds, () => measureIngest(database, load));
    ingest.push({ off, on: on.result.perSecond, computed: on.computed });
  }
  const ratios = ingest.map(({ off, on }) => Math.round((on / off) * 100) / 100);
  const bestRound = ingest[ratios.indexOf(Math.max(...ratios))] ?? { off: 0, on: 0, computed: 0 };
  await client.end();
  await database.close();
  return [
    {
      name: `one metric, 30 days of a packet every ${everySeconds} s, 500 points; the best of ${rounds} rounds of ${calls} calls`,
      figures: {
        'p95 ms': monthFigures.p95,
        'p50 ms': monthFigures.p50,
        'from packets p50 ms': fromPackets.month,
        'packets stored': stored,
        'packets MB': megabytes(sizes[0]?.packets),
        'minutes MB': megabytes(sizes[0]?.minutes),
        'hours MB': megabytes(sizes[0]?.hours),
        'days MB': megabytes(sizes[0]?.days),
        's to compute all': Math.round(seconds),
        'packets computed/s': Math.round(stored / seconds),
      },
    },
    {
      name: `${dayDevices} series of as many devices, 24 h, 200 points each`,
      figures: { 'p95 ms': boardFigures.p95, 'p50 ms': boardFigures.p50, 'from packets p50 ms': fromPackets.board },
    },
    {
      name: 'ingest while the metrics of as many packets are computed',
      figures: {
        'packets/s': bestRound.on,
        'without packets/s': bestRound.off,
        'packets computed meanwhile': bestRound.computed,
        ratios: ratios.join(' '),
      },
      ratio: { of: 'ingest without, in the same round', value: Math.max(...ratios) },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
