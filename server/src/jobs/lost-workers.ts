/** Frees the leases of workers whose process has ended, so that their jobs do not wait until the leases expire. */
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { advisoryLocks } from '../db/advisory-locks.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';

/** Class of the advisory locks of workers; the second number of each lock is the `lock_key` of its worker. */
export const workerLocks = advisoryLocks.worker;
const everyMs = 1_000;
/** The time without a session after which a worker counts as ended: longer than a living process takes to connect again. */
const graceMs = 2_000;

/** A worker as it is known to the others. */
export interface WorkerPresence {
  worker: string;
  lockKey: number;
  /** Host and data folder; a process knows the others of its folder, whether they run or not. */
  dataFolder: string;
}

// The session of a process that was killed ends at once, that of a machine that was lost within seconds (see `Listener.hold`). A process
// that only stalls keeps its session, and with it its leases until they expire. `leased_by` becomes null, so that a worker that lost its
// session and lives notices it before it sends; the worker itself knows that it lives while it connects again. A row that others have
// deleted in error is added again.
const freeText = `with presence as (
  insert into worker (worker_id, lock_key, data_folder, pid) values ($1, $2, $3, $4) on conflict (worker_id) do nothing
), held as materialized (
  select l.objid::bigint as lock_key from pg_locks l
  where l.locktype = 'advisory' and l.classid = ${workerLocks} and l.granted and l.database = (select oid from pg_database where datname = current_database())
), state as (
  select w.worker_id, w.worker_id = $1 or exists (select from held h where h.lock_key = w.lock_key) as lives from worker w
), noted as (
  update worker w set gone_since = case when s.lives then null else now() end
  from state s where s.worker_id = w.worker_id and s.lives = (w.gone_since is not null) and w.worker_id <> all($5::text[])
), gone as (
  delete from worker w using state s
  where s.worker_id = w.worker_id and not s.lives and (w.gone_since < now() - interval '${graceMs} milliseconds' or w.worker_id = any($5::text[]))
  returning w.worker_id
)
update job j set leased_by = null, leased_until = now() from gone g where j.leased_by = g.worker_id and j.dead_at is null returning j.job_id`;

/**
 * Records that this worker runs, and frees the leases of workers that have had no session for two seconds, and of those in
 * `ended` that have none now. Returns the number of freed jobs.
 */
export async function freeLostLeases(db: Db, presence: WorkerPresence, ended: readonly string[] = []): Promise<number> {
  const freed = await db.query({
    name: 'worker-free-lost',
    text: freeText,
    values: [presence.worker, presence.lockKey, presence.dataFolder, process.pid, ended],
  });
  if (freed.length > 0) for (const channel of ['jobs', 'calls'] as const) await notify(db, channel);
  return freed.length;
}

/** Whether another process of this machine has the id. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns the workers of this data folder whose process no longer runs. */
async function predecessors(db: Db, { worker, dataFolder }: WorkerPresence): Promise<string[]> {
  const rows = await db.query<{ worker_id: string; pid: number }>({
    text: 'select worker_id, pid from worker where data_folder = $1 and worker_id <> $2',
    values: [dataFolder, worker],
  });
  return rows.filter((row) => !isRunning(row.pid)).map((row) => row.worker_id);
}

/**
 * Shows other processes that this worker runs, and frees the leases of those that have ended: at once those of an earlier process
 * of the data folder, the others seconds after their session has ended.
 */
export async function announceWorker(
  database: Database,
  { worker, dataFolder, log }: { worker: string; dataFolder: string; log: Logger },
): Promise<{ stop(): Promise<void> }> {
  const db = database.scoped('all');
  const presence: WorkerPresence = { worker, dataFolder, lockKey: randomInt(1, 2 ** 31) };
  const release = await database.hold(workerLocks, presence.lockKey);

  async function free(ended?: readonly string[]): Promise<void> {
    const jobs = await freeLostLeases(db, presence, ended);
    if (jobs > 0) log.warn({ jobs }, 'A worker has ended in the middle of its jobs; they are leased again.');
  }

  await free(await predecessors(db, presence));
  let current: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // The next check is made in any case, so a failed one is only logged.
    current = free().catch((error: unknown) => log.warn({ err: error }, 'Whether other workers still run could not be read.'));
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
      await db.query({ text: 'delete from worker where worker_id = $1', values: [worker] });
      await release();
    },
  };
}
