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
import { served } from '../../server/src/app/served.ts';
import { periodicWorks } from '../../server/src/app/work.ts';
import { loadMasterKey } from '../../server/src/auth/master-key.ts';
import { openDatabase, type Database } from '../../server/src/db/connection.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { openIngest, type Ingest } from '../../server/src/ingest/accept.ts';
import type { Periodic, SharedPeriodic } from '../../server/src/jobs/schedule.ts';
import { loadConfig } from '../../server/src/platform/config.ts';
import { registerServed } from '../../server/src/resources/served.ts';
import { silenceWork } from '../../server/src/rules/run/silence/work.ts';
import { longestTurn } from '../../server/src/testing/longest-turn.ts';
import { keepRows, liveTexts } from '../../server/src/testing/statements/kept-rows.ts';
import type { BenchRow } from '../load.ts';

const liveDevices = 1_000;
const silentEntities = Number(process.env['BENCH_SILENT'] ?? 200_000);
/** The rows of each growing table at 1 x. */
const rowsAtOne = 10_000;
const connections = 4;
/** What a work may read whatever is stored: the rows of the ratio that would else say something about noise. */
const freeBlocks = 100;

const isShared = (work: Periodic | SharedPeriodic): work is SharedPeriodic => 'shares' in work;

type Blocks = ReadonlyMap<string, number>;

/**
 * The blocks that all sessions have read of each table with its indexes; those of the catalogue are left out, because a new session reads
 * them. A session says it at the end of its next statement.
 */
async function blocksByTable(database: Database, client: pg.Client): Promise<Blocks> {
  const db = database.scoped('all');
  await Promise.all(Array.from({ length: connections }, () => db.query({ text: 'select pg_stat_force_next_flush(), pg_sleep(0.02)' })));
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ name: string; blocks: number }>(
    `select coalesce(p.relname, s.relname) as name, sum(coalesce(heap_blks_hit + heap_blks_read, 0) + coalesce(idx_blks_hit + idx_blks_read, 0)
  + coalesce(toast_blks_hit + toast_blks_read, 0) + coalesce(tidx_blks_hit + tidx_blks_read, 0))::float8 as blocks
from pg_statio_user_tables s left join pg_inherits i on i.inhrelid = s.relid left join pg_class p on p.oid = i.inhparent group by 1`,
  );
  return new Map(rows.map(({ name, blocks }) => [name, blocks]));
}

interface GrowthSite {
  client: pg.Client;
  database: Database;
  ingest: Ingest;
  works: readonly (Periodic | SharedPeriodic)[];
}

interface WorkReads {
  blocks: number;
  /** The table of which it read the largest part. */
  table: string;
  ms: number;
}

function difference(before: Blocks, after: Blocks): Pick<WorkReads, 'blocks' | 'table'> {
  let [total, table, ofTable] = [0, '', 0];
  for (const [name, blocks] of after) {
    const read = blocks - (before.get(name) ?? 0);
    total += read;
    if (read > ofTable) [table, ofTable] = [name, read];
  }
  return { blocks: total, table };
}

/** Makes some work due again, so that its usual run is measured. */
const again: Readonly<Record<string, string>> = {
  series: "update series_state set closed_until = closed_until - interval '1 hour'",
};

/** Rounds of which the one counts that reads least: a new plan reads the ends of indexes. */
const rounds = 3;

/** Runs each work until it has nothing left to do, and then measures its usual run. */
async function measure({ client, database, works }: GrowthSite): Promise<Map<string, WorkReads>> {
  const db = database.scoped('all');
  const runner = randomUUID();
  const measured = new Map<string, WorkReads>();
  for (const work of works) {
    const run = (continues: boolean) =>
      isShared(work)
        ? work.run(db, { runner, shares: Array.from({ length: work.shares }, (_, share) => ({ share, continues })) })
        : work.run(db);
    for (let i = 0; i < rounds; i += 1) await run(i > 0);
    for (let i = 0; i < rounds; i += 1) {
      await client.query(again[work.name] ?? 'select 1');
      const before = await blocksByTable(database, client);
      const started = performance.now();
      await run(true);
      const ms = performance.now() - started;
      const round = { ...difference(before, await blocksByTable(database, client)), ms };
      if (round.blocks < (measured.get(work.name)?.blocks ?? Infinity)) measured.set(work.name, round);
    }
  }
  return measured;
}

function growthRow(small: ReadonlyMap<string, WorkReads>, large: ReadonlyMap<string, WorkReads>): BenchRow {
  const ratios = [...large].map(([name, { blocks: read, table }]) => {
    const before = small.get(name)?.blocks ?? 0;
    return { name, ratio: (read + freeBlocks) / (before + freeBlocks), text: `${before} -> ${read}${table ? `, most of ${table}` : ''}` };
  });
  const sorted = ratios.toSorted((a, b) => b.ratio - a.ratio);
  const figures: Record<string, string | number> = { 'worst ratio': Math.round((sorted[0]?.ratio ?? 0) * 100) / 100, works: ratios.length };
  for (const { name, ratio, text } of sorted) figures[name] = `${text} (${Math.round(ratio * 100) / 100})`;
  const slow = [...large].toSorted((a, b) => b[1].ms - a[1].ms).slice(0, 5);
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
  const turn = await longestTurn(work);
  const end = process.threadCpuUsage(began);
  return { cpu: (end.user + end.system) / 1_000, turn };
}

/** Sweeps over a fleet that is all silent, after the sweep that tells of it. */
async function silence({ client, database, ingest }: GrowthSite): Promise<BenchRow> {
  await client.query(`insert into tenant (name) select 'Silent ' || n from generate_series(1, 20) n`);
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
  const sweeps = 6;
  const each: { cpu: number; turn: number; ms: number }[] = [];
  for (let i = 0; i < sweeps; i += 1) {
    const started = performance.now();
    const used = await cpuOf(() => sweep(true));
    each.push({ ...used, ms: performance.now() - started });
  }
  const bytes = (await walOf(client)) - wal;
  const median = (key: 'cpu' | 'turn' | 'ms') =>
    Math.round((each.map((used) => used[key]).toSorted((a, b) => a - b)[sweeps / 2] ?? 0) * 10) / 10;
  return {
    name: `sweeps over ${silentEntities} silent entities of 20 tenants`,
    figures: {
      'cpu ms': median('cpu'),
      'ms a sweep': median('ms'),
      'longest turn ms': median('turn'),
      'WAL bytes a sweep': Math.round(bytes / sweeps),
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
  for (const text of liveTexts(liveDevices)) await client.query(text);
  const ingest = await openIngest({ database, log, cachedEntities: silentEntities + 10_000 });
  try {
    const config = loadConfig({ MASTER_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder });
    const works = periodicWorks({
      config,
      database,
      log,
      ingest,
      masterKey: await loadMasterKey({ ...config, log }),
      ownerUrl: url,
      mailServerIsSet: true,
    });
    const site: GrowthSite = { client, database, ingest, works };
    await client.query('update schedule set next_run = now()');
    const fill = (text: string, values: readonly number[]) => client.query(text, [...values]);
    await keepRows(fill, rowsAtOne, true);
    const small = await measure(site);
    await keepRows(fill, rowsAtOne * 9, false);
    const large = await measure(site);
    return [growthRow(small, large), await silence(site)];
  } finally {
    await ingest.stop();
    await database.close();
    await client.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
