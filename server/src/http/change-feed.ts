/** Reads the change table in commit order while anybody listens, once per process. */
import type { Logger } from 'pino';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import type { Database } from '../db/connection.ts';

export interface ChangeRow {
  /** `xid-change_id`: the position from which a reader resumes. Empty for events that need no resuming. */
  position: string;
  tenantId: string | null;
  verb: string;
  entity: string;
  id: string;
  /** For presence: the page that caused it. */
  page?: string | undefined;
}

type CommittedChange = Omit<ChangeRow, 'page'>;

type ChangeListener = (rows: readonly ChangeRow[]) => void;

export interface ChangeFeed {
  /** Rows of transactions that end after it resolves; a few earlier ones may come too. */
  subscribe(listener: ChangeListener): Promise<() => void>;
  /** Rows after a position, at most `limit`; null when some of them were deleted already. */
  since(position: string, limit: number): Promise<readonly ChangeRow[] | null>;
  /** Rows that were committed in the last `seconds`, and a few earlier ones; null when they are more than `limit`, or not kept so long. */
  recent(seconds: number, limit: number): Promise<readonly ChangeRow[] | null>;
  close(): Promise<void>;
}

const pollMs = 250;

// Only transactions older than every open one, so that a row that commits late is not skipped.
const after = `select xid::text || '-' || change_id as position, tenant_id as "tenantId", verb, entity, entity_id as id from change
  where (xid, change_id) > ($1::xid8, $2::text::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid, change_id limit $3`;

// From the newest backwards, because there is no index by time.
const newestFirst = `select xid::text || '-' || change_id as position, tenant_id as "tenantId", verb, entity, entity_id as id,
    at > now() - make_interval(secs => $1::int) as "isRecent" from change
  where xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid desc, change_id desc limit $2`;

/** A change has the time at which its transaction began, and may be committed so much later: db/connection.ts ends idle ones by then. */
const longestTransactionSeconds = 30;
/** Half of the hour for which changes are stored (jobs/retention.ts). */
const longestRecentSeconds = 1_800;

function split(position: string): [string, string] | null {
  const parts = /^(\d{1,20})-(\d{1,19})$/.exec(position);
  return parts ? [parts[1] ?? '0', parts[2] ?? '0'] : null;
}

export async function createChangeFeed(database: Database, log: Logger): Promise<ChangeFeed> {
  const db = database.scoped('all');
  const listeners = new Set<ChangeListener>();
  let position: [string, string] | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function newest(): Promise<[string, string]> {
    const [row] = await db.query<{ xid: string }>({ text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as xid' });
    return [row?.xid ?? '0', '0'];
  }

  async function look(): Promise<void> {
    if (!position) return;
    const rows = await db.query<CommittedChange>({ name: 'change-feed', text: after, values: [...position, 1_000] });
    const last = rows.at(-1);
    if (!last) return;
    position = split(last.position) ?? position;
    for (const listener of listeners) listener(rows);
  }

  function next(): void {
    timer = undefined;
    if (listeners.size === 0) {
      position = undefined;
      return;
    }
    timer = setTimeout(() => {
      look()
        .catch((error: unknown) => log.warn({ err: error }, 'Changes could not be read.'))
        .finally(next);
    }, pollMs);
  }

  // Packets are too many for rows in `change`: only the fact that a tenant has new ones is reported.
  const unlisten = await database.listen('packets', (payload) => {
    if (payload === '') return;
    const rows = payload.split(',').map((tenantId) => ({ position: '', tenantId, verb: 'update', entity: 'packets', id: '' }));
    for (const listener of listeners) listener(rows);
  });

  // Presence is not resumed: it is outdated before a reader could catch up.
  const unlistenPresence = await database.listen('presence', (payload) => {
    const [tenantId, id, page] = payload.split(',');
    if (!tenantId || !id) return;
    for (const listener of listeners) listener([{ position: '', tenantId, verb: 'update', entity: presenceEntity, id, page }]);
  });

  return {
    subscribe: async (listener) => {
      const at = await newest();
      position ??= at;
      listeners.add(listener);
      if (!timer) next();
      return () => void listeners.delete(listener);
    },
    since: async (from, limit) => {
      const at = split(from);
      if (!at) return null;
      const rows = await db.query<CommittedChange>({ text: after, values: [...at, limit + 1] });
      return rows.length > limit ? null : rows;
    },
    recent: async (seconds, limit) => {
      if (seconds > longestRecentSeconds) return null;
      const values = [seconds + longestTransactionSeconds, limit + 1];
      const rows = await db.query<CommittedChange & { isRecent: boolean }>({ text: newestFirst, values });
      const recent = rows.filter((row) => row.isRecent);
      return recent.length > limit ? null : recent.toReversed();
    },
    close: async () => {
      listeners.clear();
      clearTimeout(timer);
      await unlisten();
      await unlistenPresence();
    },
  };
}
