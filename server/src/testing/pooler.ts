/** A pooler like PgBouncer, small enough for tests. In transaction mode each transaction runs on any free connection. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { sessionOptions } from '../db/pooler.ts';

export interface TestPooler {
  url: string;
  close(): Promise<void>;
}

const sslRequest = 80_877_103;
const cancelRequest = 80_877_102;

function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Splits the bytes of a PostgreSQL connection into messages. `hasStartup`: the first one is a startup message. */
function cutter(onMessage: (type: string, bytes: Buffer) => void, hasStartup = false): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarting = hasStartup;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = isStarting ? 0 : 1;
      if (rest.length < at + 4) return;
      const length = rest.readInt32BE(at) + at;
      if (rest.length < length) return;
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (isStarting && bytes.readInt32BE(4) !== sslRequest) isStarting = false;
      onMessage(at === 0 ? 'startup' : String.fromCharCode(bytes[0] ?? 0), Buffer.from(bytes));
    }
  };
}

interface Backend {
  socket: Socket;
  onMessage: (type: string, bytes: Buffer) => void;
}

export interface PoolerOptions {
  mode?: 'session' | 'transaction' | 'statement';
  /** The settings that the role has; the options of the clients are ignored, as PgBouncer ignores them. */
  settings?: string;
  /** Changes what the database answers. */
  rewrite?: (bytes: Buffer) => Buffer;
}

async function openBackend(url: string, settings: string): Promise<Backend> {
  // The driver only signs in; the pooler takes over its socket.
  const client = new pg.Client({ connectionString: url, options: settings });
  // Without a listener, an error of the connection would end the process.
  client.on('error', () => undefined);
  await client.connect();
  const socket = client.connection.stream as Socket;
  socket.removeAllListeners('data');
  const backend: Backend = { socket, onMessage: () => undefined };
  socket.on(
    'data',
    cutter((type, bytes) => backend.onMessage(type, bytes)),
  );
  socket.on('error', () => undefined);
  return backend;
}

/** The answer of PgBouncer in statement mode to `begin`; it then closes the connection. */
const noTransactions = message(
  'E',
  'SFATAL',
  'VFATAL',
  'C08P01',
  'Mtransaction blocks not allowed in statement pooling mode',
  Buffer.alloc(1),
);

export async function startPooler(databaseUrl: string, options: PoolerOptions = {}): Promise<TestPooler> {
  const { mode = 'transaction', settings = sessionOptions, rewrite = (bytes) => bytes } = options;
  const idle: Backend[] = [];
  const all: Socket[] = [];

  function serve(client: Socket): void {
    all.push(client);
    client.on('error', () => undefined);
    let backend: Backend | undefined;
    /** Number of `ready for query` messages that the backend still has to send. */
    let due = 0;
    let queue = Promise.resolve();
    const ready = Buffer.from('I');
    const forward = async (type: string, bytes: Buffer): Promise<void> => {
      if (mode === 'statement' && type === 'Q' && /^begin/i.test(bytes.toString('utf8', 5))) {
        client.end(noTransactions);
        return;
      }
      if (!backend) {
        backend = idle.pop() ?? (await openBackend(databaseUrl, settings));
        all.push(backend.socket);
        const mine = backend;
        mine.onMessage = (answer, answered) => {
          client.write(rewrite(answered));
          if (answer !== 'Z') return;
          due -= 1;
          if (due > 0 || answered[5] !== ready[0] || mode === 'session') return;
          idle.push(mine);
          backend = undefined;
        };
      }
      if (type === 'Q' || type === 'S') due += 1;
      backend.socket.write(bytes);
    };
    client.on(
      'data',
      cutter((type, bytes) => {
        if (type === 'startup') {
          const code = bytes.readInt32BE(4);
          if (code === sslRequest) client.write('N');
          else if (code === cancelRequest) client.destroy();
          else client.write(Buffer.concat([message('R', Buffer.alloc(4)), message('K', Buffer.alloc(8)), message('Z', ready)]));
        } else if (type === 'X') {
          client.end();
          backend?.socket.destroy();
        } else queue = queue.then(() => forward(type, bytes));
      }, true),
    );
  }

  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  return {
    url: `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}`,
    close: async () => {
      for (const socket of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
