/** Which jobs with outbound calls are leased: by tenant, by receiver, and while a circuit is open. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase } from '../testing/database.ts';
import { keepAsCall, leaseCalls, leaseJobs, maxAttempts, moveToDestination, type CallLeaseRequest, type LeasedJob } from './lease.ts';
import { enqueue, resumeCalls } from './queue.ts';

let database: Database;
let db: Db;
let closeDatabase: () => Promise<void>;
let [tenant, other] = ['', ''];

beforeAll(async () => {
  const test = await testDatabase();
  database = openDatabase({ url: test.url, max: 4, onError: () => undefined });
  db = database.scoped('all');
  closeDatabase = test.close;
  const rows = await db.query<{ tenant_id: string }>({ text: "insert into tenant (name) values ('a'), ('b') returning tenant_id" });
  [tenant, other] = rows.map((row) => row.tenant_id).toSorted() as [string, string];
});
afterEach(() => db.query({ text: 'with gone as (delete from job) delete from destination' }));
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

const [one, two] = ['https://one.example', 'https://two.example'];
const past = Date.now() - 600_000;

interface CallState {
  tenantId?: string;
  dueIn?: number;
  lastError?: string;
  attempts?: number;
  series?: string;
  isDead?: boolean;
  leasedBy?: string;
  /** Seconds from now. */
  leasedFor?: number;
}

/** Adds a call, by default one that is due; calls with higher numbers are due later. */
async function add(n: number, destination = one, { tenantId = tenant, dueIn = n * 1_000, ...state }: CallState = {}): Promise<void> {
  await enqueue(db, { name: 'test', payload: { n }, tenantId, correlationId: randomUUID(), runAt: new Date(past + dueIn) });
  await db.query({
    text: `update job set destination = $1, last_error = $3, attempts = $4, dead_at = case when $5 then now() end, leased_by = $6, series = $8,
      leased_until = now() + $7 * interval '1 second' where payload = $2::jsonb`,
    values: [
      destination,
      JSON.stringify({ n }),
      state.lastError ?? null,
      state.attempts ?? 0,
      state.isDead ?? false,
      state.leasedBy ?? null,
      state.leasedFor ?? null,
      state.series ?? null,
    ],
  });
}

/** `pausedFor`: seconds from now. */
async function circuit(origin: string, { failures = 4, pausedFor = null as number | null, isDisabled = false }): Promise<void> {
  await db.query({
    text: `insert into destination (tenant_id, origin, failures, paused_until, disabled)
      values ($1, $2, $3, now() + $4 * interval '1 second', case when $5 then now() end)`,
    values: [tenant, origin, failures, pausedFor, isDisabled],
  });
}

async function lease(extra: Partial<CallLeaseRequest> = {}): Promise<string[]> {
  const jobs = await leaseCalls(db, { worker: 'w1', atMost: 20, perTenant: 10, perDestination: 10, running: [], ...extra });
  return jobs
    .map((job) => `${(job.payload as { n: number }).n}${job.is_probe ? ' probe' : ''}`)
    .toSorted((a, b) => parseInt(a) - parseInt(b));
}

