import { EventEmitter, once } from 'node:events';
import { createServer, type ClientRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getDefaultAutoSelectFamilyAttemptTimeout, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import type { Log } from '../log.ts';
import { createClient } from './client.ts';
import { createClock } from './clock.ts';
import { createHttp } from './http.ts';
import { limitConnecting, openExchange } from './exchange.ts';

/** A client that is signed in. */
function clientOf(url: string, log: Log) {
  const http = createHttp({ url, log, clock: createClock(() => undefined) });
  return createClient({ http, credentials: { token: async () => 'x', forget: () => undefined }, log });
}

const never = new AbortController().signal;
let server: Server | undefined;
afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
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
  server?.on('connection', () => connections++);
  const { whole: exchange } = await openExchange(url, undefined);
  const post = (path: string) => exchange(path, { method: 'POST', headers: {}, body: 'ä', signal: never });
  expect([(await post('/a')).text, (await post('/last')).text, connections]).toEqual(['POST /a', 'POST /last', 1]);
  expect([(await post('/b')).text, connections]).toEqual(['POST /b', 2]);
});

it('repeats nothing that a new connection has lost, because the server may have taken it', async () => {
  let connections = 0;
  const url = await serve((request) => request.socket.resetAndDestroy());
  server?.on('connection', () => connections++);
  const { whole: exchange } = await openExchange(url, undefined);
  await expect(exchange('/a', { method: 'POST', headers: {}, body: 'a', signal: never })).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(connections).toBe(1);
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

it('reaches a server through a proxy, with the password in its address, and without one as NO_PROXY says', async () => {
  const requests: string[] = [];
  const proxy = await serve((request, response) => {
    requests.push(`${request.url} ${request.headers['proxy-authorization']}`);
    response.end('by proxy');
  });
  server?.on('connect', (request: IncomingMessage, socket: Socket) => {
    requests.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  const address = proxy.replace('//', '//eva:pass@');
  const credentials = `Basic ${Buffer.from('eva:pass').toString('base64')}`;
  const exchange = { method: 'GET', headers: {}, signal: never };
  const plain = await openExchange('http://cloudfit.test', { http_proxy: address });
  expect((await plain.whole('/a', exchange)).text).toBe('by proxy');
  const secure = await openExchange('https://cloudfit.test', { https_proxy: address });
  await expect(secure.whole('/b', exchange)).rejects.toThrow(/./);
  expect(requests).toEqual([`http://cloudfit.test/a ${credentials}`, `CONNECT cloudfit.test:443 ${credentials}`]);
  const direct = await openExchange(proxy, { http_proxy: 'http://127.0.0.1:1', no_proxy: '127.0.0.1' });
  expect((await direct.whole('/c', exchange)).text).toBe('by proxy');
});

it('names the proxy, but not its password, when the server cannot be reached', async () => {
  const url = await serve((_request, response) => response.end());
  const lines: string[] = [];
  const log: Log = (_level, text) => void lines.push(text);
  const proxy = { http_proxy: 'http://eva:pass@127.0.0.1:9' };
  const http = createHttp({ url, proxy, log, clock: createClock(() => undefined) });
  await expect(http.send('GET', '/', never)).rejects.toThrow('ECONNREFUSED');
  expect(lines.join()).toContain(`The server ${url} cannot be reached through the proxy 127.0.0.1:9 (ECONNREFUSED)`);
  expect(lines.join()).not.toContain('pass');
});

it('trusts the authorities of the machine, and has the programs that it starts trust them', async () => {
  vi.stubEnv('NODE_USE_SYSTEM_CA', undefined);
  const before = getCACertificates('default');
  try {
    await serve((_request, response) => response.end());
    await openExchange('https://cloudfit.test', undefined);
    const trusted = new Set(getCACertificates('default'));
    expect(getCACertificates('system').filter((cACertificate) => !trusted.has(cACertificate))).toEqual([]);
    expect(process.env['NODE_USE_SYSTEM_CA']).toBe('1');
  } finally {
    setDefaultCACertificates(before);
    vi.unstubAllEnvs();
  }
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

it('leaves each address five seconds, so that one that drops what it gets does not hold the others up', async () => {
  await openExchange('http://cloudfit.test', undefined);
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(5_000);
  vi.useFakeTimers();
  const reasons: string[] = [];
  const connecting = () => {
    const socket = Object.assign(new EventEmitter(), { connecting: true });
    const request = Object.assign(new EventEmitter(), { destroy: ({ message }: Error) => reasons.push(message) });
    limitConnecting(request as unknown as ClientRequest);
    request.emit('socket', socket);
    return socket;
  };
  const socket = connecting();
  vi.advanceTimersByTime(20_000);
  socket.emit('connectionAttempt', '192.0.2.1', 443);
  vi.advanceTimersByTime(5_000);
  socket.emit('connectionAttempt', '192.0.2.2', 443);
  vi.advanceTimersByTime(5_000);
  expect(reasons).toEqual([]);
  vi.advanceTimersByTime(500);
  expect(reasons).toEqual(['192.0.2.2 port 443 does not answer within 5 s']);
  const connected = connecting();
  connected.emit('connectionAttempt', '192.0.2.3', 443);
  connected.emit('connect');
  vi.advanceTimersByTime(60_000);
  expect(reasons).toHaveLength(1);
});

it('says what a proxy answers that opens no tunnel', async () => {
  const proxy = await serve((_request, response) => response.end());
  server?.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  const lines: string[] = [];
  const log: Log = (_level, text) => void lines.push(text);
  const http = createHttp({ url: 'https://cloudfit.test', proxy: { https_proxy: proxy }, log, clock: createClock(() => undefined) });
  await expect(http.send('GET', '/', never)).rejects.toThrow(/./);
  expect(lines.join()).toContain('(the proxy answers 407)');
});
