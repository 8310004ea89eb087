/**
 * Periodic work: each tick runs once, in the process that moves its due time forward first. While a run takes longer, a lease keeps
 * other processes from beginning the next one. Work of shares is divided among the workers; each keeps its shares from run to run.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';

export interface Periodic {
  name: string;
  everyMs: number;
  /** Runs at whole multiples of its interval, so that a backtest can use the same times. */
  aligned?: true;
  /** Must be idempotent, because work can end in the middle when a process is lost. */
  run: (db: Db) => Promise<void>;
}

/** A run of work that is divided. */
export interface SharedRun {
  /** What the column `runner` of these shares says while they are this process's. */
  runner: string;
  /** `continues`: whether this process ran the share the last time too, so that what it remembers of it holds. */
  shares: readonly { share: number; continues: boolean }[];
}

/** Aligned work that is divided into shares. */
export interface SharedPeriodic extends Omit<Periodic, 'run'> {
  aligned: true;
  shares: number;
  run: (db: Db, turn: SharedRun) => Promise<void>;
}

export interface Schedule {
  stop(): Promise<void>;
}

const isDue = 'next_run <= now() and (running_until is null or running_until < now())';
const alignedNext = (everyMs: string) =>
  `to_timestamp((floor(extract(epoch from now())::float8 * 1000 / ${everyMs}::float8) + 1) * ${everyMs}::float8 / 1000)`;

/**
 * $1: the names of the shares in order, $2: the interval, $3: this process as a runner, $4: its worker. Each share belongs to one of the
 * living workers. Its runner keeps it by a lease that is longer than the interval, and gives it back once it belongs to another worker;
 * a share that nobody has run for three seconds is taken by whoever comes first, because its worker may hang.
 */
const claimShares = `with living as (
  select array_agg(worker_id order by worker_id) as ids from worker where gone_since is null
), due as (
  select s.name, n.share - 1 as share, s.next_run < now() - interval '3 seconds' as is_late,
    coalesce(l.ids[1 + (n.share - 1) % cardinality(l.ids)] = $4, true) as is_own
  from unnest($1::text[]) with ordinality as n (name, share) join schedule s on s.name = n.name cross join living l where s.next_run <= now()
), given as (
  update schedule s set running_until = null from due d
  where s.name = d.name and not d.is_own and not d.is_late and s.runner = $3::uuid and s.running_until is not null
)
update schedule s set next_run = ${alignedNext('$2')}, last_run = now(), runner = $3::uuid, running_until = now() + interval '8 seconds'
from due d where s.name = d.name and (d.is_own or d.is_late) and s.next_run <= now()
  and (s.runner = $3::uuid or s.running_until is null or s.running_until < now())
returning d.share::int as share, old.runner is not distinct from $3::uuid as continues, s.last_error is not null as failed`;

/** Work that this process has claimed, and whether its last run failed. */
interface Claimed {
  name: string;
  failed: boolean | null;
}

const statements = {
  claimShares: { name: 'schedule-claim-shares', text: claimShares },
  // Passes over what another process claims at the same moment.
  claim: {
    name: 'schedule-claim',
    text: `with due as (
  select s.name, w.every_ms from unnest($1::text[], $2::float8[]) as w (name, every_ms) join schedule s on s.name = w.name where ${isDue} for update of s skip locked
)
update schedule s set next_run = now() + d.every_ms * interval '1 millisecond', last_run = now() from due d where s.name = d.name returning s.name, s.last_error is not null as failed`,
  },
  claimAligned: {
    name: 'schedule-claim-aligned',
    text: `update schedule set next_run = ${alignedNext('$2')}, last_run = now() where name = $1 and ${isDue} returning name, last_error is not null as failed`,
  },
  hold: {
    name: 'schedule-hold',
    text: `update schedule set runner = $2, running_until = now() + interval '8 seconds' where name = any($1::text[])`,
  },
  forget: {
    name: 'schedule-forget',
    text: 'update schedule set last_error = null, failed_since = null where name = any($1::text[]) and last_error is not null',
  },
  release: { name: 'schedule-release', text: 'update schedule set running_until = null where name = any($1::text[]) and runner = $2' },
};

/**
 * After how many milliseconds a run takes its lease, and how often it renews it: shorter than the interval of what must not run
 * twice, long enough that usual runs need no lease. When the process is lost, the lease lasts 8 s at most.
 */
const holdMs = 2_000;

/** Number of checks per interval of aligned work, because its delay matters; other work is checked twice per interval. */
const checksPerInterval = 10;

/**
 * Milliseconds between the starts of works that are due at the same moment: all at once, they would take all connections and both
 * processors from whatever else happens then.
 */
const apartMs = 10;

const nameOf = (work: SharedPeriodic, share: number): string => `${work.name}/${share}`;
/** The names of the rows of the work in the table `schedule`. */
export const namesOf = (work: Periodic | SharedPeriodic): string[] =>
  'shares' in work ? Array.from({ length: work.shares }, (_, share) => nameOf(work, share)) : [work.name];

