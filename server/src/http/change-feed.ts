/** Reads the change table in commit order, once per process. */
import type { Logger } from 'pino';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import type { Database } from '../db/connection.ts';

export interface ChangeRow {
  /** `xid-change_id-seconds`: the position from which a reader resumes, and its time. Empty for events that need no resuming. */
  position: string;
  tenantId: string | null;
  verb: string;
  entity: string;
  id: string;
  /** For presence: the id of the page that came or left. */
  page?: string | undefined;
}

type CommittedChange = Omit<ChangeRow, 'page'>;

type ChangeListener = (rows: readonly ChangeRow[]) => void;

export interface ChangeFeed {
  /**
   * Calls `listener` with the rows of transactions that end from now on, and possibly a few earlier rows. Returns the
   * function that ends this.
   */
  subscribe(listener: ChangeListener): () => void;
  /** The position of the latest row that listeners got. */
  position(): string;
  /**
   * Returns the rows after a position; null when there are more than `limit`, when the position is not valid, or when it is so
   * old that later rows may be deleted.
   */
  since(position: string, limit: number): Promise<readonly ChangeRow[] | null>;
  /**
   * Returns the rows that were committed in the last `seconds`, and a few earlier ones; null when there are more than
   * `limit`, or when the feed does not reach back that far.
   */
  recent(seconds: number, limit: number): Promise<readonly ChangeRow[] | null>;
  close(): Promise<void>;
}

const pollMs = 250;
/** Milliseconds between reads while nobody listens. */
const idleMs = 5_000;
const markMs = 1_000;
/** Maximum age of a position from which a reader resumes. Changes are stored for an hour (jobs/retention-rules.ts). */
const resumeSeconds = 1_800;
/** Maximum number of marks: one each second. */
const maxMarks = resumeSeconds;

/** The position of the feed at a moment of this process: everything that is committed later has a later position. */
interface Mark {
  at: number;
  position: string;
}

/** The number of rows of one read; after a full one the next read follows at once. */
const rowsAtOnce = 1_000;

/** After this many reads without a row, one read leaves out open transactions of other databases, which reads all locks. */
const readsBeforeLook = 4;

/**
 * The oldest open transaction of this database. The oldest of a snapshot is that of all databases of the PostgreSQL: a long one elsewhere would
 * hold up all changes here. One that has ended since the snapshot still counts, because its rows are not visible yet.
 */
const oldestHere = `coalesce((select min(x) from pg_snapshot_xip(pg_current_snapshot()) x where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.granted and l.mode = 'ExclusiveLock' and l.transactionid::text::bigint = x::text::bigint % 4294967296
      and a.datid <> (select oid from pg_database where datname = current_database()))),
  pg_snapshot_xmax(pg_current_snapshot()))`;

// Reads only changes of transactions that are older than every open one, so that a row that commits late is not skipped.
const after = (
  oldest: string,
): string => `select xid::text || '-' || change_id || '-' || floor(extract(epoch from at)) as position, tenant_id as "tenantId", verb, entity, entity_id as id from change
  where (xid, change_id) > ($1::xid8, $2::text::bigint) and xid < ${oldest} order by xid, change_id limit $3`;
const afterText = after('pg_snapshot_xmin(pg_current_snapshot())');
const afterHereText = after(oldestHere);

interface FeedPosition {
  at: [xid: string, changeId: string];
  seconds: number;
}

function parsePosition(text: string): FeedPosition | null {
  const [, xid, changeId, seconds] = /^(\d{1,20})-(\d{1,19})-(\d{1,12})$/.exec(text) ?? [];
  return xid && changeId ? { at: [xid, changeId], seconds: Number(seconds) } : null;
}

