/** Tells every server process that cached data about callers has changed. Inside a transaction: at its commit. */
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';

export const peopleChannel = 'people';
export const tokensChannel = 'tokens';
export const revokedChannel = 'revoked';

/** Call this after any change of people, grants or permission sets. */
export async function invalidatePeople(db: Db): Promise<void> {
  await notify(db, peopleChannel);
  // A tenant token may use a permission set.
  await invalidateTokens(db);
}

/** Call this after any change of tenant tokens. */
export function invalidateTokens(db: Db): Promise<void> {
  return notify(db, tokensChannel);
}
