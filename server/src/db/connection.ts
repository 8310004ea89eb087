/** The only way to the database: statements run in the caller's tenant scope, on a connection that holds it. */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { toApiError } from './errors.ts';
import { createListener } from './listener.ts';

/** Tenants whose rows a caller may see; `all` also writes global rows and crosses tenants. */
export type TenantScope = 'all' | readonly string[];

/** A compiled statement. `name` makes it a prepared one: give it only to texts that repeat. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

/** The database as one caller sees it. Inside `transaction` the given `Db` is bound to it; nested calls join it. */
export interface Db {
  query<T = object>(statement: Statement): Promise<T[]>;
  /**
   * A write whose answer nobody reads: in a transaction it travels with the commit, and its
   * failure fails the commit. Nothing later in the transaction may depend on it.
   */
  defer(statement: Statement): Promise<void>;
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/** The pool of one process. */
export interface Database {
  scoped(scope: TenantScope): Db;
  /** `onNotify` gets the payloads, and an empty one at first and after each loss of the connection: look at all. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  /** Connections of this process now, and callers that wait for one. */
  load(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

// bigint keys fit a JSON number (2^53); timestamps travel as ISO text, so no Date is ever built.
pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1700, Number);
pg.types.setTypeParser(1184, (text) => {
  // '2026-01-31 10:20:30.12+00' with what trailing zeros PostgreSQL left out; always milliseconds on the wire.
  const fraction = text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
});

/** What a transaction has yet to do when it ends. */
interface Open {
  deferred: Statement[];
}

interface Held extends pg.PoolClient {
  /** What `set role` and `app.tenants` were last set to on this connection. */
  held?: string;
}

/** The socket under a client, which its types keep to themselves. */
function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

/** Statements that `send` starts leave in one write. */
function together<T>(client: Held, send: () => Promise<T>): Promise<T> {
  const stream = streamOf(client);
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** All results once all have come, or the first failure: a connection is given back only when it is quiet. */
async function all<T>(sent: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(sent);
  return results.map((r) => {
    if (r.status === 'rejected') throw r.reason;
    return r.value;
  });
}

const roleOf = (scope: TenantScope) => (scope === 'all' ? 'app_global' : 'app_scoped');

function scopeKey(scope: TenantScope): string {
  return scope === 'all' ? 'all' : scope.join(',');
}

/** Opens a pool. `max` connections are shared by all callers of this process; `name` is how the database lists them. */
export function openDatabase(options: { url: string; max: number; name?: string; onError: (error: Error) => void }): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A transaction is sent as one flight of statements instead of one round trip each.
    pipeline: true,
    options: `-c timezone=UTC -c statement_timeout=10000 -c idle_in_transaction_session_timeout=30000 -c lock_timeout=5000`,
    application_name: options.name ?? 'cloudfit',
  } as pg.PoolConfig);
  // Without a listener the loss of the database would end the process.
  let closing = false;
  const onError = (error: Error): void => {
    // The last connections may be cut by the database's own end.
    if (!closing) options.onError(new Error(error.message));
  };
  pool.on('error', onError);
  // The pool listens to its idle connections only. A borrower learns of the loss by its failing statement.
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function acquire(scope: TenantScope): Promise<Held> {
    const client = (await pool.connect().catch((error: unknown) => {
      throw new ApiError('Unavailable', 'The database cannot be reached just now. Please try again.', { target: String(error) });
    })) as Held;
    const key = scopeKey(scope);
    if (client.held !== key) {
      delete client.held;
      const tenants = scope === 'all' ? '' : scope.join(',');
      if (!/^[0-9a-f,-]*$/i.test(tenants)) throw new Error('A tenant scope holds something that is no GUID.');
      try {
        await client.query(`set role ${roleOf(scope)}; set app.tenants = '${tenants}'`);
      } catch (error) {
        client.release(true);
        throw toApiError(error);
      }
      client.held = key;
    }
    return client;
  }

  async function run<T>(client: pg.PoolClient, statement: Statement): Promise<T[]> {
    try {
      const result = await client.query<T & pg.QueryResultRow>({
        text: statement.text,
        values: statement.values as unknown[],
        ...(statement.name ? { name: statement.name } : {}),
      });
      return result.rows;
    } catch (error) {
      throw toApiError(error);
    }
  }

  function bound(client: Held, open: Open): Db {
    const db: Db = {
      query: (statement) => run(client, statement),
      defer: (statement) => {
        open.deferred.push(statement);
        return Promise.resolve();
      },
      transaction: (work) => work(db),
    };
    return db;
  }

  async function commit(client: Held, open: Open): Promise<void> {
    const ends = (): Promise<string> => client.query('commit').then((result) => result.command);
    const [command] = await together(client, () => {
      const written = open.deferred.map((s) => run(client, s).then(() => ''));
      return all([...written, ends()]).then((results) => results.slice(-1));
    });
    // A failed statement whose error somebody swallowed turns a commit into a rollback.
    if (command !== 'COMMIT') throw new ApiError('InternalError', 'Something went wrong on the server.');
  }

  async function transaction<T>(scope: TenantScope, work: (db: Db) => Promise<T>): Promise<T> {
    const client = await acquire(scope);
    const open: Open = { deferred: [] };
    let broken = false;
    try {
      // Not awaited: it travels with the first statement, and an error here fails that one too.
      const stream = streamOf(client);
      stream.cork();
      setImmediate(() => stream.uncork());
      const begun = client.query('begin');
      begun.catch(() => undefined);
      const result = await work(bound(client, open));
      await commit(client, open);
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => (broken = true));
      throw toApiError(error);
    } finally {
      client.release(broken);
    }
  }

  function scoped(scope: TenantScope): Db {
    const borrow = async <T>(work: (client: Held) => Promise<T>): Promise<T> => {
      const client = await acquire(scope);
      let broken = false;
      try {
        return await work(client);
      } catch (error) {
        // A connection in an unknown state is closed; a refused statement leaves it as it was.
        broken = !(error instanceof ApiError) || error.code === 'Unavailable';
        throw error;
      } finally {
        client.release(broken);
      }
    };
    return {
      query: (statement) => borrow((client) => run(client, statement)),
      defer: (statement) => borrow(async (client) => void (await run(client, statement))),
      transaction: (work) => transaction(scope, work),
    };
  }

  const listener = createListener(options.url, onError);
  return {
    scoped,
    listen: listener.listen,
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      closing = true;
      await listener.close();
      await pool.end();
    },
  };
}
