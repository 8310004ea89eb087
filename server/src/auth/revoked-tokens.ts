/** Tokens and sessions that ended before their time: kept in memory, the same in every process within milliseconds. */
import type { Database, Db } from '../db/connection.ts';
import { revokedChannel } from './invalidate.ts';

export interface RevokedTokens {
  has(id: string): boolean;
  close(): Promise<void>;
}

/** Ends a token (`jti`) or all tokens of a session (`sid`) now; `expiresOn`: when they would have ended by themselves. */
export async function revokeToken(db: Db, id: string, expiresOn: Date): Promise<void> {
  // The pause covers the tolerance of the token check.
  const storedUntil = new Date(expiresOn.getTime() + 60_000).toISOString();
  await db.query({
    text: `with kept as (insert into revoked_token (revoked_id, expires_on) values ($1, $2)
        on conflict (revoked_id) do update set expires_on = greatest(revoked_token.expires_on, excluded.expires_on))
      select pg_notify('${revokedChannel}', $1)`,
    values: [id, storedUntil],
  });
}

/** `onRevoked`: something ended now. */
export async function watchRevokedTokens(
  database: Database,
  onError: (error: unknown) => void,
  onRevoked: () => void = () => undefined,
): Promise<RevokedTokens> {
  const db = database.scoped('all');
  /** With the time at which each was learnt of. */
  const ids = new Map<string, number>();
  const load = async (): Promise<void> => {
    const startedMs = Date.now();
    const rows = await db.query<{ revoked_id: string }>({ text: 'select revoked_id from revoked_token where expires_on > now()' });
    for (const row of rows) ids.set(row.revoked_id, Date.now());
    // What was notified while the rows were on their way may be missing among them, and stays.
    for (const [id, learntMs] of ids) if (learntMs < startedMs) ids.delete(id);
  };
  const stop = await database.listen(revokedChannel, (id) => {
    if (id === '') return void load().then(onRevoked, onError);
    ids.set(id, Date.now());
    onRevoked();
  });
  // Forgets what has expired, and is the second line should a notification ever be lost.
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
