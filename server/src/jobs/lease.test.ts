import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase } from '../testing/database.ts';
import {
  moveToDeadLetters,
  finishJobs,
  maxAttempts,
  releaseJobs,
  renewLeases,
  retryJob,
  leaseAbandonedJobs,
  leaseJobs,
  type LeaseRequest,
} from './lease.ts';
import { enqueue } from './queue.ts';

let database: Database;
let db: Db;
let ownerUrl: string;
let closeDatabase: () => Promise<void>;

beforeAll(async () => {
  const test = await testDatabase();
  database = openDatabase({ url: test.url, max: 4, onError: () => undefined });
  db = database.scoped('all');
  closeDatabase = test.close;
  ownerUrl = test.url;
});
afterEach(() => db.query({ text: 'delete from job' }));
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

const dueAt = new Date(Date.now() - 60_000);

/** Adds a job that is due. */
async function add(n: number, tenantId: string | null = null, runAt = dueAt): Promise<void> {
  await enqueue(db, { name: 'test', payload: { n }, tenantId, correlationId: randomUUID(), runAt });
}

/** Leases jobs as worker `w1`; returns the numbers in their payloads. */
async function take(extra: Partial<LeaseRequest> = {}): Promise<number[]> {
  const jobs = await leaseJobs(db, { worker: 'w1', atMost: 10, perTenant: 10, busyTenants: [], ...extra });
  return jobs.map((job) => (job.payload as { n: number }).n).toSorted((a, b) => a - b);
}

interface JobRow {
  job_id: number;
  attempts: number;
  leased_by: string | null;
  leased_for: number | null;
  dead: boolean;
  last_error: string | null;
  due_in: number;
}

const rows = () =>
  db.query<JobRow>({
    text: `select job_id, attempts, leased_by, extract(epoch from leased_until - now())::float8 as leased_for, dead_at is not null as dead, last_error,
  extract(epoch from run_at - now())::float8 as due_in from job order by (payload ->> 'n')::int`,
  });
const change = (what: string) => db.query({ text: `update job set ${what}` });
const idOf = async (index = 0): Promise<number> => (await rows())[index]?.job_id ?? 0;

