/** What a worker does with a job, by how the job ends. Pure: checks the statements that would be sent. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import {
  defineJob,
  jobRegistry,
  NotTried,
  PermanentFailure,
  requireCallSlot,
  RetryLater,
  type JobAttempt,
  type JobDeclaration,
} from './job.ts';
import { maxAttempts, type LeasedJob } from './lease.ts';
import { jobRunner } from './run-job.ts';

interface SentQuery {
  name?: string;
  values: readonly unknown[];
}

type Declared = JobDeclaration<{ n: number }>;

const leasedJob = (extra: Partial<LeasedJob> = {}): LeasedJob => ({
  job_id: 5,
  name: 'test',
  tenant_id: 't1',
  payload: { n: 1 },
  attempts: 1,
  correlation_id: 'c1',
  destination: null,
  is_probe: false,
  ...extra,
});

/** Runs a job once; returns whether it is done, and the statements about it. */
async function outcome(run: Declared['run'], extra: Partial<LeasedJob> = {}, onDeadLetter?: Declared['onDeadLetter']) {
  const sent: SentQuery[] = [];
  const send = (statement: SentQuery) => Promise.resolve(void sent.push(statement));
  const db = { query: send, defer: send, transaction: (work: (tx: Db) => unknown) => work(db) } as unknown as Db;
  const job = defineJob({ name: 'test', schema: z.object({ n: z.number() }), run, ...(onDeadLetter ? { onDeadLetter } : {}) });
  const runner = jobRunner({
    db,
    worker: 'w1',
    log: pino({ level: 'silent' }),
    jobs: jobRegistry([job]),
    ctxFor: ({ correlationId, tenantId }) => ({ correlationId, tenantId }) as unknown as Ctx,
  });
  const isDone = await runner.run(leasedJob(extra));
  return { isDone, sent: sent.map(({ name, values }) => [name, ...values]) };
}

const failing = (error: unknown) => () => Promise.reject(error);

describe('a job', () => {
  it('that succeeds is done; it knows its cause, its try and its destination', async () => {
    const args: unknown[] = [];
    const run: Declared['run'] = async (ctx, payload, attempt) => void args.push(ctx, payload, attempt);
    expect(await outcome(run, { attempts: 2, destination: 'https://one' })).toEqual({ isDone: true, sent: [] });
    expect(args).toEqual([{ correlationId: 'c1', tenantId: 't1' }, { n: 1 }, { number: 2, last: false, destination: 'https://one' }]);
  });

  it('knows its last try; to find out whether a receiver answers is never the last', async () => {
    const attempts: JobAttempt[] = [];
    const run: Declared['run'] = async (_ctx, _payload, attempt) => void attempts.push(attempt);
    for (const extra of [{ attempts: maxAttempts - 1 }, { attempts: maxAttempts }, { attempts: maxAttempts, is_probe: true }])
      await outcome(run, extra);
    expect(attempts.map((attempt) => attempt.last)).toEqual([false, true, false]);
  });

  it('that fails is tried again after the time of its try', async () => {
    const { isDone, sent } = await outcome(failing(new Error('busy')));
    expect([isDone, sent[0]?.slice(0, 4)]).toEqual([false, ['job-retry', 5, 'w1', 'busy']]);
    const delay = Number(sent[0]?.[4]);
    expect(delay >= 8_000 && delay <= 12_000).toBe(true);
    expect(sent[0]?.[5]).toBe(true);
  });

  it('that knows when to try again is tried then', async () => {
    const { sent } = await outcome(failing(new RetryLater('later', 77_000)));
    expect(sent).toEqual([['job-retry', 5, 'w1', 'later', 77_000, true]]);
  });

  it('keeps the first 2,000 characters of its error', async () => {
    const { sent } = await outcome(failing(new Error('x'.repeat(2_001))));
    expect(sent[0]?.[3]).toBe('x'.repeat(2_000));
  });

  it('is a dead letter after its last try, after a failure that would come again, without a name or with a wrong payload', async () => {
    const dead = (extra: Partial<LeasedJob>, error: unknown = new Error('no')) => outcome(failing(error), extra);
    expect((await dead({ attempts: maxAttempts })).sent).toEqual([['job-dead-letter', 5, 'w1', 'no']]);
    expect((await dead({ attempts: maxAttempts - 1 })).sent[0]?.[0]).toBe('job-retry');
    expect((await dead({}, new PermanentFailure('never'))).sent).toEqual([['job-dead-letter', 5, 'w1', 'never']]);
    expect((await dead({ name: 'nobody' })).sent).toEqual([['job-dead-letter', 5, 'w1', 'No job is called nobody.']]);
    expect((await dead({ payload: { n: 'x' } })).sent[0]?.[3]).toMatch(/^The payload is not valid: /);
  });

  it('loses no try by finding out that a receiver still does not answer', async () => {
    const { sent } = await outcome(failing(new RetryLater('closed', 1_000)), { attempts: maxAttempts, is_probe: true });
    expect(sent).toEqual([['job-retry', 5, 'w1', 'closed', 1_000, false]]);
  });

  it('that has done nothing waits for a slot of its destination, and says why where it had one', async () => {
    const moved = async (destination: string | null) =>
      (await outcome(failing(new NotTried('paused', 'https://one', 'unit 1')), { destination, attempts: maxAttempts })).sent;
    const wakeUp = ['notify', 'calls', ''];
    expect(await moved(null)).toEqual([['job-to-calls', 5, 'w1', 'https://one', null, 'unit 1'], wakeUp]);
    expect(await moved('https://two')).toEqual([['job-to-calls', 5, 'w1', 'https://one', null, 'unit 1'], wakeUp]);
    expect(await moved('https://one')).toEqual([['job-to-calls', 5, 'w1', 'https://one', 'paused', 'unit 1'], wakeUp]);
  });

  it('needs a slot of the destination that it calls', () => {
    const attempt = (destination: string | null): JobAttempt => ({ number: 1, last: false, destination });
    expect(() => requireCallSlot(attempt('https://one'), 'https://one')).not.toThrow();
    for (const other of [null, 'https://two'])
      expect(() => requireCallSlot(attempt(other), 'https://one')).toThrow(expect.objectContaining({ destination: 'https://one' }));
  });
});

describe('the owner of a dead letter', () => {
  it('is told once, with the payload and the error', async () => {
    const reports: unknown[] = [];
    await outcome(failing(new PermanentFailure('never')), {}, async (ctx, payload, error) => void reports.push(ctx, payload, error));
    expect(reports).toEqual([{ correlationId: 'c1', tenantId: 't1' }, { n: 1 }, 'never']);
  });

  it('is not told of a payload that no job understands, nor of a try that is repeated', async () => {
    const reports: unknown[] = [];
    const tell: Declared['onDeadLetter'] = async () => void reports.push('told');
    await outcome(failing(new PermanentFailure('never')), { payload: {} }, tell);
    await outcome(failing(new Error('busy')), {}, tell);
    expect(reports).toEqual([]);
  });

  it('keeps the job from no end when it fails itself', async () => {
    const { isDone, sent } = await outcome(failing(new PermanentFailure('never')), {}, failing(new Error('nobody listens')));
    expect([isDone, sent]).toEqual([false, [['job-dead-letter', 5, 'w1', 'never']]]);
  });
});
