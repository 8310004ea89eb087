/** One connection per process that hears every channel; connects at the first `listen` and again whenever it is lost. */
import pg from 'pg';

type OnNotify = (payload: string) => void;

export interface Listener {
  /** `onNotify` gets the payloads, and an empty one at first and after each loss of the connection: look at all. */
  listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export function createListener(url: string, onError: (error: Error) => void): Listener {
  const channels = new Map<string, Set<OnNotify>>();
  let client: Promise<pg.Client> | undefined;
  let closed = false;

  async function connect(): Promise<pg.Client> {
    const next = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'cloudfit listen' });
    next.on('notification', ({ channel, payload }) => channels.get(channel)?.forEach((tell) => tell(payload ?? '')));
    next.on('error', onError);
    next.on('end', () => {
      client = undefined;
      if (!closed) setTimeout(reconnect, 500);
    });
    await next.connect();
    for (const channel of channels.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
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
    close: async () => {
      closed = true;
      await (await client)?.end();
    },
  };
}
