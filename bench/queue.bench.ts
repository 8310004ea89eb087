/** Measures the job queue with one worker: small jobs per second to completion, and the start delay on an idle worker. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { systemCtx } from '../server/src/auth/system-ctx.ts';
import { openDatabase, type Database } from '../server/src/db/connection.ts';
import type { Db } from '../server/src/db/db.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { defineJob, jobRegistry, type JobDeclaration } from '../server/src/jobs/job.ts';
import { leaseCalls, leaseJobs } from '../server/src/jobs/lease.ts';
import { enqueueAll } from '../server/src/jobs/queue.ts';
import { startWorker } from '../server/src/jobs/worker.ts';
import { percentile, type BenchRow } from './load.ts';

const tenantCount = 4;
const jobCount = 10_000;
const warmUps = 1_000;
const atOnce = 50;
const producers = 4;
const idleSamples = 300;
const patienceMs = 60_000;
const [dueTenants, dueOfEach, leaseSize, leaseSamples] = [5_000, 20, 32, 100];
const backlog = 50_000;

const payload = z.object({ sent: z.number() });
const define = (name: string, run: JobDeclaration<{ sent: number }>['run']) => defineJob({ name, schema: payload, run });

/** Adds jobs, `atOnce` per transaction, and waits until the queue is empty. Returns the seconds that this took. */
async function through(db: Db, name: string, count: number, tenants: readonly string[]): Promise<number> {
  const started = performance.now();
  let left = count;
  const produce = async (): Promise<void> => {
    for (; left > 0;) {
      left -= atOnce;
      const jobs = Array.from({ length: atOnce }, (_, n) => ({
        name,
        payload: { sent: performance.now() },
        tenantId: tenants[n % tenants.length] ?? null,
        correlationId: randomUUID(),
      }));
      await enqueueAll(db, jobs);
    }
  };
  await Promise.all(Array.from({ length: producers }, produce));
  while (performance.now() - started < patienceMs) {
    const [any] = await db.query({ name: 'any-job', text: 'select 1 from job limit 1' });
    if (!any) return (performance.now() - started) / 1_000;
    await sleep(20);
  }
  throw new Error(`Jobs are left after ${patienceMs / 1_000} s.`);
}

async function startDelays(db: Db, tenant: string, delays: readonly number[]): Promise<void> {
  for (let n = 0; n < idleSamples; n++) {
    await enqueueAll(db, [{ name: 'delay', payload: { sent: performance.now() }, tenantId: tenant, correlationId: randomUUID() }]);
    await sleep(10 + Math.random() * 20);
  }
  while (delays.length < idleSamples) await sleep(10);
}

/** How long leases take; each has to find as many jobs as it may take. */
async function timesOf(lease: () => Promise<readonly unknown[]>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < leaseSamples; n++) {
    const began = performance.now();
    const jobs = await lease();
    took.push(performance.now() - began);
    if (jobs.length !== leaseSize) throw new Error(`A lease took ${jobs.length} jobs.`);
  }
  return took;
}

/** Leases past older jobs and calls of one tenant, while it has its share of the slots. */
async function leasesPastOne(client: pg.Client, db: Db): Promise<BenchRow> {
  const { rows } = await client.query<{ id: string }>('select tenant_id as id from tenant limit 1');
  const tenant = rows[0]?.id ?? '';
  const add = `insert into job (name, payload, tenant_id, correlation_id, run_at, destination) select 'due', '{"sent": 0}', `;
  await client.query(
    `${add} tenant_id, gen_random_uuid(), now() - n * interval '1 second', 'http://here.example' from tenant, generate_series(1, $1::int) n`,
    [dueOfEach],
  );
  for (const destination of [null, 'http://hangs.example'])
    await client.query(`${add} $1, gen_random_uuid(), now() - interval '1 hour', $2 from generate_series(1, $3::int)`, [
      tenant,
      destination,
      backlog,
    ]);
  await client.query('vacuum analyze job');
  const one = { worker: 'bench', atMost: leaseSize, perTenant: leaseSize / 2 };
  const running = [{ tenant_id: tenant, destination: 'http://hangs.example', count: leaseSize / 2 }];
  const jobs = await timesOf(() => leaseJobs(db, { ...one, busyTenants: [tenant] }));
  const calls = await timesOf(() => leaseCalls(db, { ...one, perDestination: dueTenants, running }));
  return {
    name: `the same past ${backlog} older jobs, or calls, of a tenant that has its share`,
    figures: {
      'jobs p50 ms': percentile(jobs, 0.5),
      'jobs p95 ms': percentile(jobs, 0.95),
      'calls p50 ms': percentile(calls, 0.5),
      'calls p95 ms': percentile(calls, 0.95),
    },
  };
}