describe('calls', () => {
  it('are leased when they are due, in parallel', async () => {
    for (const n of [1, 2, 3]) await add(n);
    await add(4, one, { dueIn: 3_600_000 });
    expect(await lease()).toEqual(['1', '2', '3']);
    expect(await lease({ worker: 'w2' })).toEqual([]);
  });

  it('are leased as many of a tenant and to a receiver as are allowed, with those that run', async () => {
    for (const n of [1, 2, 3]) await add(n, one);
    for (const n of [4, 5]) await add(n, two);
    for (const n of [6, 7]) await add(n, one, { tenantId: other });
    const running = [
      { tenant_id: tenant, destination: one, count: 1 },
      { tenant_id: other, destination: 'https://three.example', count: 1 },
    ];
    // One call of each tenant is running already; that of the first tenant is to the first receiver.
    expect(await lease({ running, perTenant: 3, perDestination: 3 })).toEqual(['1', '2']);
    await db.query({ text: 'update job set leased_until = null' });
    expect(await lease({ running, perTenant: 4, perDestination: 9 })).toEqual(['1', '2', '3', '6', '7']);
    await db.query({ text: 'update job set leased_until = null' });
    expect(await lease({ atMost: 3 })).toEqual(['1', '2', '6']);
  });

  it('are found behind many older ones of a receiver whose circuit is open, among many receivers', async () => {
    await db.query({
      text: `insert into job (name, payload, tenant_id, correlation_id, run_at, destination)
        select 'test', '{}', $1, gen_random_uuid(), now() + interval '1 hour', 'https://' || n || '.example' from generate_series(1, 70) n`,
      values: [tenant],
    });
    await db.query({
      text: `insert into job (name, payload, tenant_id, correlation_id, run_at, destination)
        select 'test', jsonb_build_object('n', n), $1, gen_random_uuid(), now() - interval '1 day', $2 from generate_series(1001, 1128) n`,
      values: [tenant, one],
    });
    await add(1, two);
    await add(2, one, { tenantId: other });
    await circuit(one, { pausedFor: 60 });
    expect(await lease()).toEqual(['1', '2']);
    await db.query({ text: "update destination set paused_until = now() - interval '1 second'" });
    expect(await lease()).toEqual(['1001 probe']);
    // A probe goes out before it is due.
    await db.query({ text: `delete from job where (payload ->> 'n')::int > 1000` });
    await add(3, one, { dueIn: 3_600_000 });
    expect(await lease()).toEqual(['3 probe']);
  });

  it('are found behind very many of a receiver that has its share, among many receivers, without a step through all', async () => {
    await db.query({
      text: `insert into job (name, payload, tenant_id, correlation_id, run_at, destination)
        select 'test', '{}', $1, gen_random_uuid(), now() + interval '1 hour', 'https://' || n || '.example' from generate_series(1, 70) n`,
      values: [tenant],
    });
    await db.query({
      text: `insert into job (name, payload, tenant_id, correlation_id, run_at, destination)
        select 'test', jsonb_build_object('n', n), $1, gen_random_uuid(), now() - interval '1 day', $2 from generate_series(1001, 3000) n`,
      values: [tenant, one],
    });
    await add(1, two);
    await add(2, one, { tenantId: other });
    await add(3, two, { tenantId: other });
    const queries = vi.spyOn(db, 'query');
    /** The names of the leases since the last call. */
    const leases = (): unknown[] => {
      const names = queries.mock.calls.map(([{ name }]) => name).filter((name) => name !== undefined);
      queries.mockClear();
      return names;
    };
    const leased = async (extra: Partial<CallLeaseRequest>) =>
      (await leaseCalls(db, { worker: 'w1', atMost: 9, perTenant: 4, perDestination: 2, running: [], ...extra }))
        .map((job) => (job.payload as { n: number }).n)
        .toSorted((a, b) => a - b);
    // The receiver has its share with two calls of the first tenant.
    expect(await leased({ running: [{ tenant_id: tenant, destination: one, count: 2 }] })).toEqual([1, 3]);
    await db.query({ text: 'update job set leased_until = null, attempts = 0' });
    expect(await leased({ running: [{ tenant_id: tenant, destination: 'https://1.example', count: 4 }] })).toEqual([2, 3]);
    expect(leases()).toEqual(['job-take-calls-4', 'job-take-calls-4']);
    await db.query({ text: 'update job set leased_until = null, attempts = 0' });
    // It gets its share first, and then passes.
    expect(await leased({})).toEqual([1, 3, 1001, 1002]);
    expect(leases()).toEqual(['job-take-calls-4', 'job-take-calls-4']);
    // Where its calls wait for one that has waited, all receivers are looked at, those without a due call too, for a probe.
    await db.query({
      text: `update job set leased_until = null, attempts = 0, series = case when destination = $1 then 'unit 1' end`,
      values: [one],
    });
    await db.query({
      text: `update job set run_at = now() - interval '2 days', last_error = 'busy', leased_until = now() + interval '1 minute'
        where payload = '{"n": 1001}'`,
    });
    await add(4, 'https://70.example', { dueIn: 3_600_000 });
    await circuit('https://70.example', { pausedFor: -1 });
    leases();
    expect(await leased({ perTenant: 3 })).toEqual([1, 2, 3, 4]);
    expect(leases()).toEqual(['job-take-calls-3', 'job-take-calls-3', 'job-take-every-call-3']);
    queries.mockRestore();
  });

  it('are not leased while their circuit is open; others are', async () => {
    await add(1, one);
    await add(2, two);
    await add(3, one, { tenantId: other });
    await circuit(one, { pausedFor: 60 });
    expect(await lease()).toEqual(['2', '3']);
  });

  it('are leased one at a time when a circuit may close, the first that waits even before it is due', async () => {
    await add(1, one, { dueIn: 3_600_000 });
    await add(2, one, { dueIn: 3_700_000 });
    await circuit(one, { pausedFor: -1 });
    expect(await lease()).toEqual(['1 probe']);
    expect(await lease({ worker: 'w2' })).toEqual([]);
  });

  it('are no tries of a circuit that never opened, or that is disabled', async () => {
    await add(1, one);
    await circuit(one, { failures: 3 });
    await add(2, two);
    await circuit(two, { pausedFor: 60, isDisabled: true });
    await add(3, one, { tenantId: other });
    expect(await lease()).toEqual(['1', '2', '3']);
  });

  it('that have waited go out in their order, those of one series one after the other', async () => {
    const waited = (series: string) => ({ lastError: 'paused', series });
    await add(1, one, waited('a'));
    await add(2, one, waited('a'));
    await add(3, one, waited('b'));
    await add(4, one, { lastError: 'paused' });
    await add(5, one, { lastError: 'paused' });
    await add(6, two);
    await add(7, two, waited('a'));
    expect(await lease()).toEqual(['1', '3', '4', '5', '6', '7']);
    expect(await lease()).toEqual([]);
    const [first] = await db.query<{ job_id: number }>({ text: 'select job_id from job where payload = \'{"n": 1}\'' });
    expect(await lease({ ended: [first?.job_id ?? 0] })).toEqual(['2']);
  });

  it('of one series that waited are leased by one worker at a time, whatever another one is about to lease', async () => {
    for (let n = 1; n <= 40; n++) await add(n, one, { lastError: 'paused', series: 'a' });
    await add(41, one, { lastError: 'paused', series: 'b' });
    await add(42, one, { lastError: 'paused', series: 'c' });
    const request = { atMost: 20, perTenant: 1, perDestination: 10, running: [] };
    const numbers = (leased: LeasedJob[]) => leased.map((job) => (job.payload as { n: number }).n);
    await db.transaction(async (tx) => {
      expect(numbers(await leaseCalls(tx, { ...request, worker: 'w1' }))).toEqual([1]);
      // The second worker cannot see yet which job the first has leased.
      expect(await lease({ worker: 'w2' })).toEqual(['41', '42']);
    });
    expect(await lease({ worker: 'w2' })).toEqual([]);
  });

  it('behind one that waited wait for it, and those before one that waited do not', async () => {
    await add(1, one, { series: 'a' });
    await add(2, one, { series: 'a' });
    await add(3, one, { series: 'b', lastError: 'paused' });
    await add(4, one, { series: 'b' });
    await add(5, one, { series: 'a', lastError: 'paused' });
    expect(await lease()).toEqual(['1', '2', '3']);
    expect(await lease({ worker: 'w2' })).toEqual([]);
  });

  it('are a single probe, whatever another worker is about to lease', async () => {
    for (let n = 1; n <= 3; n++) await add(n, one, { dueIn: 3_600_000 + n });
    await circuit(one, { pausedFor: -1 });
    await db.transaction(async (tx) => {
      const [probe] = await leaseCalls(tx, { worker: 'w1', atMost: 20, perTenant: 1, perDestination: 10, running: [] });
      expect(probe).toMatchObject({ payload: { n: 1 }, is_probe: true });
      expect(await lease({ worker: 'w2' })).toEqual([]);
    });
    expect(await lease({ worker: 'w2' })).toEqual([]);
  });

  it('that have waited take no more slots than others', async () => {
    for (const n of [1, 2, 3, 4]) await add(n, one, { lastError: 'paused', series: `s${n}` });
    expect(await lease({ perTenant: 2 })).toEqual(['1', '2']);
  });

  it('are leased again when their lease has passed, up to the last try, and never as dead letters', async () => {
    await add(1, one, { leasedBy: 'lost', leasedFor: -1, attempts: 1 });
    await add(2, one, { attempts: maxAttempts });
    await add(3, two, { isDead: true });
    expect(await lease()).toEqual(['1']);
  });
});

