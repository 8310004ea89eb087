import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { backoffMs } from '@cloudfit/contract/backoff.ts';
import { z } from 'zod';
import { systemCtx } from '../auth/system-ctx.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase } from '../testing/database.ts';
import { defineJob, jobRegistry, PermanentFailure, requireCallSlot, RetryLater, type Job, type JobDeclaration } from './job.ts';
import { leaseJobs } from './lease.ts';
import { enqueue, enqueueAll } from './queue.ts';
import { startSchedule } from './schedule.ts';
import { jobBackoff } from './run-job.ts';
import { startWorker, type Worker } from './worker.ts';

const log = pino({ level: 'silent' });
let database: Database;
let db: Db;
let closeDatabase: () => Promise<void>;
const workers: Worker[] = [];

beforeAll(async () => {
  const test = await testDatabase();
  database = openDatabase({ url: test.url, max: 12, onError: () => undefined });
  db = database.scoped('all');
  closeDatabase = test.close;
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await db.query({ text: 'delete from job' });
});
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

const payload = z.object({ n: z.number() });
const job = (run: JobDeclaration<{ n: number }>['run'], onDead?: JobDeclaration<{ n: number }>['onDeadLetter']) =>
  defineJob({ name: 'test', schema: payload, run, ...(onDead ? { onDeadLetter: onDead } : {}) });

async function start(jobs: Job[], options: { concurrency?: number; pollMs?: number } = {}): Promise<Worker> {
  const worker = await startWorker({
    dataFolder: 'test',
    database,
    log,
    jobs: jobRegistry(jobs),
    ctxFor: ({ correlationId }) => systemCtx({ database, log, name: 'test', correlationId }),
    ...options,
  });
  workers.push(worker);
  return worker;
}

const add = (n: number, extra: Partial<Parameters<typeof enqueue>[1]> = {}) =>
  enqueue(db, { name: 'test', payload: { n }, tenantId: null, correlationId: randomUUID(), ...extra });

async function addTenant(): Promise<string> {
  const [tenant] = await db.query<{ tenant_id: string }>({
    text: 'insert into tenant (name) values ($1) returning tenant_id',
    values: [randomUUID()],
  });
  return tenant?.tenant_id ?? '';
}

/** A job that calls out after `before` and ends after `after`, and records both in `runs`. */
const callJob = (runs: string[], { before, after }: { before?: Promise<void>; after?: Promise<void> }) =>
  defineJob({
    name: 'call',
    schema: payload,
    run: async (_ctx, { n }, attempt) => {
      runs.push(`${n} runs`);
      await before;
      await requireCallSlot(attempt, 'https://one.example');
      runs.push(`${n} calls`);
      await after;
    },
  });

interface JobRow {
  attempts: number;
  last_error: string | null;
  dead_at: string | null;
  leased_by: string | null;
  in_seconds: number;
}
const rows = () =>
  db.query<JobRow>({
    text: 'select attempts, last_error, dead_at, leased_by, extract(epoch from run_at - now())::float8 as in_seconds from job',
  });
async function until(condition: () => unknown): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBeTruthy();
}

