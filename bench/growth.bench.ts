/**
 * Measures what every periodic work reads at 1 x and at 10 x of stored data, with the same number of live devices: none may follow what is
 * only kept. Blocks of PostgreSQL count, which do not depend on the machine. Then the sweeps of silence of BENCH_SILENT entities (200,000).
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { served } from '../server/src/app/served.ts';
import { periodicWorks } from '../server/src/app/work.ts';
import { loadMasterKey } from '../server/src/auth/master-key.ts';
import { openDatabase, type Database } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openIngest, type Ingest } from '../server/src/ingest/accept.ts';
import type { Periodic, SharedPeriodic } from '../server/src/jobs/schedule.ts';
import { loadConfig } from '../server/src/platform/config.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { silenceWork } from '../server/src/rules/run/silence/work.ts';
import type { BenchRow } from './load.ts';

const liveDevices = 1_000;
const silentEntities = Number(process.env['BENCH_SILENT'] ?? 200_000);
/** The rows of each growing table at 1 x. */
const rowsAtOne = 10_000;
const connections = 4;
/** What a work may read whatever is stored: the rows of the ratio that would else say something about noise. */
const freeBlocks = 300;

const live = `with t as (insert into tenant (name) values ('Bench') returning tenant_id), s as (
  insert into subscription (tenant_id, name) select tenant_id, 'Bench' from t returning tenant_id, subscription_id
), d as (
  insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, 'device-' || n from s, generate_series(1, ${liveDevices}) n returning device_id, tenant_id
), l as (
  insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
  select device_id, tenant_id, now(), now(), uuidv7(), '{"Metrics": {"Cpu": 1}}' from d
)
insert into rule (tenant_id, name, rule_type_id, conditions) select tenant_id, name, type, conditions::jsonb from t, (values
  ('Silent', 3, '[{"Type": "And", "LeftOperand": 70, "Operator": 3, "RightOperand": "3600"}]'),
  ('High', 1, '[{"Type": "And", "LeftOperand": 62, "LeftOperandFieldName": "Cpu", "Operator": 3, "RightOperand": "90"}]'),
  ('Many', 6, '[{"Type": "And", "LeftOperand": 71, "Operator": 3, "RightOperand": "5000", "WindowSeconds": 300}]')) r (name, type, conditions)`;

/** Rows of the past, which are all kept still; $1 of each table. */
const kept: readonly string[] = [
  `insert into rule_match (tenant_id, rule_id, subject_id, label, created, expires, closed, completion_processed, first_match, last_match, correlation_id)
select r.tenant_id, r.rule_id, d.device_id, 'Past', at, at + interval '5 minutes', at + interval '5 minutes', true, at, at, gen_random_uuid()
from pg_temp.past($1) p join numbered_device d on d.n = p.n % ${liveDevices} cross join (select * from rule where name = 'High') r`,
  `insert into rule_evaluation (tenant_id, rule_id, subject_id, at, outcome, correlation_id)
select r.tenant_id, r.rule_id, d.device_id, at, 'hit', gen_random_uuid()
from pg_temp.past($1) p join numbered_device d on d.n = p.n % ${liveDevices} cross join (select * from rule where name = 'High') r`,
  `insert into action_history (tenant_id, action_definition_id, action_processed, result_status_id, message_id, correlation_id)
select tenant_id, gen_random_uuid(), at, 1, gen_random_uuid(), gen_random_uuid() from pg_temp.past($1), tenant`,
  `insert into audit (tenant_id, at, actor_kind, actor_name, entity, entity_id, verb, correlation_id)
select tenant_id, at, 'system', 'bench', 'devices', n::text, 'update', gen_random_uuid() from pg_temp.past($1), tenant`,
  `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
select d.tenant_id, d.device_id, at, at, '{"Metrics": {"Cpu": 1}}' from pg_temp.past($1 * 5) p join numbered_device d on d.n = p.n % ${liveDevices}`,
  `insert into packet_receipt (tenant_id, entity_id, message_id, received_timestamp)
select d.tenant_id, d.device_id, gen_random_uuid()::text, at from pg_temp.past($1) p join numbered_device d on d.n = p.n % ${liveDevices}`,
  `insert into device_log (tenant_id, device_id, entry_type, detail, created)
select d.tenant_id, d.device_id, 'Information', 'Past', at from pg_temp.past($1) p join numbered_device d on d.n = p.n % ${liveDevices}`,
  `insert into series_hour (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts)
select d.tenant_id, d.device_id, 'Cpu' || random(), date_trunc('day', at), '{1}', '{1}', '{1}', '{1}', '{1}', '{1}' from pg_temp.past($1) p join numbered_device d on d.n = p.n % ${liveDevices}`,
  `insert into work_unit (tenant_id, title, work_unit_type_id, state_id, created, created_by, modified_by)
select tenant_id, 'Past ' || n, 1, 'Closed', at, 'bench', 'bench' from pg_temp.past($1 / 5), tenant`,
  `insert into work_unit_note (tenant_id, work_unit_id, detail, created, created_by, correlation_id)
select tenant_id, work_unit_id, 'Past', created, 'bench', gen_random_uuid() from (select * from work_unit order by work_unit_id desc limit $1 / 5) u, generate_series(1, 4)`,
  `insert into notification (tenant_id, work_unit_id, address, channel, message_id, step_message_id, name, whom, created)
select tenant_id, work_unit_id, 'a@example.com', 'email', gen_random_uuid(), gen_random_uuid(), 'A', 'A', created from (select * from work_unit order by work_unit_id desc limit $1 / 5) u, generate_series(1, 4)`,
];

