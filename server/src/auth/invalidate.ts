/**
 * Tells every server process that cached data about callers has changed. In a transaction, the message is sent at the
 * commit.
 */
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';

export const peopleChannel = 'people';
export const tokensChannel = 'tokens';
export const revokedChannel = 'revoked';

/** Call this after any change of people, grants or permission sets. */
export async function invalidatePeople(db: Db): Promise<void> {
  await notify(db, peopleChannel);
  // Tenant tokens may use permission sets, so cached tokens may be outdated too.
  await invalidateTokens(db);
}

/** Call this after any change of tenant tokens, and when a device was cut off or admitted. */
export function invalidateTokens(db: Db): Promise<void> {
  return notify(db, tokensChannel);
}