/** Runs periodic work until stopped. A failure is logged and recorded, and the work runs again at its next time. */
export async function startSchedule(options: {
  database: Database;
  log: Logger;
  works: readonly (Periodic | SharedPeriodic)[];
  /** The id of the worker of this process, for work that is divided among the workers; without it, this process takes all. */
  worker?: string;
}): Promise<Schedule> {
  const { log, works } = options;
  const runner = randomUUID();
  const db = options.database.scoped('all');
  await db.query({
    text: 'insert into schedule (name) select unnest($1::text[]) on conflict do nothing',
    values: [works.flatMap(namesOf)],
  });
  const active = new Set<Promise<unknown>>();
  const busy = new Set<string>();
  let isStopping = false;

  /** Takes a lease once the work takes long, and renews it until released. */
  function holdWhileRunning(names: readonly string[], everyMs: number): { end(): Promise<void>; release(): Promise<void> } {
    let holding: Promise<unknown> | undefined;
    const timer = setInterval(
      () => {
        holding = db
          .query({ ...statements.hold, values: [names, runner] })
          .catch((error: unknown) => log.warn({ err: error, work: names[0] }, 'Periodic work could not say that it still runs.'));
      },
      Math.min(holdMs, everyMs / 2),
    );
    async function end(): Promise<void> {
      clearInterval(timer);
      await holding;
    }
    return {
      end,
      async release() {
        await end();
        if (!holding) return;
        await db.query({ ...statements.release, values: [names, runner] });
      },
    };
  }

  async function forgetFailure(names: readonly string[]): Promise<void> {
    await db.query({ ...statements.forget, values: [names] });
  }

  async function recordFailure(names: readonly string[], error: unknown): Promise<void> {
    log.error({ err: error, work: names[0] }, 'Periodic work failed.');
    await db.query({
      text: `update schedule set last_error = $2, failed_since = case when last_error is null then now() else coalesce(failed_since, now()) end
where name = any($1::text[])`,
      values: [names, messageOf(error)],
    });
  }

  async function tickShares(work: SharedPeriodic): Promise<void> {
    const shares = await db.query<SharedRun['shares'][number] & { failed: boolean | null }>({
      ...statements.claimShares,
      values: [namesOf(work), work.everyMs, runner, options.worker ?? null],
    });
    if (shares.length === 0) return;
    const names = shares.map(({ share }) => nameOf(work, share));
    const lease = holdWhileRunning(names, work.everyMs);
    let failure: unknown;
    try {
      await work.run(db, { runner, shares });
    } catch (error) {
      failure = error;
    }
    // The lease is kept until the next run.
    await lease.end();
    if (failure !== undefined) await recordFailure(names, failure);
    else if (shares.some(({ failed }) => failed)) await forgetFailure(names);
  }

  /** `failed`: whether the last run did. */
  async function run(work: Periodic, failed: boolean | null): Promise<void> {
    const lease = holdWhileRunning([work.name], work.everyMs);
    try {
      await work.run(db);
      // Otherwise the page Installation would show an error of long ago for ever.
      if (failed) await forgetFailure([work.name]);
    } catch (error) {
      await recordFailure([work.name], error);
    } finally {
      await lease.release();
    }
  }

  async function tickAligned(work: Periodic): Promise<void> {
    const [claimed] = await db.query<Claimed>({ ...statements.claimAligned, values: [work.name, work.everyMs] });
    if (claimed) await run(work, claimed.failed);
  }

  /** Waits for `doing` at the stop. `isOver` is called when it has ended. */
  function follow(name: string, doing: Promise<unknown>, isOver: () => void): void {
    const done = doing
      .catch((error: unknown) => log.warn({ err: error, work: name }, 'Periodic work could not be looked up.'))
      .finally(() => {
        isOver();
        active.delete(done);
      });
    active.add(done);
  }

  function begin({ name }: Periodic | SharedPeriodic, doing: Promise<unknown>): void {
    follow(name, doing, () => busy.delete(name));
  }

  /** The works whose turn it is to be looked at. */
  let waiting: Periodic[] = [];

  /** Claims those that are due with one statement, and begins them one after the other, the most frequent first. */
  async function claimWaiting(): Promise<void> {
    const looked = waiting.toSorted((a, b) => a.everyMs - b.everyMs);
    waiting = [];
    const failedByName = new Map<string, boolean | null>();
    try {
      if (isStopping) return;
      const values = [looked.map(({ name }) => name), looked.map(({ everyMs }) => everyMs)];
      for (const { name, failed } of await db.query<Claimed>({ ...statements.claim, values })) failedByName.set(name, failed);
    } finally {
      for (const { name } of looked) if (!failedByName.has(name)) busy.delete(name);
    }
    for (const [nth, work] of looked.filter(({ name }) => failedByName.has(name)).entries()) {
      if (nth > 0) await new Promise((resolve) => setTimeout(resolve, apartMs));
      begin(work, run(work, failedByName.get(work.name) ?? null));
    }
  }

  function once(work: Periodic | SharedPeriodic): void {
    if (busy.has(work.name)) return;
    busy.add(work.name);
    if ('shares' in work) return begin(work, tickShares(work));
    if (work.aligned) return begin(work, tickAligned(work));
    waiting.push(work);
    // Intervals that end at the same moment are claimed together.
    if (waiting.length === 1) setImmediate(() => follow(work.name, claimWaiting(), () => undefined));
  }

  // A process checks more often than the work is due, so that the delay stays small if another process is lost.
  const timers = works.map((work) => {
    once(work);
    return setInterval(() => once(work), Math.min(work.everyMs / (work.aligned ? checksPerInterval : 2), 30_000));
  });

  return {
    async stop() {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      // One that ends may have begun others.
      while (active.size > 0) await Promise.all(active);
      // Other workers need not wait until the leases of shares are over.
      const divided = works.filter((work) => 'shares' in work).flatMap(namesOf);
      if (divided.length > 0) await db.query({ ...statements.release, values: [divided, runner] });
    },
  };
}
