/** `npm run bench`: runs the benches one after another on one database server and prints their figures beside the targets. */
import { fork } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { startEmbedded } from '../server/src/db/embedded/embedded.ts';
import type { BenchRow } from './load.ts';
import { details, table } from './table.ts';
import { judge, targets, type BenchName, type JudgedFigure } from './targets.ts';

const usage = `Usage: npm run bench -- [name ...] [--json FILE] [--keep FOLDER]

Names: ${Object.keys(targets).join(', ')}; all when none is named.

--keep leaves the database of work-units in FOLDER; the next run with it makes no million units again.`;

/** Leaves out the fatal error that PostgreSQL logs when a database is dropped while a connection closes. */
function logPostgres(line: string): void {
  if (!line.includes('administrator command')) console.error(line);
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (interrupted = true));

function rowsOf(name: BenchName, url: string): Promise<BenchRow[]> {
  const child = fork(join(import.meta.dirname, 'child.ts'), [name], { env: { ...process.env, BENCH_DATABASE_URL: url } });
  return new Promise((resolve, reject) => {
    child.once('message', (rows) => resolve(rows as BenchRow[]));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`The bench ended without figures (${signal ?? `exit code ${code}`}).`)));
  });
}

interface BenchServer {
  url: string;
  client: pg.Client;
  /** Whether the databases stay for the next run. */
  isKept: boolean;
}

/** Runs a bench on an empty database, then drops the database, so that its rows do not slow down the next bench. */
async function run(name: BenchName, server: BenchServer): Promise<JudgedFigure[]> {
  const database = `bench_${name.replaceAll('-', '_')}`;
  const { rows } = await server.client.query('select 1 from pg_database where datname = $1', [database]);
  if (rows.length === 0) await server.client.query(`create database ${database}`);
  await server.client.query('checkpoint');
  try {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    return judge(name, await rowsOf(name, url.href));
  } finally {
    if (!server.isKept) await server.client.query(`drop database if exists ${database} with (force)`);
  }
}

interface BenchRun {
  name: BenchName;
  /** The load average of the machine in the minute before the bench. */
  loadBefore: number;
  seconds: number;
  figures: JudgedFigure[];
  broke?: string;
}

async function runAll(names: readonly BenchName[], server: BenchServer): Promise<BenchRun[]> {
  const all: BenchRun[] = [];
  for (const name of names) {
    if (interrupted) break;
    const loadBefore = Math.round((loadavg()[0] ?? 0) * 100) / 100;
    process.stderr.write(`${name} (load ${loadBefore}) ...`);
    const started = performance.now();
    const ran: BenchRun = { name, loadBefore, seconds: 0, figures: [] };
    try {
      ran.figures = await run(name, server);
    } catch (error) {
      ran.broke = messageOf(error);
    }
    ran.seconds = Math.round((performance.now() - started) / 1_000);
    process.stderr.write(` ${ran.broke ?? `${ran.seconds} s`}\n`);
    all.push(ran);
  }
  return all;
}

function namesOf(requested: readonly string[]): BenchName[] {
  const benchNames = Object.keys(targets) as BenchName[];
  const unknown = requested.find((name) => !benchNames.includes(name as BenchName));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}".\n\n${usage}`);
  return requested.length === 0 ? benchNames : benchNames.filter((name) => requested.includes(name));
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, keep: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const names = namesOf(positionals);
  const isKept = values.keep !== undefined;
  if (isKept && names.some((name) => name !== 'work-units')) throw new Error(`Only work-units runs on a database of before.\n\n${usage}`);
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'cloudfit-bench-'));
  mkdirSync(folder, { recursive: true });
  // Under root, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711);
  const embedded = await startEmbedded({ dataDir: join(folder, 'data'), log: logPostgres });
  const client = new pg.Client({ connectionString: embedded.url });
  try {
    await client.connect();
    const {
      rows: [postgres],
    } = await client.query<{ server_version: string }>('show server_version');
    const machine = {
      cores: availableParallelism(),
      processor: cpus()[0]?.model.trim() ?? '',
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
      postgres: postgres?.server_version ?? '',
      at: new Date().toISOString(),
    };
    const ran = await runAll(names, { url: embedded.url, client, isKept });
    const figures = ran.flatMap((run) => run.figures);
    console.log(
      `\n${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, Node ${machine.node}, PostgreSQL ${machine.postgres}, ${machine.at}`,
    );
    console.log(`Load before: ${ran.map((run) => `${run.name} ${run.loadBefore}`).join(', ')}\n`);
    if (figures.length > 0) console.log(`${table(figures)}\n\n${figures.map(details).join('\n')}`);
    if ((ran[0]?.loadBefore ?? 0) > machine.cores / 2)
      console.log('\nThe machine was busy with other work before the first bench: ratios say more than figures.');
    const short = figures.filter((figure) => figure.verdict === 'SHORT');
    const broken = ran.filter((run) => run.broke !== undefined);
    for (const one of broken) console.log(`\nBROKE: ${one.name}: ${one.broke}`);
    console.log(
      `\n${short.length === 0 ? 'Nothing falls short' : `SHORT: ${short.map((item) => item.what).join('; ')}`}${broken.length > 0 ? `; ${broken.length} broke` : ''}.`,
    );
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, ran }, null, 2)}\n`);
    return broken.length > 0 || interrupted ? 1 : 0;
  } finally {
    await client.end().catch(() => undefined);
    await embedded.stop();
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
