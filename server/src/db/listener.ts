/**
 * One connection per process that listens to all channels and checks each second whether the database answers. Connects
 * at the first `listen` and reconnects when the connection is lost.
 */
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { within } from '../platform/within.ts';

/** Maximum length of an application name; PostgreSQL cuts longer names. */
const maxNameLength = 63;
const listenPrefix = 'cloudfit listen';

/** Selects the texts that running server processes passed to `openDatabase` as `process`. */
export const processesStatement = `select substr(application_name, ${listenPrefix.length + 2}) as process
from pg_stat_activity where datname = current_database() and application_name like '${listenPrefix} %' order by application_name`;

/** The condition that a process is connected whose text, as passed to `openDatabase`, contains the word of this column. */
export const isConnected = (word: string): string => `exists (select from pg_stat_activity a
  where a.datname = current_database() and a.application_name like '${listenPrefix} %' and position(' ' || ${word} || ' ' in a.application_name) > 0)`;

export const listenName = (process = ''): string => `${listenPrefix} ${process}`.trimEnd().slice(0, maxNameLength);

type OnNotify = (payload: string) => void;

export interface Listener {
  /**
   * Calls `onNotify` with the payloads, and with an empty one initially and after each reconnect, when everything must
   * be checked.
   */
  listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>>;
  /**
   * Holds the advisory lock (`lockClass`, `key`), shared, for as long as a connection of this process lives, and takes it again after
   * each reconnect. Returns the function that ends this.
   */
  hold(lockClass: number, key: number): Promise<() => Promise<void>>;
  /** Passes a notification of this process on to its own listeners, without the database. Returns whether there are any. */
  notifyLocally(channel: string): boolean;
  /** Whether the database answers within this time, even if all other connections of this process are busy. */
  answers(withinMs: number): Promise<boolean>;
  /** Whether the last check timed out; other statements would time out too. */
  isHanging(): boolean;
  close(): Promise<void>;
}

/** Timeout of a check in milliseconds; longer than a busy database takes. */
const patienceMs = 3_000;
const intervalMs = 1_000;

/**
 * PostgreSQL asks the system of this machine whether it is still there, so the session, and with it the lock, ends within seconds
 * of the loss of the machine. The system answers for a process that only stalls. These settings have no effect on local sockets.
 */
const watchMachine =
  "set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3; set tcp_user_timeout = '4s'";

/**
 * Creates the listener. `name` is the `application_name` of its connection. Notifications with the payload `sender` are those of
 * this process, which `notifyLocally` has passed on already. `onHang` is called when the database stops answering, and when it answers
 * again.
 */
export function createListener(
  url: string,
  options: { name: string; sender: string; onError: (error: Error) => void; onHang: (isHanging: boolean) => void },
): Listener {
  const { name, sender, onError, onHang } = options;
  const channels = new Map<string, Set<OnNotify>>();
  /** The locks to hold, as arguments of PostgreSQL's functions. */
  const locks = new Set<string>();
  let client: Promise<pg.Client> | undefined;
  let closed = false;
  let hanging = false;

  function setHanging(value: boolean): void {
    if (hanging === value) return;
    hanging = value;
    onHang(value);
  }

  function notifyLocally(channel: string, payload = ''): boolean {
    const listeners = channels.get(channel);
    listeners?.forEach((onNotify) => onNotify(payload));
    return (listeners?.size ?? 0) > 0;
  }

  /** Resolves when the last statement of the connection has ended. */
  let last: Promise<unknown> = Promise.resolve();

  /** Sends a statement when the previous one has ended: a client runs one statement at a time. */
  function inTurn(on: pg.Client, text: string): Promise<unknown> {
    const done = last.then(() => on.query(text));
    last = done.catch(() => undefined);
    return done;
  }

  async function connect(): Promise<pg.Client> {
    last = Promise.resolve();
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      application_name: name,
    });
    next.on('notification', ({ channel, payload = '' }) => {
      if (payload !== sender) notifyLocally(channel, payload);
    });
    next.on('error', onError);
    let questions: NodeJS.Timeout | undefined;
    next.on('end', () => {
      clearTimeout(questions);
      client = undefined;
      if (!closed) setTimeout(reconnect, 500);
    });
    await next.connect();
    for (const channel of channels.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    for (const lock of locks) await next.query(takeLock(lock));
    setHanging(false);
    const ask = async (): Promise<void> => {
      await inTurn(next, 'select 1');
      questions = setTimeout(() => void ask().catch(onUnanswered), intervalMs);
    };
    const onUnanswered = (error: unknown): void => {
      if (closed || !isTimeout(error)) return;
      setHanging(true);
      // The old connection may never answer again, so a new one is opened.
      next.connection.stream.destroy();
    };
    void ask().catch(onUnanswered);
    return next;
  }

  function reconnect(): void {
    if (closed || client) return;
    client = connect();
    client.then(
      // Notifications may have been missed meanwhile, so every listener checks once.
      () => [...channels.keys()].forEach((channel) => notifyLocally(channel)),
      (error: Error) => {
        client = undefined;
        // Only a timeout counts as hanging: after another error, other statements fail at once, without waiting.
        if (!isTimeout(error)) setHanging(false);
        onError(error);
        setTimeout(reconnect, 500);
      },
    );
  }

  return {
    notifyLocally,
    listen: async (channel, onNotify) => {
      const tellers = channels.get(channel);
      if (tellers) tellers.add(onNotify);
      else channels.set(channel, new Set([onNotify]));
      const existing = client;
      const connected = await (client ??= connect());
      if (existing && !tellers) await inTurn(connected, `listen ${pg.escapeIdentifier(channel)}`);
      onNotify('');
      return () => {
        channels.get(channel)?.delete(onNotify);
        return Promise.resolve();
      };
    },
    hold: async (lockClass, key) => {
      const lock = `${lockClass}, ${key}`;
      locks.add(lock);
      const existing = client;
      const connected = await (client ??= connect());
      if (existing) await inTurn(connected, takeLock(lock));
      return async () => {
        locks.delete(lock);
        // Without a connection there is no lock.
        const current = await client?.catch(() => undefined);
        if (current) await inTurn(current, `select pg_advisory_unlock_shared(${lock})`).catch(() => undefined);
      };
    },
    answers: async (withinMs) => {
      if (!client) reconnect();
      const connecting = client;
      if (hanging || !connecting) return false;
      const question = async (): Promise<boolean> => {
        await inTurn(await connecting, 'select 1');
        return true;
      };
      return (
        (await within(
          question().catch(() => false),
          withinMs,
        )) ?? false
      );
    },
    isHanging: () => hanging,
    close: async () => {
      closed = true;
      const connected = await client?.catch(() => undefined);
      // A hanging database does not confirm the end of a connection.
      if (hanging) connected?.connection.stream.destroy();
      else await connected?.end();
    },
  };
}

const takeLock = (lock: string): string => `${watchMachine}; select pg_advisory_lock_shared(${lock})`;

function isTimeout(error: unknown): boolean {
  return /timeout/i.test(messageOf(error));
}
