/** Kysely for typed statements only: connections, scope and transactions are `connection.ts`'s. */
import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely';
import type { Tables } from './tables.ts';

/** A Kysely whose every statement goes to `execute`: scope and transactions are this room's, not Kysely's. */
export function queryBuilder(run: <R>(compiled: CompiledQuery) => Promise<QueryResult<R>>): Kysely<Tables> {
  const refuse = () => Promise.reject(new Error('Use Db.transaction.'));
  const connection: DatabaseConnection = {
    executeQuery: run,
    streamQuery: () => {
      throw new Error('Streaming is not offered.');
    },
  };
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: () => Promise.resolve(),
      acquireConnection: () => Promise.resolve(connection),
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: () => Promise.resolve(),
      destroy: () => Promise.resolve(),
    }),
  };
  return new Kysely<Tables>({ dialect });
}
