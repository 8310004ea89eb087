/** A database as of an exported snapshot: what one session sees, for others that ask the same moment. */
import type { Database } from './connection.ts';
import type { Db, Statement } from './db.ts';

/** The statements of a snapshot read as much as the copy of whole tables beside them, so they may last longer than requests. */
const statementTimeout = '10min';

function dbAt(db: Db, snapshot: string): Db {
  const transaction = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      await tx.query({ text: 'set transaction isolation level repeatable read, read only' });
      await tx.query({ text: `set transaction snapshot '${snapshot}'` });
      await tx.query({ text: `set local statement_timeout = '${statementTimeout}'` });
      return work(tx);
    });
  const query = <T>(statement: Statement): Promise<T[]> => transaction((tx) => tx.query<T>(statement));
  return { query, last: query, defer: async (statement) => void (await query(statement)), transaction };
}

/**
 * Returns the database as the snapshot that `pg_export_snapshot()` returned shows it, read-only. The transaction that
 * exported the snapshot must stay open meanwhile.
 */
export function databaseAt(database: Database, snapshot: string): Database {
  if (!/^[0-9A-F-]+$/i.test(snapshot)) throw new Error('This is no name of a snapshot.');
  return { ...database, scoped: (scope) => dbAt(database.scoped(scope), snapshot) };
}
