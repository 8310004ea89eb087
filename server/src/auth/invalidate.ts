/** Tells every server process that something it caches about callers has changed. Inside a transaction: at its commit. */
import type { Db } from '../db/connection.ts';

export const peopleChannel = 'people';
export const tokensChannel = 'tokens';
export const revokedChannel = 'revoked';

/** After any change of people, grants or permission sets. */
export async function invalidatePeople(db: Db): Promise<void> {
  await db.query({ text: `select pg_notify('${peopleChannel}', 'changed')` });
  // A tenant token may act with a permission set.
  await invalidateTokens(db);
}

/** After any change of tenant tokens. */
export async function invalidateTokens(db: Db): Promise<void> {
  await db.query({ text: `select pg_notify('${tokensChannel}', 'changed')` });
}
