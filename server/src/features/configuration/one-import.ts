/** One import of a configuration at a time: two that began together would both add what neither found. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { advisoryLocks } from '../../db/advisory-locks.ts';
import type { Db } from '../../db/db.ts';

/**
 * Refuses while another import is under way, until the transaction of `db` ends. Imports into different tenants do not concern each other.
 */
export async function requireOnlyImport(db: Db, tenantId: string | undefined): Promise<void> {
  const [lock] = await (tenantId === undefined
    ? db.query<{ got: boolean }>({ text: `select pg_try_advisory_xact_lock(${advisoryLocks.imports}) as got` })
    : db.query<{ got: boolean | null }>({
        text: `select pg_try_advisory_xact_lock_shared(${advisoryLocks.imports}) and pg_try_advisory_xact_lock(${advisoryLocks.imports}, hashtext($1)) as got`,
        values: [tenantId],
      }));
  if (!lock?.got) throw new ApiError('Conflict', 'Another import of a configuration is under way here. Try again when it has ended.');
}

/**
 * Does the work, which has transactions of its own, as the only import. The work calls `stay` at least every few seconds, because an idle
 * transaction ends.
 */
export async function asOnlyImport<T>(ctx: Ctx, tenantId: string | undefined, work: (stay: () => Promise<void>) => Promise<T>): Promise<T> {
  return ctx.db.transaction(async (db) => {
    await requireOnlyImport(db, tenantId);
    return work(async () => void (await db.query({ text: 'select 1' })));
  });
}