describe('the worker', () => {
  it('runs long jobs in slots of their own, so that they hold up no other', async () => {
    let running = 0;
    let maxRunning = 0;
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
    const long = defineJob({
      name: 'long',
      schema: payload,
      isLong: true,
      run: async () => {
        maxRunning = Math.max(maxRunning, ++running);
        await isOver;
        running -= 1;
      },
    });
    const done: number[] = [];
    await start([long, job(async (_ctx, { n }) => void done.push(n))], { concurrency: 2 });
    for (let n = 0; n < 6; n += 1) await add(n, { name: 'long' });
    await until(() => running > 0);
    await add(100);
    await until(() => done.length === 1);
    finish();
    await until(async () => (await rows()).length === 0);
    expect(maxRunning).toBeLessThanOrEqual(2);
  });

  it('lets a call go on at once where its receiver has a slot, apart from the slots of other jobs', async () => {
    const tenantId = await addTenant();
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const runs: string[] = [];
    const call = callJob(runs, { after: answer });
    // Without a poll and with one slot, only a call that leaves the slot lets the next job start.
    const worker = await start([call, job(async (_ctx, { n }) => void runs.push(`${n} runs`))], { concurrency: 1, pollMs: 600_000 });
    await add(1, { name: 'call', tenantId });
    await until(() => runs.includes('1 calls'));
    await add(2);
    await until(() => runs.includes('2 runs'));
    await until(async () => (await rows()).length === 1);
    expect([worker.running(), runs]).toEqual([1, ['1 runs', '1 calls', '2 runs']]);
    let isStopped = false;
    const stopping = worker.stop().then(() => (isStopped = true));
    await new Promise((done) => setTimeout(done, 50));
    expect([isStopped, (await rows()).map((row) => row.attempts)]).toEqual([false, [1]]);
    resolve();
    await stopping;
    expect(await rows()).toEqual([]);
  });

  it('begins no call once it is being stopped', async () => {
    const tenantId = await addTenant();
    const { promise: isStopping, resolve } = Promise.withResolvers<void>();
    const runs: string[] = [];
    const call = callJob(runs, { before: isStopping });
    const worker = await start([call]);
    await add(1, { name: 'call', tenantId });
    await until(() => runs.length > 0);
    const stopping = worker.stop();
    resolve();
    await stopping;
    expect([runs, await rows()]).toMatchObject([['1 runs'], [{ attempts: 0, leased_by: null }]]);
  });

  it('runs a job soon after its commit, with the correlation id of its cause', async () => {
    const handled: string[] = [];
    // Without a poll, only the notification of the commit starts the job.
    await start([job(async (ctx) => void handled.push(ctx.correlationId))], { pollMs: 600_000 });
    const correlationId = randomUUID();
    await add(1, { correlationId });
    await until(() => handled.length === 1);
    expect(handled).toEqual([correlationId]);
    await until(async () => (await rows()).length === 0);
  });

  it('runs nothing that was rolled back, nothing before its time, and one of a key', async () => {
    const handled: number[] = [];
    await start([job(async (_ctx, { n }) => void handled.push(n))]);
    await db
      .transaction(async (tx) => {
        await enqueue(tx, { name: 'test', payload: { n: 1 }, tenantId: null, correlationId: randomUUID() });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await add(2, { runAt: new Date(Date.now() + 60_000) });
    await enqueueAll(
      db,
      [3, 4].map((n) => ({ name: 'test', payload: { n }, tenantId: null, correlationId: randomUUID(), onceKey: 'same' })),
    );
    await add(5);
    await until(() => handled.includes(5));
    expect(handled).toEqual([3, 5]);
  });

  it('tries a failing job again later, and again', async () => {
    await start([
      job(async (_ctx, _payload, attempt) => {
        throw new Error(`failed at try ${attempt.number}`);
      }),
    ]);
    const began = performance.now();
    await add(1);
    await until(async () => (await rows())[0]?.last_error === 'failed at try 1');
    const [first] = await rows();
    const elapsedSeconds = (performance.now() - began) / 1_000;
    expect((first?.in_seconds ?? 0) + elapsedSeconds).toBeGreaterThan(7.9);
    expect(first?.in_seconds).toBeLessThan(12.1);
    await db.query({ text: 'update job set run_at = now() - make_interval(secs => 1)' });
    await until(async () => (await rows())[0]?.last_error === 'failed at try 2');
    expect(backoffMs(1, jobBackoff, () => 0.5)).toBe(10_000);
    expect([2, 3, 4, 5, 9].map((n) => backoffMs(n, jobBackoff, () => 0.5))).toEqual([30_000, 120_000, 600_000, 3_600_000, 3_600_000]);
  });

  it('keeps a job that cannot succeed as a dead letter and tells its owner once', async () => {
    const dead: string[] = [];
    await start([
      job(
        async (_ctx, { n }) => {
          throw n === 1 ? new PermanentFailure('never') : new Error('sixth');
        },
        async (_ctx, { n }, error) => void dead.push(`${n} ${error}`),
      ),
    ]);
    await add(1);
    await add(2);
    await until(async () => (await rows()).some((row) => row.last_error === 'sixth'));
    await db.query({ text: "update job set attempts = 5, run_at = now() where payload ->> 'n' = '2'" });
    await until(async () => (await rows()).filter((row) => row.dead_at).length === 2);
    expect(dead.toSorted()).toEqual(['1 never', '2 sixth']);
  });

  it('waits as long as a job asks for, and moves an unknown name and a wrong payload to the dead letters', async () => {
    await start([
      job(async () => {
        throw new RetryLater('busy', 1_000_000);
      }),
    ]);
    await add(1);
    await until(async () => ((await rows())[0]?.in_seconds ?? 0) > 900);
    await db.query({ text: 'delete from job' });
    await enqueue(db, { name: 'nobody', payload: {}, tenantId: null, correlationId: randomUUID() });
    await enqueue(db, { name: 'test', payload: { n: 'x' }, tenantId: null, correlationId: randomUUID() });
    await until(async () => (await rows()).filter((row) => row.dead_at).length === 2);
    expect((await rows()).every((row) => /^(No job is called nobody|The payload is not valid)/.test(row.last_error ?? ''))).toBe(true);
  });

  it('shares the jobs with other workers: each is done once', async () => {
    const handled: number[] = [];
    const once = job(async (_ctx, { n }) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      handled.push(n);
    });
    await start([once]);
    await start([once]);
    await enqueueAll(
      db,
      Array.from({ length: 200 }, (_, n) => ({ name: 'test', payload: { n }, tenantId: null, correlationId: randomUUID() })),
    );
    await until(async () => (await rows()).length === 0);
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    expect(handled.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('takes over a job whose worker was lost, with the same payload', async () => {
    await add(7);
    expect(await leaseJobs(db, { worker: 'lost', atMost: 1, perTenant: 1, busyTenants: [] })).toMatchObject([
      { payload: { n: 7 }, attempts: 1 },
    ]);
    const handled: string[] = [];
    await start([job(async (_ctx, { n }, attempt) => void handled.push(`${n} try ${attempt.number}`))]);
    await add(8);
    await until(() => handled.length === 1);
    expect(handled).toEqual(['8 try 1']);
    await db.query({ text: "update job set leased_until = now() - interval '1 second' where leased_by = 'lost'" });
    await until(() => handled.length === 2);
    expect(handled).toEqual(['8 try 1', '7 try 2']);
  });

  it('lets no tenant keep the others waiting', async () => {
    const [greedy, modest] = [randomUUID(), randomUUID()];
    const order: string[] = [];
    await enqueueAll(
      db,
      Array.from({ length: 40 }, (_, n) => ({
        name: 'test',
        payload: { n },
        tenantId: greedy,
        correlationId: randomUUID(),
        runAt: new Date(Date.now() - 60_000),
      })),
    );
    await enqueue(db, { name: 'test', payload: { n: 99 }, tenantId: modest, correlationId: randomUUID() });
    await start(
      [
        job(async (_ctx, { n }) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          order.push(n === 99 ? 'modest' : 'greedy');
        }),
      ],
      { concurrency: 4 },
    );
    await until(() => order.includes('modest'));
    expect(order.indexOf('modest')).toBeLessThan(6);
    await until(() => order.length === 41);
  });

  it('leases small jobs ahead, and gives them back when those that run turn out to be slow', async () => {
    const done: number[] = [];
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
    const slow = job(async (_ctx, { n }) => {
      if (n === -1) await isOver;
      done.push(n);
    });
    const addAll = (numbers: number[]) =>
      enqueueAll(
        db,
        numbers.map((n) => ({ name: 'test', payload: { n }, tenantId: null, correlationId: randomUUID() })),
      );
    const first = await start([slow], { concurrency: 2 });
    await addAll(Array.from({ length: 100 }, (_, n) => n));
    await until(() => done.length === 100);
    await addAll([-1, -1, ...Array.from({ length: 20 }, (_, n) => 100 + n)]);
    await until(async () => (await rows()).filter((row) => row.leased_by).length === 22);
    expect(first.running()).toBe(2);
    await start([slow]);
    await until(() => done.length === 120);
    // The next round deletes the rows of finished jobs.
    await until(async () => (await rows()).length === 2);
    expect(await rows()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    finish();
    await until(() => done.length === 122);
    expect(new Set(done.slice(0, 120)).size).toBe(120);
  });

  it('finishes what runs when it is stopped, and takes nothing more', async () => {
    const done: number[] = [];
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
    const worker = await start(
      [
        job(async (_ctx, { n }) => {
          await isOver;
          done.push(n);
        }),
      ],
      { concurrency: 1 },
    );
    await add(1);
    await until(() => worker.running() === 1);
    await add(2);
    const stopped = worker.stop();
    finish();
    await stopped;
    expect(done).toEqual([1]);
    expect(await rows()).toMatchObject([{ attempts: 0, leased_by: null }]);
  });

  it('refuses two jobs of one name at the start', () => {
    expect(() => jobRegistry([job(async () => undefined), job(async () => undefined)])).toThrow('Two jobs are called test.');
  });
});

describe('the schedule', () => {
  it('does not begin work that still runs in another process, and hands it over when that is lost', async () => {
    let [running, maxRunning, runs] = [0, 0, 0];
    const run = async () => {
      runs += 1;
      maxRunning = Math.max(maxRunning, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      running -= 1;
    };
    const works = [{ name: 'takes long', everyMs: 1_000, run }];
    const schedules = await Promise.all([1, 2].map(() => startSchedule({ database, log, works })));
    await until(() => runs >= 3);
    await Promise.all(schedules.map((schedule) => schedule.stop()));
    expect([maxRunning, running]).toEqual([1, 0]);

    // A process that was lost while it ran holds the work until its lease ends.
    const leased = (seconds: number) =>
      db.query({
        text: `update schedule set runner = gen_random_uuid(), next_run = now(), running_until = now() + make_interval(secs => $1) where name = 'takes long'`,
        values: [seconds],
      });
    await leased(8);
    runs = 0;
    const after = await startSchedule({ database, log, works });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(runs).toBe(0);
    await leased(0);
    await until(() => runs > 0);
    await after.stop();
  });

  it('does each tick once, however many processes look', async () => {
    let ticks = 0;
    const works = [{ name: 'tick', everyMs: 200, run: async () => void (ticks += 1) }];
    const began = performance.now();
    const schedules = await Promise.all([1, 2, 3].map(() => startSchedule({ database, log, works })));
    await until(() => ticks >= 4);
    await Promise.all(schedules.map((schedule) => schedule.stop()));
    expect(ticks).toBeLessThanOrEqual(Math.floor((performance.now() - began) / 200) + 1);
  });

  it('records why one of its works failed, and goes on with the others', async () => {
    let ticks = 0;
    const works = [
      { name: 'fails', everyMs: 60_000, run: () => Promise.reject(new Error('no room')) },
      { name: 'works', everyMs: 60_000, run: async () => void (ticks += 1) },
    ];
    const schedule = await startSchedule({ database, log, works });
    await until(() => ticks > 0);
    await schedule.stop();
    const schedules = await db.query({
      text: "select name, last_error, next_run > now() + interval '50 seconds' as later from schedule where name in ('fails', 'works') order by name",
    });
    expect(schedules).toEqual([
      { name: 'fails', last_error: 'no room', later: true },
      { name: 'works', last_error: null, later: true },
    ]);
    // Since when it has failed stays while it fails again, and is gone when it succeeds.
    const failing = async () => {
      const [row] = await db.query<{ since: string | null; again: boolean }>({
        text: "select failed_since as since, last_run > failed_since as again from schedule where name = 'fails'",
      });
      return row;
    };
    const first = await failing();
    expect(first).toEqual({ since: expect.any(String), again: false });
    const runAgain = async (run: () => Promise<void>) => {
      let ran = 0;
      await db.query({ text: "update schedule set next_run = now() where name = 'fails'" });
      const again = await startSchedule({ database, log, works: [{ name: 'fails', everyMs: 60_000, run: () => (ran++, run()) }] });
      await until(() => ran > 0);
      await again.stop();
    };
    await runAgain(() => Promise.reject(new Error('no room')));
    expect(await failing()).toEqual({ since: first?.since, again: true });
    await runAgain(() => Promise.resolve());
    expect(await failing()).toEqual({ since: null, again: null });
  });
});