export async function createChangeFeed(database: Database, log: Logger): Promise<ChangeFeed> {
  const db = database.scoped('all');
  const listeners = new Set<ChangeListener>();
  // Who hears of a change reads it next, perhaps from the standby.
  const readable = (): Promise<void> => database.standby?.caughtUp() ?? Promise.resolve();
  const marks: Mark[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function newest(): Promise<[string, string]> {
    const [row] = await db.query<{ xid: string }>({ text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as xid' });
    return [row?.xid ?? '0', '0'];
  }

  let position = await newest();

  const secondsNow = (): number => Math.floor(Date.now() / 1_000);
  /** The time of the latest read that succeeded: while the database stalls, the position gets no newer. */
  let readAt = secondsNow();
  const current = (): string => [...position, readAt].join('-');

  function mark(at: number): void {
    const last = marks.at(-1);
    if (last && at - last.at < markMs) return;
    marks.push({ at, position: current() });
    if (marks.length > maxMarks) marks.shift();
  }

  /** Number of reads since the last row. */
  let emptyReads = 0;

  /** Reads what is new, and returns whether there is more. */
  async function look(): Promise<boolean> {
    const startedAt = secondsNow();
    if (listeners.size === 0) {
      const at = await newest();
      readAt = startedAt;
      // If a reader began to listen during the query, the position stays, so that the reader gets what was committed since.
      if (listeners.size === 0) position = at;
      return false;
    }
    const values = [...position, rowsAtOnce];
    const rows =
      emptyReads < readsBeforeLook
        ? await db.query<CommittedChange>({ name: 'change-feed', text: afterText, values })
        : await db.query<CommittedChange>({ name: 'change-feed-here', text: afterHereText, values });
    emptyReads = rows.length > 0 || emptyReads === readsBeforeLook ? 0 : emptyReads + 1;
    readAt = startedAt;
    const last = rows.at(-1);
    if (!last) return false;
    await readable();
    position = parsePosition(last.position)?.at ?? position;
    for (const listener of listeners) listener(rows);
    return rows.length === rowsAtOnce;
  }

  function next(isMore = false): void {
    if (isClosed) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        const at = performance.now();
        look()
          .then((more) => {
            mark(at);
            next(more);
          })
          .catch((error: unknown) => {
            log.warn({ err: error }, 'Changes could not be read.');
            next();
          });
      },
      isMore ? 0 : listeners.size > 0 ? pollMs : idleMs,
    );
  }

  async function since(from: string, limit: number): Promise<readonly ChangeRow[] | null> {
    const parsed = parsePosition(from);
    if (!parsed || secondsNow() - parsed.seconds > resumeSeconds) return null;
    const rows = await db.query<CommittedChange>({ text: afterHereText, values: [...parsed.at, limit + 1] });
    await readable();
    return rows.length > limit ? null : rows;
  }

  // Packets are too many for rows in `change`: only the fact that a tenant has new ones is reported.
  const unlisten = await database.listen('packets', (payload) => {
    if (payload === '') return;
    const rows = payload.split(',').map((tenantId) => ({ position: '', tenantId, verb: 'update', entity: 'packets', id: '' }));
    void readable().then(() => {
      for (const listener of listeners) listener(rows);
    });
  });

  // Presence is not resumed: it is outdated before a reader could catch up.
  const unlistenPresence = await database.listen('presence', (payload) => {
    const [tenantId, id, page] = payload.split(',');
    if (!tenantId || !id) return;
    for (const listener of listeners) listener([{ position: '', tenantId, verb: 'update', entity: presenceEntity, id, page }]);
  });

  mark(performance.now());
  next();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      // The first listener does not wait for the rest of a pause that began without listeners. A read that is running continues
      // by itself.
      if (listeners.size === 1 && timer) {
        clearTimeout(timer);
        next();
      }
      return () => void listeners.delete(listener);
    },
    position: current,
    since,
    recent: async (seconds, limit) => {
      const begin = performance.now() - seconds * 1_000;
      const from = marks.findLast(({ at }) => at <= begin);
      return from ? since(from.position, limit) : null;
    },
    close: async () => {
      isClosed = true;
      listeners.clear();
      clearTimeout(timer);
      await unlisten();
      await unlistenPresence();
    },
  };
}
