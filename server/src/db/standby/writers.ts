/** Who has written in the last seconds: noted in the database, because the next request of a caller may reach another process. */
import type { Logger } from 'pino';
import { keepNewest } from '../../platform/keep-newest.ts';
import type { Database } from '../connection.ts';
import type { Db } from '../db.ts';
import { askPrimary, positionOf } from './log-position.ts';

/** A caller who writes all the time is noted once in this time. */
const againMs = 5_000;
const maxCallers = 20_000;

export interface RecentWriters {
  /** Notes that a caller has written; to be called before the write is answered. */
  note(caller: string): Promise<void>;
  /** The position that a standby must have for this caller; undefined for callers who have not written lately. */
  position(db: Db, caller: string): Promise<bigint | undefined>;
}

/** `maxLagMs`: how far behind a standby may be that is read; callers are noted for longer. */
export function recentWriters(database: Pick<Database, 'scoped'>, maxLagMs: number, log: Logger): RecentWriters {
  const db = database.scoped('all');
  const seconds = Math.ceil((maxLagMs + 2 * againMs) / 1_000);
  const notedAt = new Map<string, number>();
  return {
    async note(caller) {
      const now = performance.now();
      if (now - (notedAt.get(caller) ?? -Infinity) < againMs) return;
      try {
        await db.query({ name: 'note-writer', text: 'select note_writer($1, $2)', values: [caller, seconds] });
        keepNewest(notedAt, maxCallers, caller, now);
      } catch (error) {
        log.warn({ err: error }, 'A writer could not be noted, so another process may read from the standby too early.');
      }
    },
    async position(db, caller) {
      const [row] = await askPrimary<{ position: string | null }>(db, {
        name: 'position-for',
        text: 'select position_for($1)::text as position',
        values: [caller],
      });
      return row?.position == null ? undefined : positionOf(row.position);
    },
  };
}