describe('a job that becomes a call', () => {
  const stored = () => db.query({ text: 'select destination, series, leased_by, attempts from job where payload = \'{"n": 9}\'' });

  /** Leases a job and lets it become a call of `one` when its lease has just ended; returns the slot that it gets. */
  async function keep({ worker = 'w1' } = {}): Promise<string> {
    await db.query({ text: 'delete from job where payload = \'{"n": 9}\'' });
    await enqueue(db, { name: 'test', payload: { n: 9 }, tenantId: tenant, correlationId: randomUUID() });
    const [job] = await leaseJobs(db, { worker: 'w1', atMost: 9, perTenant: 9, busyTenants: [] });
    await db.query({ text: "update job set leased_until = now() - interval '1 second' where job_id = $1", values: [job?.job_id] });
    return keepAsCall(db, worker, job?.job_id ?? 0, { destination: one, series: 'unit 1' });
  }

  it('renews its lease, keeps its try, and is leased by nobody else', async () => {
    expect(await keep()).toBe('new');
    expect(await stored()).toEqual([{ destination: one, series: 'unit 1', leased_by: 'w1', attempts: 1 }]);
    expect(await lease({ worker: 'w2' })).toEqual([]);
  });

  it('is unchanged when another worker has its lease', async () => {
    expect(await keep({ worker: 'w2' })).toBe('none');
    expect(await stored()).toEqual([{ destination: null, series: null, leased_by: 'w1', attempts: 1 }]);
  });

  it('waits behind calls of its tenant that wait, and beside no others', async () => {
    await add(1, two);
    await add(2, one, { tenantId: other });
    await add(3, one, { isDead: true, lastError: 'lost' });
    await add(4, one, { leasedBy: 'w2', leasedFor: 60 });
    expect(await keep()).toBe('new');
    for (const waiting of [
      {},
      { dueIn: 3_600_000 },
      { leasedBy: 'lost', leasedFor: -1 },
      { leasedBy: 'w2', leasedFor: 60, lastError: 'busy' },
    ]) {
      await add(5, one, waiting);
      expect(await keep()).toBe('none');
      await db.query({ text: 'delete from job where payload = \'{"n": 5}\'' });
    }
    expect(await keep()).toBe('new');
  });

  it('waits while failures of its circuit are counted, unless the circuit is disabled', async () => {
    await circuit(one, { failures: 1 });
    expect(await keep()).toBe('none');
    await db.query({ text: 'update destination set disabled = now()' });
    expect(await keep()).toBe('had');
    await db.query({ text: 'update destination set disabled = null, tenant_id = $1', values: [other] });
    expect(await keep()).toBe('new');
  });
});

