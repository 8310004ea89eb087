/** What this process says of itself: its memory, by how much its event loop is late, and what is wrong on its machine. */
import type { Logger } from 'pino';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { troublesOf, type Trouble } from './troubles.ts';

const everyMs = 10_000;
const tickMs = 1_000;

/** Also removes what killed processes have left. */
const tell = `with ended as (delete from server_process where at < now() - interval '1 minute' and process <> $1)
insert into server_process (process, name, pid, started, memory_bytes, lag_ms, troubles) values ($1, $2, $3, $4, $5, $6, $7::jsonb)
on conflict (process) do update set memory_bytes = excluded.memory_bytes, lag_ms = excluded.lag_ms, troubles = excluded.troubles, at = now()`;

interface ProcessIdentityTexts {
  /** A part of the name of the connection on which the process listens. */
  id: string;
  /** Its name among the processes of one command, or its roles. */
  name: string;
}

/** Writes one row about this process. */
export async function noteVitals(
  db: Db,
  { id, name }: ProcessIdentityTexts,
  lagMs: number,
  troubles: readonly Trouble[] = [],
): Promise<void> {
  const started = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  const values = [id, name, process.pid, started, process.memoryUsage.rss(), Math.round(lagMs), JSON.stringify(troubles)];
  await db.query({ name: 'vitals', text: tell, values });
}

/** Writes the row every ten seconds until stopped, then removes it. */
export function startVitals(database: Database, identity: ProcessIdentityTexts, log: Logger): { stop(): Promise<void> } {
  const db = database.scoped('all');
  let troubles: readonly Trouble[] = [];
  let lagMs = 0;
  let expected = performance.now() + tickMs;
  // A timer that is late says for how long callers wait too, and costs less than a histogram of each turn.
  const ticks = setInterval(() => {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - expected);
    expected = now + tickMs;
  }, tickMs);
  const note = async (): Promise<void> => {
    const worst = Math.max(0, lagMs);
    lagMs = 0;
    const storage = database.storage?.state();
    troubles = storage ? troublesOf(storage, troubles, new Date()) : [];
    await noteVitals(db, identity, worst, troubles).catch((error: unknown) =>
      log.debug({ err: error }, 'The state of this process could not be told.'),
    );
  };
  let last = note();
  const timer = setInterval(() => void (last = note()), everyMs);
  return {
    async stop() {
      clearInterval(ticks);
      clearInterval(timer);
      await last;
      await db.query({ text: 'delete from server_process where process = $1', values: [identity.id] }).catch(() => undefined);
    },
  };
}
