/** A way to a test database that can be cut, as in an outage, or stalled, as when the database hangs, for one test's servers alone. */
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

export interface DatabaseGate {
  url: string;
  /** Ends all connections, and refuses new ones until `open`. */
  cut(): void;
  /** Passes nothing on until `open`; connections stay. */
  stall(): void;
  open(): void;
  close(): void;
}

export async function openDatabaseGate(databaseUrl: string): Promise<DatabaseGate> {
  const target = new URL(databaseUrl);
  const folder = target.searchParams.get('host');
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const server = createServer((from) => {
    if (state === 'cut') return void from.destroy();
    const to = folder
      ? createConnection(join(folder, `.s.PGSQL.${target.port || '5432'}`))
      : createConnection(Number(target.port || '5432'), target.hostname);
    const pair = [from, to] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [to, from] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
      one.pipe(other);
    }
    if (state === 'stalled') for (const one of pair) one.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  function cut(): void {
    state = 'cut';
    for (const [from, to] of pairs) {
      from.destroy();
      to.destroy();
    }
  }
  return {
    url: url.href,
    cut,
    stall() {
      state = 'stalled';
      for (const pair of pairs) for (const one of pair) one.pause();
    },
    open() {
      state = 'open';
      for (const pair of pairs) for (const one of pair) one.resume();
    },
    close() {
      cut();
      server.close();
    },
  };
}