async function fill(client: pg.Client, count: number): Promise<void> {
  for (const text of kept) await client.query(text, [count]);
  await client.query('vacuum analyze');
}

const isShared = (work: Periodic | SharedPeriodic): work is SharedPeriodic => 'shares' in work;

/** The blocks that all sessions of the database have read. A session says it at the end of its next statement. */
async function blocks(database: Database, client: pg.Client): Promise<number> {
  const db = database.scoped('all');
  await Promise.all(Array.from({ length: connections }, () => db.query({ text: 'select pg_stat_force_next_flush(), pg_sleep(0.02)' })));
  const { rows } = await client.query<{ blocks: number }>(
    'select (blks_hit + blks_read)::float8 as blocks from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.blocks ?? 0;
}

interface Site {
  client: pg.Client;
  database: Database;
  ingest: Ingest;
  works: readonly (Periodic | SharedPeriodic)[];
}

interface Measured {
  blocks: number;
  ms: number;
}

/** Runs each work twice, because the first run may have something to do, and measures the second. */
async function measure({ client, database, works }: Site): Promise<Map<string, Measured>> {
  const db = database.scoped('all');
  const runner = randomUUID();
  const measured = new Map<string, Measured>();
  for (const work of works) {
    const run = (continues: boolean) =>
      isShared(work)
        ? work.run(db, { runner, shares: Array.from({ length: work.shares }, (_, share) => ({ share, continues })) })
        : work.run(db);
    await run(false);
    const before = await blocks(database, client);
    const started = performance.now();
    await run(true);
    const ms = performance.now() - started;
    const after = await blocks(database, client);
    const counting = await blocks(database, client);
    measured.set(work.name, { blocks: Math.max(0, after - before - (counting - after)), ms });
  }
  return measured;
}

function growthRow(one: ReadonlyMap<string, Measured>, ten: ReadonlyMap<string, Measured>): BenchRow {
  if (process.env['BENCH_PRINT']) console.error(JSON.stringify([...ten].map(([name, v]) => [name, one.get(name), v])));
  const ratios = [...ten].map(([name, { blocks: read }]) => {
    const before = one.get(name)?.blocks ?? 0;
    return { name, ratio: (read + freeBlocks) / (before + freeBlocks), text: `${before} -> ${read}` };
  });
  const sorted = ratios.toSorted((a, b) => b.ratio - a.ratio);
  const figures: Record<string, string | number> = { 'worst ratio': Math.round((sorted[0]?.ratio ?? 0) * 100) / 100, works: ratios.length };
  for (const { name, ratio, text } of sorted) figures[name] = `${text} blocks (${Math.round(ratio * 100) / 100})`;
  const slow = [...ten].toSorted((a, b) => b[1].ms - a[1].ms).slice(0, 5);
  figures['slowest at 10 x'] = slow.map(([name, { ms }]) => `${name} ${Math.round(ms)} ms`).join(', ');
  return { name: `every periodic work at 1 x and 10 x of what is kept, ${liveDevices} devices`, figures };
}

async function walOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`);
  return rows[0]?.bytes ?? 0;
}

/** Runs a piece of work and returns the longest time for which it kept this thread, and its CPU time, in milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<{ cpu: number; turn: number }> {
  const began = process.threadCpuUsage();
  let [last, turn, isWorking] = [began, 0, true];
  const look = (): void => {
    const now = process.threadCpuUsage();
    turn = Math.max(turn, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
    if (isWorking) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isWorking = false;
  look();
  const end = process.threadCpuUsage(began);
  return { cpu: (end.user + end.system) / 1_000, turn };
}

/** Sweeps over a fleet that is all silent, after the sweep that tells of it. */
async function silence({ client, database, ingest }: Site): Promise<BenchRow> {
  await client.query(
    `insert into tenant (name) select 'Silent ' || n from generate_series(1, 20) n`,
  );
  await client.query(`insert into subscription (tenant_id, name) select tenant_id, 'Bench' from tenant where name like 'Silent %'`);
  await client.query(`insert into rule (tenant_id, name, rule_type_id, match_lifetime, use_sliding_expiration, conditions)
select tenant_id, 'Silent', 3, 3600, true, '[{"Type": "And", "LeftOperand": 70, "Operator": 3, "RightOperand": "60"}]' from tenant where name like 'Silent %'`);
  await client.query(
    `with d as (
  insert into device (tenant_id, subscription_id, name)
  select s.tenant_id, s.subscription_id, 'silent-' || n from subscription s join tenant t on t.tenant_id = s.tenant_id and t.name like 'Silent %' cross join generate_series(1, $1::int / 20) n
  returning tenant_id, device_id
)
insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select device_id, tenant_id, now() - interval '1 hour', now() - interval '1 hour', uuidv7(), '{"Metrics": {"Cpu": 1}}' from d`,
    [silentEntities],
  );
  await client.query("select pg_notify('rules', '')");
  await client.query('vacuum analyze device, latest_packet, rule, subscription, tenant');
  while ([...ingest.rules.silence().all()].length < 21) await new Promise((resolve) => setTimeout(resolve, 100));
  const db = database.scoped('all');
  const work = silenceWork(ingest);
  const runner = randomUUID();
  await client.query("insert into schedule (name) select 'silence/' || n from generate_series(0, 7) n on conflict do nothing");
  await client.query("update schedule set runner = $1 where name like 'silence/%'", [runner]);
  const sweep = (continues: boolean) => work.run(db, { runner, shares: Array.from({ length: 8 }, (_, share) => ({ share, continues })) });
  const first = performance.now();
  await sweep(false);
  const firstSeconds = (performance.now() - first) / 1_000;
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from rule_match where closed is null');
  if (rows[0]?.n !== silentEntities) throw new Error(`${rows[0]?.n} of ${silentEntities} entities were told.`);
  await sweep(true);
  const wal = await walOf(client);
  const rounds = 6;
  const each: { cpu: number; turn: number; ms: number }[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const started = performance.now();
    const used = await cpuOf(() => sweep(true));
    each.push({ ...used, ms: performance.now() - started });
  }
  const bytes = (await walOf(client)) - wal;
  const median = (key: 'cpu' | 'turn' | 'ms') => Math.round((each.map((one) => one[key]).toSorted((a, b) => a - b)[rounds / 2] ?? 0) * 10) / 10;
  return {
    name: `sweeps over ${silentEntities} silent entities of 20 tenants`,
    figures: {
      'cpu ms': median('cpu'),
      'ms a sweep': median('ms'),
      'longest turn ms': median('turn'),
      'WAL bytes a sweep': Math.round(bytes / rounds),
      'first sweep s': Math.round(firstSeconds * 10) / 10,
      'resident MB': Math.round(process.memoryUsage.rss() / 1_048_576),
    },
  };
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-growth-'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const database = openDatabase({ url, max: connections, onError: () => undefined });
  const log = pino({ level: 'error' });
  await registerServed(database, served);
  await client.query(live);
  await client.query(`create temporary view numbered_device as select device_id, tenant_id, row_number() over (order by device_id) - 1 as n from device where name like 'device-%'`);
  await client.query(`create function pg_temp.past(count int) returns table (n int, at timestamptz) language sql as
    $$ select n, now() - interval '1 day' - n * interval '6 days' / count from generate_series(1, count) n $$`);
  await client.query('set search_path = public, pg_temp');
  const ingest = await openIngest({ database, log, cachedEntities: silentEntities + 10_000 });
  try {
    const config = loadConfig({ MASTER_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder });
    const works = periodicWorks({ config, database, log, ingest, masterKey: await loadMasterKey(config), ownerUrl: url, mailServerIsSet: true });
    const site: Site = { client, database, ingest, works };
    await client.query("update schedule set next_run = now()");
    await fill(client, rowsAtOne);
    const one = await measure(site);
    await fill(client, rowsAtOne * 9);
    const ten = await measure(site);
    return [growthRow(one, ten), await silence(site)];
  } finally {
    await ingest.stop();
    await database.close();
    await client.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
