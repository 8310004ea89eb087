import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { Log } from '../log.ts';
import { createClient } from './client.ts';
import { createClock } from './clock.ts';
import { createHttp } from './http.ts';
import { openExchange } from './exchange.ts';

/** A client that is signed in. */
function clientOf(url: string, log: Log) {
  const http = createHttp({ url, log, clock: createClock(() => undefined) });
  return createClient({ http, credentials: { token: async () => 'x', forget: () => undefined }, log });
}

const never = new AbortController().signal;
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

it('uses one connection for calls that follow each other, and repeats one that the server has closed meanwhile', async () => {
  let connections = 0;
  const url = await serve((request, response) => {
    request.resume().on('end', () => {
      response.end(`${request.method} ${request.url}`);
      // Sends no `Connection: close`: the client notices that the connection is closed only when it uses the connection.
      if (request.url === '/last') response.on('finish', () => setImmediate(() => request.socket.resetAndDestroy()));
    });
  });
  server.on('connection', () => connections++);
  const { whole: exchange } = await openExchange(url);
  const post = (path: string) => exchange(path, { method: 'POST', headers: {}, body: 'ä', signal: never });
  expect([(await post('/a')).text, (await post('/last')).text, connections]).toEqual(['POST /a', 'POST /last', 1]);
  expect([(await post('/b')).text, connections]).toEqual(['POST /b', 2]);
});

it('sends nothing that the server does not need, so that an idle agent costs little traffic', async () => {
  let names: string[] = [];
  const url = await serve((request, response) => {
    names = Object.keys(request.headers);
    response.end('{}');
  });
  const client = clientOf(url, () => undefined);
  await client.request('GET', '/v1/agent/configuration', never);
  expect(names.toSorted()).toEqual(['authorization', 'connection', 'host']);
});

it('follows no redirect, and says where it leads', async () => {
  const url = await serve((_request, response) => response.writeHead(307, { location: 'https://elsewhere.example/' }).end());
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = (_level: string, text: string) => {
    lines.push(text);
    stopping.abort();
  };
  const client = clientOf(url, log);
  expect(await client.request('POST', '/v1/packets', stopping.signal, { body: [] })).toBeNull();
  expect(lines.join()).toContain('redirects to https://elsewhere.example/, which the agent does not follow');
});
