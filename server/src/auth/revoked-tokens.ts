/** Tokens and sessions that were revoked: in memory, the same in every process within milliseconds. */
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';
import { revokedChannel } from './invalidate.ts';

export interface RevokedTokens {
  has(id: string): boolean;
  close(): Promise<void>;
}

/** Revokes a token (by `jti` or hash) or all tokens of a session (`sid`) or grant now; `expiresOn`: when they would have expired. */
export async function revokeToken(db: Db, id: string, expiresOn: Date): Promise<void> {
  // The extra time covers the clock tolerance of the token check.
  const storedUntil = new Date(expiresOn.getTime() + 60_000).toISOString();
  await db.transaction(async (tx) => {
    await tx.defer({
      text: `insert into revoked_token (revoked_id, expires_on) values ($1, $2)
        on conflict (revoked_id) do update set expires_on = greatest(revoked_token.expires_on, excluded.expires_on)`,
      values: [id, storedUntil],
    });
    await notify(tx, revokedChannel, [id]);
  });
}

/** Keeps the revoked tokens in memory up to date; calls `onRevoked` after each revocation. */
export async function watchRevokedTokens(
  database: Database,
  onError: (error: unknown) => void,
  onRevoked: () => void = () => undefined,
): Promise<RevokedTokens> {
  const db = database.scoped('all');
  /** The ids of revoked tokens, each with the time at which this process learned of it. */
  const ids = new Map<string, number>();
  const load = async (): Promise<void> => {
    const startedMs = Date.now();
    const rows = await db.query<{ revoked_id: string }>({ text: 'select revoked_id from revoked_token where expires_on > now()' });
    for (const row of rows) ids.set(row.revoked_id, Date.now());
    // Entries that were notified while the query ran may be missing from its rows, so they stay.
    for (const [id, learntMs] of ids) if (learntMs < startedMs) ids.delete(id);
  };
  const stop = await database.listen(revokedChannel, (id) => {
    if (id === '') return void load().then(onRevoked, onError);
    ids.set(id, Date.now());
    onRevoked();
  });
  // Deletes expired entries, and reloads in case a notification was lost.
  const timer = setInterval(() => {
    db.query({ text: 'delete from revoked_token where expires_on < now()' }).then(load).catch(onError);
  }, 300_000);
  timer.unref();
  await load();
  return {
    has: (id) => ids.has(id),
    close: async () => {
      clearInterval(timer);
      await stop();
    },
  };
}
