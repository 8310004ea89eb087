/** The connection pool: statements run on a connection that is set to the caller's tenant scope. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { isStorageFull, storageFull, toApiError, unreachable } from './errors.ts';
import { createListener, listenName } from './listener.ts';
import { sessionOptions } from './pooler.ts';
import { createWakeUps, isNotification, isWakeUp, jobsWakeUp, mergeNotifications } from './notify.ts';
import type { Storage } from './storage.ts';
import type { Db, Statement, TenantScope } from './db.ts';
import type { Standby } from './standby/readable.ts';

/** The connection pool of one process, with its listener. */
export interface Database {
  scoped(scope: TenantScope): Db;
  /**
   * Calls `onNotify` with the payloads of the channel. Initially and after each reconnect the payload is empty:
   * notifications may have been missed, so everything must be checked. Returns the function that ends this. `onNotify` must
   * not throw.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  /** Holds an advisory lock, by which other processes see that this one runs. Returns the function that ends this. */
  hold(lockClass: number, key: number): Promise<() => Promise<void>>;
  /** Whether the database answers within this time, on a separate connection. */
  answers(withinMs: number): Promise<boolean>;
  /** Number of connections of this process, and of callers that wait for one. */
  load(): { open: number; idle: number; waiting: number };
  /** The disk of the data folder; only in a server process. */
  storage: Storage | undefined;
  /** The standby that calls which only read may use; only in a server process. */
  standby?: Standby;
  close(): Promise<void>;
}

// bigint keys fit into a JSON number (2^53); timestamps stay ISO text, so no Date is created.
pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1700, Number);
pg.types.setTypeParser(1184, (text) => {
  // '2026-01-31 10:20:30.12+00': PostgreSQL omits trailing zeros, the API always sends milliseconds.
  const fraction = text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
});

/** An open transaction; `deferred` are the statements that are sent together with its commit. */
interface OpenTransaction {
  deferred: Statement[];
  /** Resolves with the error of its `begin`, if that failed. */
  begun?: Promise<{ error: unknown } | undefined>;
  /** `unsent`: nothing is sent before the first statement. */
  state: 'unsent' | 'begun' | 'over';
}

function requireOpen({ state }: OpenTransaction): void {
  if (state === 'over') throw new Error('A statement came after the last one of its transaction.');
}

interface ScopedClient extends pg.PoolClient {
  /** The values of `set role` and `app.tenants` on this connection; undefined while they are unknown. */
  scopeKey?: string;
  /** The scope of who borrowed it, when that is another one: it is set by the statement that begins the next transaction. */
  switchTo?: { key: string; text: string };
  /** The names of the statements that it has planned. */
  planned?: Set<string>;
  /** The connection of the driver; the driver's types declare it only for clients outside of pools. */
  readonly connection: pg.Connection;
}

/** To switch the scope of a connection costs as much as to plan this many statements. */
const switchCost = 4;

