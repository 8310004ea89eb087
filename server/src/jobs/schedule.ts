/**
 * Periodic work: each tick runs once, in the process that moves its due time forward first. While a run takes longer, a lease keeps
 * other processes from beginning the next one.
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

export interface Schedule {
  stop(): Promise<void>;
}

const claim = (next: string) =>
  `update schedule set next_run = ${next}, last_run = now() where name = $1 and next_run <= now()
  and (running_until is null or running_until < now()) returning name`;
const statements = {
  claim: { name: 'schedule-claim', text: claim(`now() + $2 * interval '1 millisecond'`) },
  claimAligned: {
    name: 'schedule-claim-aligned',
    text: claim(`to_timestamp((floor(extract(epoch from now())::float8 * 1000 / $2::float8) + 1) * $2::float8 / 1000)`),
  },
  hold: { name: 'schedule-hold', text: `update schedule set runner = $2, running_until = now() + interval '8 seconds' where name = $1` },
  release: { name: 'schedule-release', text: 'update schedule set running_until = null where name = $1 and runner = $2' },
};

/**
 * After how many milliseconds a run takes its lease, and how often it renews it: shorter than the interval of what must not run
 * twice, long enough that usual runs need no lease. When the process is lost, the lease lasts 8 s at most.
 */
const holdMs = 2_000;

/** Number of checks per interval of aligned work, because its delay matters; other work is checked twice per interval. */
const checksPerInterval = 10;

/** Runs periodic work until stopped. A failure is logged and recorded, and the work runs again at its next time. */
export async function startSchedule(options: { database: Database; log: Logger; works: readonly Periodic[] }): Promise<Schedule> {
  const { log, works } = options;
  const db = options.database.scoped('all');
  await db.query({
    text: 'insert into schedule (name) select unnest($1::text[]) on conflict do nothing',
    values: [works.map((work) => work.name)],
  });
  const active = new Set<Promise<void>>();
  const busy = new Set<string>();

  /** Takes a lease once the work takes long, and renews it until released. */
  function holdWhileRunning({ name, everyMs }: Periodic): { release(): Promise<void> } {
    const runner = randomUUID();
    let holding: Promise<unknown> | undefined;
    const timer = setInterval(
      () => {
        holding = db
          .query({ ...statements.hold, values: [name, runner] })
          .catch((error: unknown) => log.warn({ err: error, work: name }, 'Periodic work could not say that it still runs.'));
      },
      Math.min(holdMs, everyMs / 2),
    );
    return {
      async release() {
        clearInterval(timer);
        if (!holding) return;
        await holding;
        await db.query({ ...statements.release, values: [name, runner] });
      },
    };
  }

  async function tick(work: Periodic): Promise<void> {
    const claimed = await db.query({ ...statements[work.aligned ? 'claimAligned' : 'claim'], values: [work.name, work.everyMs] });
    if (claimed.length === 0) return;
    const lease = holdWhileRunning(work);
    try {
      await work.run(db);
    } catch (error) {
      log.error({ err: error, work: work.name }, 'Periodic work failed.');
      await db.query({
        text: 'update schedule set last_error = $2 where name = $1',
        values: [work.name, messageOf(error)],
      });
    } finally {
      await lease.release();
    }
  }

  function once(work: Periodic): void {
    if (busy.has(work.name)) return;
    busy.add(work.name);
    const done = tick(work)
      .catch((error: unknown) => log.warn({ err: error, work: work.name }, 'Periodic work could not be looked up.'))
      .finally(() => {
        busy.delete(work.name);
        active.delete(done);
      });
    active.add(done);
  }

  // A process checks more often than the work is due, so that the delay stays small if another process is lost.
  const timers = works.map((work) => {
    once(work);
    return setInterval(() => once(work), Math.min(work.everyMs / (work.aligned ? checksPerInterval : 2), 30_000));
  });

  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(active);
    },
  };
}
