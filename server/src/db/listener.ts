/**
 * One connection per process that hears every channel and asks each second whether the database answers; connects at the first `listen`
 * and again whenever it is lost.
 */
import pg from 'pg';
import { messageOf } from '@cloudfit/contract/errors.ts';

type OnNotify = (payload: string) => void;

export interface Listener {
  /** `onNotify` gets the payloads, and an empty one at first and after each loss of the connection: look at all. */
  listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>>;
  /** Whether the database answers within this time; no load of this process is in the way. */
  answers(withinMs: number): Promise<boolean>;
  /** Whether the last question had no answer in time: a statement would get none either. */
  isHanging(): boolean;
  close(): Promise<void>;
}

/** Of a question; longer than a busy database takes. */
const patienceMs = 3_000;
const intervalMs = 1_000;

/** `onHang` is told when the database stops answering and when it answers again. */
export function createListener(url: string, onError: (error: Error) => void, onHang: (isHanging: boolean) => void): Listener {
  const channels = new Map<string, Set<OnNotify>>();
  let client: Promise<pg.Client> | undefined;
  let closed = false;
  let hanging = false;

  function setHanging(value: boolean): void {
    if (hanging === value) return;
    hanging = value;
    onHang(value);
  }

  async function connect(): Promise<pg.Client> {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      application_name: 'cloudfit listen',
    });
    next.on('notification', ({ channel, payload }) => channels.get(channel)?.forEach((tell) => tell(payload ?? '')));
    next.on('error', onError);
    let questions: NodeJS.Timeout | undefined;
    next.on('end', () => {
      clearTimeout(questions);
      client = undefined;
      if (!closed) setTimeout(reconnect, 500);
    });
    await next.connect();
    for (const channel of channels.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    setHanging(false);
    const ask = async (): Promise<void> => {
      await next.query('select 1');
      questions = setTimeout(() => void ask().catch(onUnanswered), intervalMs);
    };
    const onUnanswered = (error: unknown): void => {
      if (closed || !isTimeout(error)) return;
      setHanging(true);
      // It may never answer: a new connection finds out.
      next.connection.stream.destroy();
    };
    void ask().catch(onUnanswered);
    return next;
  }

  function reconnect(): void {
    if (closed || client) return;
    client = connect();
    client.then(
      // What was notified while nobody listened is unknown, so everyone looks once.
      () => channels.forEach((tellers) => tellers.forEach((tell) => tell(''))),
      (error: Error) => {
        client = undefined;
        // A refusal is an answer.
        if (!isTimeout(error)) setHanging(false);
        onError(error);
        setTimeout(reconnect, 500);
      },
    );
  }

  return {
    listen: async (channel, onNotify) => {
      const tellers = channels.get(channel);
      if (tellers) tellers.add(onNotify);
      else channels.set(channel, new Set([onNotify]));
      const existing = client;
      const connected = await (client ??= connect());
      if (existing && !tellers) await connected.query(`listen ${pg.escapeIdentifier(channel)}`);
      onNotify('');
      return () => {
        channels.get(channel)?.delete(onNotify);
        return Promise.resolve();
      };
    },
    answers: async (withinMs) => {
      if (!client) reconnect();
      const connecting = client;
      if (hanging || !connecting) return false;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), withinMs)));
      const question = async (): Promise<boolean> => {
        await (await connecting).query('select 1');
        return true;
      };
      try {
        return await Promise.race([question().catch(() => false), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    isHanging: () => hanging,
    close: async () => {
      closed = true;
      const connected = await client?.catch(() => undefined);
      // A database that hangs confirms no end.
      if (hanging) connected?.connection.stream.destroy();
      else await connected?.end();
    },
  };
}

function isTimeout(error: unknown): boolean {
  return /timeout/i.test(messageOf(error));
}