/** Sends the statements that `send` starts in one write to the socket. */
function inOneWrite<T>(client: ScopedClient, send: () => Promise<T>): Promise<T> {
  const { stream } = client.connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/**
 * Waits for all statements, then returns their results or throws the first failure: a connection may be released only
 * when nothing runs on it.
 */
async function settleAll<T>(sent: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(sent);
  return results.map((r) => {
    if (r.status === 'rejected') throw r.reason;
    return r.value;
  });
}

/**
 * Returns whether a connection must be closed. A refused statement leaves it usable; after any other error its state is
 * unknown.
 */
function mayBeBroken(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'Unavailable';
}

const roleOf = (scope: TenantScope) => (scope === 'all' ? 'app_global' : 'app_scoped');

function scopeKeyOf(scope: TenantScope): string {
  return scope === 'all' ? 'all' : scope.join(',');
}

interface DatabaseOptions {
  url: string;
  /** Maximum number of connections, which all callers of this process share. */
  max: number;
  /** The `application_name` of these connections in the database. */
  name?: string;
  /**
   * Version, role and host of a server process. One of its connections carries them as its name, so that other processes can
   * read them.
   */
  process?: string;
  onError: (error: Error) => void;
  /**
   * The timeout of a statement, after which its connection is closed. By default as long as PostgreSQL lets it run, which is 10
   * seconds unless the statement sets another limit.
   */
  answerMs?: number;
  /** How long a caller waits for a connection: 5 seconds unless given. */
  connectMs?: number;
  /** Is informed of writes that failed for lack of space, and tells whether that is why the database is unavailable. */
  storage?: Storage;
  /** Called when the database stops answering while its connections are open, and when it answers again. */
  onHang?: (isHanging: boolean) => void;
}

/**
 * Milliseconds for `answerMs`: longer than PostgreSQL's own limit for a statement (10 s), so that it ends only
 * statements that PostgreSQL cannot end.
 */
export const serverAnswerMs = 10_500;

/** Opens a pool. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: options.connectMs ?? 5_000,
    ...(options.answerMs === undefined ? {} : { query_timeout: options.answerMs }),
    keepAlive: true,
    // A transaction sends its statements together instead of one round trip each.
    pipeline: true,
    options: sessionOptions,
    application_name: options.name ?? 'cloudfit',
  } as pg.PoolConfig);
  // Without an error listener, the loss of the database would end the process.
  let closing = false;
  const onError = (error: Error): void => {
    // While this process closes, the database may close first.
    if (!closing) options.onError(new Error(error.message));
  };
  pool.on('error', onError);
  // A pool listens only to its idle connections. While a connection is used, its user gets the error from the statement.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const sender = randomUUID();
  const listener = createListener(options.url, {
    name: listenName(options.process),
    sender,
    onError,
    onHang(isHanging) {
      if (isHanging) hangs += 1;
      options.onHang?.(isHanging);
    },
  });
  /** Number of hangs so far. A connection from before the last hang may be dead without an error, so it is not used again. */
  let hangs = 0;
  const hangsOf = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => hangsOf.set(client, hangs));

  /** Returns the error that the caller of a failed statement gets; it says so when the disk is full. */
  function failure(error: unknown): unknown {
    const apiError = toApiError(error);
    if (!(apiError instanceof ApiError) || apiError.code !== 'Unavailable') return apiError;
    const isFull = isStorageFull(apiError.cause);
    if (isFull) options.storage?.onFull();
    return !isFull && options.storage?.isFull() ? Object.assign(storageFull(), { cause: apiError.cause }) : apiError;
  }

  /**
   * Lets the pool take the idle connection that answers soonest: of the same role, with the most statements planned, because to plan some
   * takes longer than to run a hundred. So the statements of a calm server are planned once rather than on each of its connections.
   */
  function preferWarm(scope: TenantScope): void {
    const { _idle: idle } = pool as unknown as { _idle: { client: ScopedClient }[] };
    const key = scopeKeyOf(scope);
    let [best, max] = [-1, -1];
    for (const [at, { client }] of idle.entries()) {
      const isOfRole = (client.scopeKey === 'all') === (scope === 'all');
      const warmth = isOfRole ? (client.planned?.size ?? 0) + (client.scopeKey === key ? switchCost : 0) : -1;
      if (warmth >= max) [best, max] = [at, warmth];
    }
    if (best >= 0) idle.push(...idle.splice(best, 1));
  }

  async function connection(scope?: TenantScope): Promise<ScopedClient> {
    for (;;) {
      if (listener.isHanging()) throw failure(unreachable());
      // The pool takes its last idle connection in the next tick, in the order of the calls.
      if (scope) process.nextTick(preferWarm, scope);
      const client = await pool.connect().catch((error: unknown) => {
        throw failure(Object.assign(unreachable(), { cause: error }));
      });
      if (hangsOf.get(client) === hangs) return client as ScopedClient;
      client.release(true);
    }
  }

  async function acquire(scope: TenantScope): Promise<ScopedClient> {
    const client = await connection(scope);
    const key = scopeKeyOf(scope);
    if (client.scopeKey !== key) {
      const tenants = scope === 'all' ? '' : scope.join(',');
      if (!/^[0-9a-f,-]*$/i.test(tenants)) {
        client.release();
        throw new Error('A tenant scope contains a value that is not a GUID.');
      }
      client.switchTo = { key, text: `set role ${roleOf(scope)}; set app.tenants = '${tenants}'` };
    } else delete client.switchTo;
    return client;
  }

  async function run<T>(client: ScopedClient, statement: Statement): Promise<T[]> {
    const { name } = statement;
    if (name) (client.planned ??= new Set()).add(name);
    try {
      const result = await client.query<T & pg.QueryResultRow>({
        text: statement.text,
        values: statement.values as unknown[],
        ...(name ? { name } : {}),
      });
      return result.rows;
    } catch (error) {
      throw failure(error);
    }
  }

  const wakeUp = createWakeUps({
    sender,
    notifyLocally: listener.notifyLocally,
    async send(statement) {
      const client = await connection();
      await run(client, statement).finally(() => client.release());
    },
  });

  /**
   * Sends `begin` before the first statement of a transaction, and with it the scope if the connection has another one. Sent along, nothing
   * waits for the switch; and in a transaction nothing runs in the scope of before when the switch fails, because PostgreSQL then refuses
   * every statement up to the end. When `begin` itself fails, there is no transaction: the caller gets that error, and the connection is closed.
   */
  function begin(client: ScopedClient, open: OpenTransaction): void {
    requireOpen(open);
    if (open.state === 'unsent') {
      const { switchTo } = client;
      if (switchTo) delete client.scopeKey;
      const begun = client.query(switchTo ? `begin; ${switchTo.text}` : 'begin');
      open.begun = begun.then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    }
    open.state = 'begun';
  }

  /** Sends the commit. After it, the connection has the scope that came with its `begin`. */
  async function end(client: ScopedClient): Promise<string> {
    const { command } = await client.query('commit');
    const { switchTo } = client;
    if (command === 'COMMIT' && switchTo) client.scopeKey = switchTo.key;
    return command;
  }

  /** Runs a statement that is alone: by itself, or in a transaction that sets the scope of the connection first. */
  async function runAlone<T>(client: ScopedClient, statement: Statement): Promise<T[]> {
    if (!client.switchTo) return run<T>(client, statement);
    const open: OpenTransaction = { deferred: [], state: 'unsent' };
    try {
      return await commit<T>(client, open, statement);
    } catch (error) {
      throw await causeOf(open, error);
    }
  }

  /** The error of a transaction: that of its `begin`, if it has failed, since every later one follows from it. */
  async function causeOf(open: OpenTransaction, error: unknown): Promise<unknown> {
    const failed = await open.begun;
    return failed ? failed.error : error;
  }

  function inTransaction(client: ScopedClient, open: OpenTransaction): Db {
    const query = <T>(statement: Statement): Promise<T[]> =>
      inOneWrite(client, () => {
        begin(client, open);
        return run<T>(client, statement);
      });
    const defer = (statement: Statement): Promise<void> => {
      requireOpen(open);
      open.deferred.push(statement);
      return Promise.resolve();
    };
    const joined: Db = { query, defer, last: query, transaction: (work) => work(joined) };
    return { ...joined, last: (statement) => commit(client, open, statement) };
  }

  /**
   * Sends the deferred statements, `last`, the notifications and the commit together; returns the rows of `last`. Nothing is between a
   * notification and the commit, because that wait would be one of all who notify.
   */
  async function commit<T>(client: ScopedClient, open: OpenTransaction, last?: Statement): Promise<T[]> {
    const deferred = open.deferred.filter((s) => !isNotification(s));
    if (last) deferred.push(last);
    const unsent = [...deferred, ...mergeNotifications(open.deferred.filter((s) => isNotification(s) && !isWakeUp(s)))];
    // PostgreSQL treats a single statement as a transaction.
    const isAlone = open.state === 'unsent' && (unsent.length === 0 || (unsent.length === 1 && !client.switchTo));
    const results = await inOneWrite(client, () => {
      if (isAlone) open.state = 'over';
      else begin(client, open);
      const sent: Promise<unknown>[] = unsent.map((s) => run<T>(client, s));
      if (!isAlone) sent.push(end(client));
      return settleAll(sent);
    });
    // PostgreSQL answers a commit with a rollback when a statement failed and its error was ignored.
    if (!isAlone && results.pop() !== 'COMMIT') throw new ApiError('InternalError', 'Something went wrong on the server.');
    open.state = 'over';
    const rows = results as T[][];
    for (const statement of open.deferred.filter(isWakeUp)) wakeUp(statement);
    if (deferred.some((s, i) => s.wakesJobs && rows[i]?.length)) wakeUp(jobsWakeUp);
    return last ? (rows[deferred.length - 1] ?? []) : [];
  }

  async function transaction<T>(scope: TenantScope, work: (db: Db) => Promise<T>): Promise<T> {
    const client = await acquire(scope);
    const open: OpenTransaction = { deferred: [], state: 'unsent' };
    let broken = false;
    try {
      const result = await work(inTransaction(client, open));
      if (open.state !== 'over') await commit(client, open);
      return result;
    } catch (thrown) {
      const error = await causeOf(open, thrown);
      if (error !== thrown) broken = true;
      else if (open.state === 'begun') await client.query('rollback').catch(() => (broken = true));
      else if (open.state === 'over') broken = mayBeBroken(error);
      throw failure(error);
    } finally {
      client.release(broken);
    }
  }

  function scoped(scope: TenantScope): Db {
    const borrow = async <T>(work: (client: ScopedClient) => Promise<T>): Promise<T> => {
      const client = await acquire(scope);
      let broken = false;
      try {
        return await work(client);
      } catch (error) {
        broken = mayBeBroken(error);
        throw failure(error);
      } finally {
        client.release(broken);
      }
    };
    return {
      query: (statement) => borrow((client) => runAlone(client, statement)),
      async defer(statement) {
        const rows = await borrow((client) => runAlone(client, statement));
        if (statement.wakesJobs && rows.length > 0) wakeUp(jobsWakeUp);
      },
      last: (statement) => borrow((client) => runAlone(client, statement)),
      transaction: (work) => transaction(scope, work),
    };
  }

  return {
    scoped,
    listen: listener.listen,
    hold: listener.hold,
    answers: listener.answers,
    storage: options.storage,
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      closing = true;
      await listener.close();
      await pool.end();
    },
  };
}