describe('taking', () => {
  it('leases a due job for a minute and counts the try', async () => {
    await add(1);
    await add(2, null, new Date(Date.now() + 60_000));
    expect(await take()).toEqual([1]);
    const [first, second] = await rows();
    expect(first).toMatchObject({ attempts: 1, leased_by: 'w1' });
    expect(first?.leased_for).toBeGreaterThan(50);
    expect(first?.leased_for).toBeLessThanOrEqual(60);
    expect(second).toMatchObject({ attempts: 0, leased_by: null });
  });

  it('locks no job that it does not lease, and leaves others to a worker that looks at the same moment', async () => {
    const tenants = await db.query<{ tenant_id: string }>({
      text: `insert into tenant (name) select 'Of many ' || n from generate_series(1, 6) n returning tenant_id`,
    });
    for (const [n, { tenant_id: id }] of tenants.entries()) for (const k of [0, 1]) await add(n * 2 + k, id);
    const take3 = (on: Db, worker: string) => leaseJobs(on, { worker, atMost: 3, perTenant: 2, busyTenants: [] });
    await db.transaction(async (tx) => {
      expect(await take3(tx, 'w1')).toHaveLength(3);
      // The first worker has not committed: its three jobs are locked, the nine others are free.
      expect(await take3(db, 'w2')).toHaveLength(3);
    });
    // A row that was locked and not written still names its locker.
    expect(await db.query({ text: `select job_id from job where leased_by is null and xmax::text <> '0'` })).toEqual([]);
    expect((await rows()).filter((job) => job.leased_by !== null)).toHaveLength(6);
    await db.query({ text: 'delete from job' });
    await db.query({ text: 'delete from tenant where tenant_id = any($1::uuid[])', values: [tenants.map((row) => row.tenant_id)] });
  });

  it('waits for the disk only with jobs that send something unrecorded', async () => {
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    const noted = new Set<string | undefined>();
    owner.on('notification', ({ payload }) => void noted.add(payload));
    // A deferred trigger runs at the commit, whose wait it tells.
    await owner.query(`create function public.tell_commit() returns trigger language plpgsql security definer as $$
begin perform pg_notify('commits', current_setting('synchronous_commit')); return null; end $$;
create constraint trigger tell_commit after update or delete on job deferrable initially deferred for each row execute function public.tell_commit();
listen commits`);
    const waits = async (names: readonly string[], extra: Partial<LeaseRequest> = {}): Promise<unknown[]> => {
      for (const name of names) await enqueue(db, { name, payload: { n: 1 }, tenantId: null, correlationId: randomUUID(), runAt: dueAt });
      noted.clear();
      await take({ unrecorded: ['mail'], ...extra });
      await vi.waitFor(() => expect(noted.size).toBeGreaterThan(0));
      return [...noted];
    };
    expect(await waits(['other', 'other'])).toEqual(['off']);
    expect(await waits(['other', 'mail'])).toEqual(['on']);
    expect(await waits(['other'])).toEqual(['off']);
    // A mail whose row would come back after a crash would be sent again.
    const mail = await db.query<{ job_id: number }>({ text: "select job_id from job where name = 'mail'" });
    expect(await waits(['other'], { ended: mail.map((job) => job.job_id) })).toEqual(['on']);
    expect(await db.query({ text: "select current_setting('synchronous_commit') as after" })).toEqual([{ after: 'on' }]);
    await owner.query('drop trigger tell_commit on job; drop function public.tell_commit');
    await owner.end();
  });

  it('leaves a leased job to its worker until the lease has passed', async () => {
    await add(1);
    await take();
    expect(await take({ worker: 'w2' })).toEqual([]);
    await change("leased_until = now() - interval '1 millisecond'");
    expect(await take({ worker: 'w2' })).toEqual([1]);
    expect(await rows()).toMatchObject([{ attempts: 2, leased_by: 'w2' }]);
  });

  it('takes a job for its last try, and not once more', async () => {
    await add(1);
    await change(`attempts = ${maxAttempts - 1}`);
    expect(await take()).toEqual([1]);
    await change("leased_until = now() - interval '1 second'");
    expect(await take()).toEqual([]);
  });

  it('takes no dead letter', async () => {
    await add(1);
    await change('dead_at = now()');
    expect(await take()).toEqual([]);
  });

  it('takes the oldest first, of each tenant and of the installation as many as allowed', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    for (const tenant of [one, other, null])
      for (const i of [3, 2, 1])
        await add(i + (tenant === one ? 10 : tenant === other ? 20 : 30), tenant, new Date(dueAt.getTime() + i * 1_000));
    expect(await take({ perTenant: 2 })).toEqual([11, 12, 21, 22, 31, 32]);
    await change('leased_until = null');
    expect(await take({ atMost: 4 })).toEqual([11, 21, 31, 12].toSorted((a, b) => a - b));
  });

  it('finds the jobs of others behind a thousand older ones of one tenant, among many tenants', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    await db.query({
      text: `insert into job (name, payload, tenant_id, correlation_id, run_at)
        select 'test', '{}', gen_random_uuid(), gen_random_uuid(), now() + interval '1 hour' from generate_series(1, 70)`,
    });
    await db.query({
      text: `insert into job (name, payload, tenant_id, correlation_id, run_at)
        select 'test', jsonb_build_object('n', n), $1, gen_random_uuid(), $2::timestamptz - make_interval(secs => n) from generate_series(1, 1000) n`,
      values: [one, dueAt.toISOString()],
    });
    await add(2_001, other);
    await add(2_002, null);
    expect(await take({ perTenant: 2 })).toEqual([999, 1_000, 2_001, 2_002]);
    await change('leased_until = null');
    const queries = vi.spyOn(db, 'query');
    const jobs = await leaseJobs(db, { worker: 'w1', atMost: 10, perTenant: 2, busyTenants: [one] });
    expect(jobs.map((job) => job.payload)).toEqual([{ n: 2_001 }, { n: 2_002 }]);
    // It passes over the jobs of a tenant that has its share.
    expect(queries.mock.calls.map(([{ name }]) => name)).toEqual(['job-take-2']);
    queries.mockRestore();
    await change('leased_until = null');
    // There is a place for one more of each.
    await db.query({ text: 'delete from job where tenant_id = $1 and (payload ->> $2)::int < 999', values: [one, 'n'] });
    expect(await take({ perTenant: 1 })).toEqual([1_000, 2_001, 2_002]);
  });

  it('leaves out tenants that are busy, and no job of the installation', async () => {
    const busy = randomUUID();
    await add(1, busy);
    await add(2);
    expect(await take({ busyTenants: [busy] })).toEqual([2]);
  });

  it('removes jobs of this worker that ended, and takes none of them again', async () => {
    await add(1);
    await add(2);
    await take();
    const [first, second] = await rows();
    await db.query({
      text: "update job set leased_by = 'w2', leased_until = now() - interval '1 second' where job_id = $1",
      values: [second?.job_id],
    });
    expect(await take({ ended: [first?.job_id ?? 0, second?.job_id ?? 0] })).toEqual([]);
    expect((await rows()).map((row) => row.job_id)).toEqual([second?.job_id]);
  });
});

