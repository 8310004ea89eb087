/** A read-only view of the database, for HEAD and for impersonations: its statements run in read-only transactions. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db, Statement } from './db.ts';

const readOnlyTransaction = '25006';

function refuseWrites(error: unknown, refusal: string): never {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  if (cause?.code === readOnlyTransaction) throw new ApiError('MethodNotAllowed', refusal);
  throw error;
}

/** Returns the same caller's database access, in which every write is refused with 405 and this message. */
export function readOnly(db: Db, refusal = 'HEAD is not offered here: this call changes something.'): Db {
  const transaction = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    db
      .transaction(async (tx) => {
        await tx.query({ text: 'set transaction read only' });
        return work(tx);
      })
      .catch((error: unknown) => refuseWrites(error, refusal));
  const query = <T>(statement: Statement): Promise<T[]> => transaction((tx) => tx.query<T>(statement));
  return {
    query,
    last: query,
    defer: async (statement) => void (await query(statement)),
    transaction,
  };
}
