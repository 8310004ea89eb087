/** When a worker checks for jobs, renews leases, and releases them at its stop. The test supplies clock and database. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Statement } from '../db/db.ts';
import { defineJob, jobRegistry } from './job.ts';
import type { LeasedJob } from './lease.ts';
import { startWorker, type Worker } from './worker.ts';

let sent: { name: string; values: readonly unknown[] }[];
let queue: LeasedJob[];
let abandoned: LeasedJob[];
let ends: (() => void)[];
let dead: string[];
let wake: Record<string, () => void>;
let worker: Worker;

const jobOf = (job_id: number): LeasedJob => ({
  job_id,
  name: 'test',
  tenant_id: null,
  payload: {},
  attempts: 6,
  correlation_id: 'c',
  destination: null,
  is_probe: false,
});

async function start(options: { pollMs?: number; concurrency?: number } = {}): Promise<void> {
  const query = ({ name, text, values = [] }: Statement) => {
    const called = name?.replace(/-\d+$/, '') ?? (text.startsWith('update job set leased_by = null') ? 'release' : text);
    sent.push({ name: called, values });
    if (called === 'job-take') return Promise.resolve(queue.splice(0, Number(values[2])));
    return Promise.resolve(called === 'job-sweep' ? abandoned.splice(0) : []);
  };
  const listen = (channel: string, listener: () => void) => {
    const before = wake[channel];
    wake[channel] = () => {
      before?.();
      listener();
    };
    return Promise.resolve(() => Promise.resolve());
  };
  worker = await startWorker({
    dataFolder: 'test',
    database: { scoped: () => ({ query }), listen, hold: () => Promise.resolve(() => Promise.resolve()) } as unknown as Database,
    log: pino({ level: 'silent' }),
    jobs: jobRegistry([
      defineJob({
        name: 'test',
        schema: z.object({}),
        run: () => new Promise((resolve) => ends.push(resolve)),
        onDeadLetter: (_ctx, _payload, error) => Promise.resolve(void dead.push(error)),
      }),
    ]),
    ctxFor: () => ({}) as Ctx,
    ...options,
  });
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Waits until rounds that have begun are over. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await pass(1);
};
const calls = (name: string) => sent.filter((named) => named.name === name);

beforeEach(() => {
  vi.useFakeTimers();
  [sent, queue, abandoned, ends, dead, wake] = [[], [], [], [], [], {}];
});
afterEach(async () => {
  for (const end of ends) end();
  const stopping = worker.stop();
  await pass(30_000);
  await stopping;
  vi.useRealTimers();
});

describe('a worker', () => {
  it('looks for jobs every second, or as often as it is told, and when it is woken', async () => {
    await start();
    await pass(999);
    expect(calls('job-take')).toEqual([]);
    await settle();
    expect([calls('job-take').length, calls('job-take-calls').length]).toEqual([1, 1]);
    wake['jobs']?.();
    await settle();
    expect([calls('job-take').length, calls('job-take-calls').length]).toEqual([2, 1]);
    wake['calls']?.();
    await settle();
    expect([calls('job-take').length, calls('job-take-calls').length]).toEqual([2, 2]);
    await worker.stop();
    sent = [];
    await start({ pollMs: 100 });
    await pass(100);
    await settle();
    expect(calls('job-take')).toHaveLength(1);
  });

  it('leases long jobs 50 ms after a notification, together with those that it is notified of meanwhile', async () => {
    await start();
    for (let n = 0; n < 4; n += 1) {
      wake['jobs']?.();
      await pass(10);
    }
    expect([calls('job-take').length, calls('job-take-long').length]).toEqual([4, 0]);
    await pass(11);
    expect(calls('job-take-long')).toHaveLength(1);
    wake['jobs']?.();
    await pass(51);
    expect(calls('job-take-long')).toHaveLength(2);
  });

  it('has eight slots for jobs inside, and 64 for calls, unless it is told otherwise', async () => {
    await start();
    await pass(1_000);
    await settle();
    expect([calls('job-take')[0]?.values[2], calls('job-take-calls')[0]?.values[2]]).toEqual([8, 64]);
    await worker.stop();
    sent = [];
    await start({ concurrency: 3 });
    await pass(1_000);
    await settle();
    expect(calls('job-take')[0]?.values[2]).toBe(3);
  });

  it('renews the leases of what runs every quarter of their time', async () => {
    queue = [jobOf(1), jobOf(2)];
    await start();
    await pass(14_999);
    expect([worker.running(), calls('job-renew')]).toEqual([2, []]);
    await pass(1);
    expect(calls('job-renew').map((call) => call.values[0])).toEqual([[1, 2]]);
    for (const end of ends.splice(0)) end();
    await pass(15_000);
    expect([worker.running(), calls('job-renew').length]).toEqual([0, 1]);
  });

  it('makes dead letters of jobs whose worker was lost in their last try', async () => {
    abandoned = [jobOf(7)];
    await start();
    await pass(15_000);
    const error = 'The worker stopped responding in the last try.';
    expect([dead, calls('job-dead-letter').map((call) => [call.values[0], call.values[2]])]).toEqual([[error], [[7, error]]]);
  });

  it('at its end waits for what runs, gives back the other leases, and looks no more', async () => {
    queue = [jobOf(1)];
    await start();
    await pass(1_000);
    await settle();
    let isStopped = false;
    const stopping = worker.stop().then(() => (isStopped = true));
    await pass(24_000);
    // Leases are renewed as long as jobs run.
    expect([isStopped, calls('release').length, calls('job-renew').length]).toEqual([false, 0, 1]);
    ends.splice(0)[0]?.();
    await pass(10);
    await stopping;
    expect(calls('release')).toMatchObject([{ values: [expect.any(String), null] }]);
    const before = sent.length;
    await pass(60_000);
    expect(sent).toHaveLength(before);
  });

  it('at its end waits 25 seconds at most', async () => {
    queue = [jobOf(1)];
    await start();
    await pass(1_000);
    await settle();
    let isStopped = false;
    const stopping = worker.stop().then(() => (isStopped = true));
    await pass(24_999);
    expect(isStopped).toBe(false);
    await pass(10);
    await stopping;
    expect([isStopped, calls('release').length]).toEqual([true, 1]);
  });
});