describe('a leased job', () => {
  it('is renewed, finished, put back and moved to the dead letters by its own worker alone', async () => {
    await add(1);
    await take();
    const id = await idOf();
    await change("leased_until = now() + interval '1 second'");
    for (const worker of ['w2', 'w3']) {
      await renewLeases(db, worker, [id]);
      await finishJobs(db, worker, [id]);
      await retryJob(db, worker, id, { delayMs: 1_000, error: 'no' });
      await moveToDeadLetters(db, worker, id, 'no');
      await releaseJobs(db, worker);
    }
    const [row] = await rows();
    expect(row).toMatchObject({ leased_by: 'w1', attempts: 1, dead: false, last_error: null });
    expect(row?.leased_for).toBeLessThanOrEqual(1);
    await renewLeases(db, 'w1', [id]);
    expect((await rows())[0]?.leased_for).toBeGreaterThan(50);
    await finishJobs(db, 'w1', [id]);
    expect(await rows()).toEqual([]);
  });

  it('is put back for later with its error', async () => {
    await add(1);
    await take();
    await retryJob(db, 'w1', await idOf(), { delayMs: 30_000, error: 'busy' });
    const [row] = await rows();
    expect(row).toMatchObject({ leased_by: null, leased_for: null, attempts: 1, last_error: 'busy', dead: false });
    expect(row?.due_in).toBeGreaterThan(20);
    // Times are stored in whole milliseconds.
    expect(row?.due_in).toBeLessThan(30.001);
  });

  it('becomes a dead letter with its error', async () => {
    await add(1);
    await take();
    await moveToDeadLetters(db, 'w1', await idOf(), 'never');
    expect(await rows()).toMatchObject([{ leased_by: null, leased_for: null, dead: true, last_error: 'never' }]);
  });

  it('is released as if it had not been taken', async () => {
    for (const n of [1, 2, 3]) await add(n);
    await take();
    const dead = await idOf(2);
    await db.query({ text: 'update job set dead_at = now() where job_id = $1', values: [dead] });
    await releaseJobs(db, 'w1', [await idOf(0), dead]);
    expect(await rows()).toMatchObject([
      { attempts: 0, leased_by: null, leased_for: null },
      { attempts: 1, leased_by: 'w1' },
      { attempts: 1, leased_by: 'w1' },
    ]);
    await releaseJobs(db, 'w1');
    expect(await rows()).toMatchObject([{ attempts: 0 }, { attempts: 0, leased_by: null }, { attempts: 1, leased_by: 'w1' }]);
  });
});

describe('a worker that is lost', () => {
  it('in the last try of a job leaves it to be moved to the dead letters once its lease has passed', async () => {
    await add(1);
    await change(`attempts = ${maxAttempts - 1}`);
    await take();
    expect(await leaseAbandonedJobs(db, 'w2')).toEqual([]);
    await change("leased_until = now() - interval '1 second'");
    expect(await leaseAbandonedJobs(db, 'w2')).toMatchObject([{ name: 'test', payload: { n: 1 }, attempts: maxAttempts }]);
    const [row] = await rows();
    expect(row).toMatchObject({ leased_by: 'w2', attempts: maxAttempts });
    expect(row?.leased_for).toBeGreaterThan(50);
  });

  it('in an earlier try leaves it to be taken again', async () => {
    await add(1);
    await change(`attempts = ${maxAttempts - 1}, leased_by = 'w1', leased_until = now() - interval '1 second'`);
    expect(await leaseAbandonedJobs(db, 'w2')).toEqual([]);
    expect(await take({ worker: 'w2' })).toEqual([1]);
  });

  it('is not looked for among dead letters', async () => {
    await add(1);
    await change(`attempts = ${maxAttempts}, dead_at = now(), leased_until = now() - interval '1 second'`);
    expect(await leaseAbandonedJobs(db, 'w2')).toEqual([]);
  });
});
