/** Work of shares: each share has one worker, which keeps it until it ends or hangs. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createFlow, until, type Flow } from '../rules/testing/flow.ts';
import { startSchedule, type Schedule, type SharedPeriodic } from './schedule.ts';

let flow: Flow;
beforeAll(async () => void (flow = await createFlow()));
let name: string;
beforeEach(async () => {
  name = crypto.randomUUID();
  await flow.rows('delete from worker');
});
afterAll(() => flow.close());

interface Worker {
  /** The shares of its latest runs, and whether it continued them. */
  ran: Map<number, boolean>;
  schedule: Schedule;
  /** Ends the worker as its loss would: it runs nothing more, and gives nothing back. */
  lose(): Promise<void>;
}

async function worker(id: string): Promise<Worker> {
  await flow.rows('insert into worker (worker_id, lock_key, data_folder, pid) values ($1, 1, $1, 1)', id);
  const ran = new Map<number, boolean>();
  let isLost = false;
  const work: SharedPeriodic = {
    name,
    everyMs: 500,
    aligned: true,
    shares: 4,
    run: (_, { shares }) => {
      for (const { share, continues } of shares) ran.set(share, continues);
      return Promise.resolve();
    },
  };
  const scoped = flow.database.scoped('all');
  const database = {
    scoped: () => ({
      ...scoped,
      query: (statement: Parameters<typeof scoped.query>[0]) => (isLost ? Promise.resolve([]) : scoped.query(statement)),
    }),
  } as unknown as typeof flow.database;
  const schedule = await startSchedule({ database, log: pino({ level: 'silent' }), works: [work], worker: id });
  return {
    ran,
    schedule,
    async lose() {
      isLost = true;
      await schedule.stop();
    },
  };
}

const runs = async ({ ran }: Worker, shares: readonly number[]) => {
  ran.clear();
  await until(() => shares.every((share) => ran.get(share)) || undefined);
};

it('is divided among the workers, and goes on as soon as one ends', async () => {
  const first = await worker('a');
  await runs(first, [0, 1, 2, 3]);
  const second = await worker('b');
  await runs(second, [1, 3]);
  await runs(first, [0, 2]);
  expect([[...second.ran.keys()].toSorted(), [...first.ran.keys()].toSorted()]).toEqual([
    [1, 3],
    [0, 2],
  ]);
  second.ran.clear();
  await first.schedule.stop();
  await flow.rows("delete from worker where worker_id = 'a'");
  // What another process has run meanwhile is not continued.
  await until(() => second.ran.has(0) && second.ran.has(2));
  await runs(second, [0, 1, 2, 3]);
  await second.schedule.stop();
});

it('goes on when a worker is lost, or hangs while it counts as living', async () => {
  const [lost, other] = [await worker('a'), await worker('b')];
  await runs(lost, [0, 2]);
  await runs(other, [1, 3]);
  await lost.lose();
  const [{ at } = { at: 0 }] = await flow.rows<{ at: number }>(
    'select extract(epoch from max(last_run))::float8 as at from schedule where name = any($1::text[])',
    [`${name}/0`, `${name}/2`],
  );
  await until(() => other.ran.has(0) && other.ran.has(2));
  const [{ seconds } = { seconds: 0 }] = await flow.rows<{ seconds: number }>(
    'select (extract(epoch from min(last_run)) - $1)::float8 as seconds from schedule where name = any($2::text[])',
    at,
    [`${name}/0`, `${name}/2`],
  );
  // The lease is over after eight seconds, until which nobody else runs them.
  expect(seconds).toBeGreaterThan(7);
  await other.schedule.stop();
});
