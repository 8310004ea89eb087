/** One process at a time prepares or restores a database. */
import type pg from 'pg';
import { StartError } from '../platform/start-error.ts';
import { advisoryLocks } from './advisory-locks.ts';

const lockKey = advisoryLocks.preparation;
const patienceSeconds = 30;
/** Seconds after which the wait for the lock is logged. */
const firstSeconds = 3;

const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03';

/** Returns the session that holds the lock: its process id, and a text with its application name, host and start. */
async function holderOf(client: pg.Client): Promise<{ pid: number; text: string } | undefined> {
  const {
    rows: [holder],
  } = await client.query<{ pid: number; name: string; host: string | null; since: string }>(
    `select a.pid, coalesce(nullif(a.application_name, ''), 'without a name') as name, host(a.client_addr) as host,
  to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as since
from pg_locks l join pg_stat_activity a using (pid)
where l.locktype = 'advisory' and l.classid = 0 and l.objid = ${lockKey} and l.granted and l.database = (select oid from pg_database where datname = current_database())`,
  );
  if (!holder) return undefined;
  const { pid, name, host, since } = holder;
  return { pid, text: `the session ${pid} (${name}${host ? ` from ${host}` : ''}, since ${since})` };
}

/** Waits for the lock, `waitSeconds` at most, and holds it while the client is connected. Throws when the time is over. */
export async function takeTurn(client: pg.Client, log: (line: string) => void, waitSeconds = patienceSeconds): Promise<void> {
  const first = Math.min(firstSeconds, waitSeconds);
  for (const seconds of [first, waitSeconds - first]) {
    try {
      await client.query(`set lock_timeout = '${seconds}s'`);
      await client.query(`select pg_advisory_lock(${lockKey})`);
      await client.query('reset lock_timeout');
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const holder = await holderOf(client);
      const who = holder?.text ?? 'another session';
      if (seconds === first) log(`The database is being prepared or restored by ${who}; waiting up to ${waitSeconds} s.`);
      else
        throw new StartError(
          `The database has been held for more than ${waitSeconds} s by ${who}, which prepares or restores it. Start again when it is done${holder ? `; if that session is nobody's, end it: select pg_terminate_backend(${holder.pid})` : ''}.`,
        );
    }
  }
}
