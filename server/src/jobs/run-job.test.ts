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
import { jobRunner, type FollowCall } from './run-job.ts';

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

interface Setup {
  onDeadLetter?: Declared['onDeadLetter'];
  /** By default no call has a slot. */
  followCall?: FollowCall;
  /** The rows that each statement returns. */
  rows?: unknown[];
  /** The name of a statement that fails. */
  failingStatement?: string;
}

/** Runs a job once; returns whether it is done, and the statements about it. */
async function outcome(
  run: Declared['run'],
  extra: Partial<LeasedJob> = {},
  { onDeadLetter, followCall = () => false, rows = [], failingStatement }: Setup = {},
) {
  const sent: SentQuery[] = [];
  const send = (statement: SentQuery) => {
    sent.push(statement);
    return statement.name === failingStatement ? Promise.reject(new Error('The database does not answer.')) : Promise.resolve(rows);
  };
  const db = { query: send, defer: send, transaction: (work: (tx: Db) => unknown) => work(db) } as unknown as Db;
  const job = defineJob({ name: 'test', schema: z.object({ n: z.number() }), run, ...(onDeadLetter ? { onDeadLetter } : {}) });
  const runner = jobRunner({
    db,
    worker: 'w1',
    log: pino({ level: 'silent' }),
    jobs: jobRegistry([job]),
    ctxFor: ({ correlationId, tenantId }) => ({ correlationId, tenantId }) as unknown as Ctx,
    followCall,
  });
  const isDone = await runner.run(leasedJob(extra));
  const statements = () => sent.map(({ name, values }) => [name, ...values]);
  return { isDone, sent: statements(), statements };
}

const failing = (error: unknown) => () => Promise.reject(error);

describe('a job', () => {
  it('that succeeds is done; it knows its cause and its try', async () => {
    const args: unknown[] = [];
    const run: Declared['run'] = async (ctx, payload, attempt) => void args.push(ctx, payload, attempt);
    expect(await outcome(run, { attempts: 2 })).toMatchObject({ isDone: true, sent: [] });
    expect(args).toMatchObject([{ correlationId: 'c1', tenantId: 't1' }, { n: 1 }, { number: 2, last: false }]);
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

  it('needs a slot of the destination that it calls', async () => {
    const needing = async (extra: Partial<LeasedJob>, setup?: Setup) =>
      (await outcome(async (_ctx, _payload, attempt) => void (await requireCallSlot(attempt, 'https://one', 'unit 1')), extra, setup)).sent;
    const moved = [
      ['job-to-calls', 5, 'w1', 'https://one', null, 'unit 1'],
      ['notify', 'calls', ''],
    ];
    expect(await needing({ destination: 'https://one' })).toEqual([]);
    expect(await needing({})).toEqual(moved);
    // The slot of another destination, and a job of the installation, whose calls have no slots.
    const followCall = () => true;
    expect(await needing({ destination: 'https://two' }, { followCall })).toEqual(moved);
    expect(await needing({ tenant_id: null }, { followCall })).toEqual(moved);
    // Other calls wait for the destination.
    expect(await needing({}, { followCall, rows: [] })).toEqual([['job-keep-as-call', 5, 'w1', 'https://one', 'unit 1'], ...moved]);
  });
});

describe('a job that takes a free slot of its destination', () => {
  const rows = [{ is_closed: false }];

  /** Starts a job that ends after it has become a call. */
  async function becomeCall(end: () => Promise<void>) {
    const followed: { call: LeasedJob; ended: Promise<boolean> }[] = [];
    const runs: string[] = [];
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const run: Declared['run'] = async (_ctx, _payload, attempt) => {
      runs.push('run');
      await requireCallSlot(attempt, 'https://one', 'unit 1');
      await requireCallSlot(attempt, 'https://one', 'unit 1');
      await answer;
      await end();
    };
    const followCall: FollowCall = (call, ended) => followed.push({ call, ended }) > 0;
    const { isDone, sent, statements } = await outcome(run, {}, { followCall, rows });
    resolve();
    return { isDone, sent, followed, runs, after: () => statements().slice(sent.length) };
  }

  it('goes on as a call, and leaves its slot at once', async () => {
    const { isDone, sent, followed, runs, after } = await becomeCall(() => Promise.resolve());
    expect([isDone, sent]).toEqual([false, [['job-keep-as-call', 5, 'w1', 'https://one', 'unit 1']]]);
    expect(followed.map((item) => item.call)).toEqual([leasedJob({ destination: 'https://one' })]);
    expect(await followed[0]?.ended).toBe(true);
    expect([runs, after()]).toEqual([['run'], []]);
  });

  it('fails as a call', async () => {
    const { followed, after } = await becomeCall(() => Promise.reject(new NotTried('paused', 'https://one')));
    expect(await followed[0]?.ended).toBe(false);
    expect(after()).toEqual([
      ['job-to-calls', 5, 'w1', 'https://one', 'paused', null],
      ['notify', 'calls', ''],
    ]);
  });

  it('is put back without a lost try if that cannot be recorded', async () => {
    const followed: Promise<boolean>[] = [];
    const run: Declared['run'] = async (_ctx, _payload, attempt) => void (await requireCallSlot(attempt, 'https://one'));
    const followCall: FollowCall = (_call, ended) => followed.push(ended) > 0;
    const { sent } = await outcome(run, {}, { followCall, failingStatement: 'job-keep-as-call' });
    expect(sent.map(([name]) => name)).toEqual(['job-keep-as-call', 'job-to-calls', 'notify']);
    expect(await followed[0]).toBe(false);
  });

  it('is no call if other calls wait', async () => {
    const followed: Promise<boolean>[] = [];
    const run: Declared['run'] = async (_ctx, _payload, attempt) => void (await requireCallSlot(attempt, 'https://one'));
    await outcome(run, {}, { followCall: (_call, ended) => followed.push(ended) > 0 });
    expect(await followed[0]).toBe(false);
  });
});

describe('the owner of a dead letter', () => {
  it('is told once, with the payload and the error', async () => {
    const reports: unknown[] = [];
    await outcome(
      failing(new PermanentFailure('never')),
      {},
      { onDeadLetter: async (ctx, payload, error) => void reports.push(ctx, payload, error) },
    );
    expect(reports).toEqual([{ correlationId: 'c1', tenantId: 't1' }, { n: 1 }, 'never']);
  });

  it('is not told of a payload that no job understands, nor of a try that is repeated', async () => {
    const reports: unknown[] = [];
    const tell: Declared['onDeadLetter'] = async () => void reports.push('told');
    await outcome(failing(new PermanentFailure('never')), { payload: {} }, { onDeadLetter: tell });
    await outcome(failing(new Error('busy')), {}, { onDeadLetter: tell });
    expect(reports).toEqual([]);
  });

  it('keeps the job from no end when it fails itself', async () => {
    const { isDone, sent } = await outcome(
      failing(new PermanentFailure('never')),
      {},
      { onDeadLetter: failing(new Error('nobody listens')) },
    );
    expect([isDone, sent]).toEqual([false, [['job-dead-letter', 5, 'w1', 'never']]]);
  });
});