describe('what waits for a receiver', () => {
  const rows = () =>
    db.query<{ n: number; due: boolean; last_error: string | null }>({
      text: "select (payload ->> 'n')::int as n, run_at <= now() as due, last_error from job order by 1",
    });

  it('is due when it answers again, and nothing else is', async () => {
    const later = { dueIn: 3_600_000 };
    await add(1, one, later);
    await add(2, one, { ...later, lastError: 'paused' });
    await add(3, two, later);
    await add(4, one, { ...later, tenantId: other });
    await add(5, one, { ...later, isDead: true });
    await add(6, one, { ...later, leasedFor: 60 });
    await add(7, one, { ...later, leasedFor: -1 });
    await resumeCalls(db, tenant, one);
    expect(await rows()).toEqual([
      { n: 1, due: true, last_error: 'Waited until the receiver answered again.' },
      { n: 2, due: true, last_error: 'paused' },
      { n: 3, due: false, last_error: null },
      { n: 4, due: false, last_error: null },
      { n: 5, due: false, last_error: null },
      { n: 6, due: false, last_error: null },
      { n: 7, due: true, last_error: 'Waited until the receiver answered again.' },
    ]);
  });

  it('keeps the order of its jobs of one millisecond, whether or not they were put back', async () => {
    // The times of the jobs differ by less than a millisecond, or are rounded differently.
    for (let n = 1; n <= 20; n++) await enqueue(db, { name: 'test', payload: { n }, tenantId: tenant, correlationId: randomUUID() });
    await db.query({ text: 'update job set destination = $1', values: [one] });
    const before = await db.query({ text: 'select job_id, run_at from job order by job_id' });
    await resumeCalls(db, tenant, one);
    expect(await db.query({ text: 'select job_id, run_at from job order by job_id' })).toEqual(before);
  });

  it('is put back without a lost try, by its own worker', async () => {
    await add(1);
    await lease();
    const [job] = await db.query<{ job_id: number }>({ text: 'select job_id from job' });
    const id = job?.job_id ?? 0;
    const now = () => db.query({ text: 'select attempts, leased_by, destination, series, last_error from job' });
    await moveToDestination(db, 'w2', id, { destination: two, waitsBecause: 'no' });
    expect(await now()).toEqual([{ attempts: 1, leased_by: 'w1', destination: one, series: null, last_error: null }]);
    await moveToDestination(db, 'w1', id, { destination: two, series: 'unit 1', waitsBecause: 'paused' });
    expect(await now()).toEqual([{ attempts: 0, leased_by: null, destination: two, series: 'unit 1', last_error: 'paused' }]);
    await lease();
    await moveToDestination(db, 'w1', id, { destination: one, waitsBecause: null });
    expect(await now()).toEqual([{ attempts: 0, leased_by: null, destination: one, series: 'unit 1', last_error: 'paused' }]);
  });
});