/** Leases, of jobs that are due for thousands of tenants: how long each takes, and whether it locks what it does not take. */
async function leases(database: Database, url: string): Promise<BenchRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`insert into tenant (name) select 'Due ' || n from generate_series(1, $1::int) n`, [dueTenants]);
    await client.query(
      `insert into job (name, payload, tenant_id, correlation_id, run_at) select 'due', '{"sent": 0}', tenant_id, gen_random_uuid(), now() - n * interval '1 second'
       from tenant, generate_series(1, $1::int) n`,
      [dueOfEach],
    );
    await client.query('vacuum analyze job');
    const db = database.scoped('all');
    const took = await timesOf(() => leaseJobs(db, { worker: 'bench', atMost: leaseSize, perTenant: leaseSize / 2, busyTenants: [] }));
    // A row that was locked and not written still names its locker.
    const { rows: locked } = await client.query<{ count: number }>(
      `select count(*)::int as count from job where leased_by is null and xmax::text <> '0'`,
    );
    const row = {
      name: `a lease of ${leaseSize} jobs, while ${dueTenants} tenants have ${dueOfEach} due each`,
      figures: { 'p50 ms': percentile(took, 0.5), 'p95 ms': percentile(took, 0.95), 'locked and not taken': locked[0]?.count ?? 0 },
    };
    return [row, await leasesPastOne(client, db)];
  } finally {
    await client.end();
  }
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const database = openDatabase({ url, max: 10, onError: () => undefined });
  const db = database.scoped('all');
  const log = pino({ level: 'error' });
  const delays: number[] = [];
  let runs = 0;
  const jobs = jobRegistry([
    define('nothing', async () => void (runs += 1)),
    define(
      'writes',
      async (ctx) =>
        void (await ctx.db.query({
          name: 'bench-write',
          text: 'insert into change (verb, entity, entity_id, correlation_id) values ($1, $2, $3, $4)',
          values: ['update', 'devices', '1', ctx.correlationId],
        })),
    ),
    define('delay', async (_ctx, { sent }) => void delays.push(performance.now() - sent)),
  ]);
  const ctxFor = ({ correlationId }: { correlationId: string }) => systemCtx({ database, log, name: 'bench', correlationId });
  const worker = await startWorker({ dataFolder: 'bench', database, log, jobs, ctxFor });
  const tenants = Array.from({ length: tenantCount }, () => randomUUID());
  try {
    await through(db, 'nothing', warmUps, tenants);
    runs = 0;
    const perSecond = Math.round(jobCount / (await through(db, 'nothing', jobCount, tenants)));
    if (runs !== jobCount) throw new Error(`${jobCount} jobs ran ${runs} times.`);
    const writing = Math.round(jobCount / 2 / (await through(db, 'writes', jobCount / 2, tenants)));
    const one = Math.round(jobCount / 2 / (await through(db, 'nothing', jobCount / 2, tenants.slice(0, 1))));
    await startDelays(db, tenants[0] ?? '', delays);
    await worker.stop();
    return [
      {
        name: `${jobCount} small jobs of ${tenantCount} tenants, added ${atOnce} to a transaction while one worker runs them, from the first commit to an empty queue`,
        figures: { 'jobs/s': perSecond, 'jobs/s with a statement each': writing, 'jobs/s of one tenant': one },
      },
      {
        name: `from before the transaction that adds a job to its start, one at a time, idle worker, ${idleSamples} jobs`,
        figures: { 'p50 ms': percentile(delays, 0.5), 'p95 ms': percentile(delays, 0.95), 'p99 ms': percentile(delays, 0.99) },
      },
      ...(await leases(database, url)),
    ];
  } finally {
    await worker.stop();
    await database.close();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
