import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutboundFailed, OutboundRefused, type CircuitBreaker, type CircuitState } from './circuit-breaker.ts';
import { isSameSite, openOutboundHttp, type OutboundHttp, type OutboundOptions } from './http.ts';

interface ReceivedCall {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}
const received: ReceivedCall[] = [];
let port: number;
let server: http.Server;
const clients: OutboundHttp[] = [];

beforeAll(async () => {
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      const to = request.url ?? '';
      if (to.startsWith('/to/')) response.writeHead(307, { location: decodeURIComponent(to.slice(4)) }).end();
      else if (/^\/(301|302|308)$/.test(to)) response.writeHead(Number(to.slice(1)), { location: '/ok' }).end();
      else if (to === '/see-other') response.writeHead(303, { location: '/ok' }).end();
      else if (to === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else if (to === '/hang') response.flushHeaders();
      else if (to === '/drip') {
        response.writeHead(200);
        setInterval(() => response.write('x'), 20).unref();
      } else if (to === '/big') {
        response.writeHead(200);
        response.end(Buffer.alloc(3_000_000, 'a'));
      } else if (to === '/bomb') {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(50_000_000)));
      } else if (to === '/500') response.writeHead(500).end('broken');
      else if (to === '/429') response.writeHead(429, { 'retry-after': '7' }).end();
      else response.writeHead(200).end('fine');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function open(options: OutboundOptions = {}): OutboundHttp {
  const client = openOutboundHttp(options);
  clients.push(client);
  return client;
}
const call = (client: OutboundHttp, url: string, extra: Partial<Parameters<OutboundHttp['send']>[0]> = {}) =>
  client.send({ url, method: 'POST', headers: { 'x-key': 'secret' }, body: '{}', messageId: 'm-1', ...extra });
const here = (path: string) => `http://127.0.0.1:${port}${path}`;
const allowed = { allow: ['127.0.0.1'] };

describe('outbound calls', () => {
  it('carry the idempotency key and the body, and bring back status and answer', async () => {
    const answer = await call(open(allowed), here('/ok?x=1'), { body: '{"a":1}' });
    expect(answer).toMatchObject({ status: 200, body: 'fine', truncated: false });
    expect(received.at(-1)).toMatchObject({
      method: 'POST',
      url: '/ok?x=1',
      body: '{"a":1}',
      headers: { 'idempotency-key': 'm-1', 'x-key': 'secret', 'accept-encoding': 'identity' },
    });
  });

  it('refuse loopback, names that lead there, other schemes, ports and credentials', async () => {
    const count = received.length;
    const client = open({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    for (const url of [
      here('/'),
      `http://localhost:${port}/`,
      'http://name.example/',
      'http://[::1]/',
      'http://2130706433/',
      'ftp://8.8.8.8/',
      'file:///etc/passwd',
      'http://8.8.8.8:22/',
      'http://u:p@8.8.8.8/',
      'nonsense',
    ]) {
      await expect(call(client, url)).rejects.toBeInstanceOf(OutboundRefused);
    }
    expect(received).toHaveLength(count);
  });

  it('reach only those addresses of a name that passed the check, and resolve it again for each connection', async () => {
    let answers = ['10.0.0.1', '127.0.0.1'];
    const client = open({ ...allowed, resolve: async () => answers.map((address) => ({ address, family: 4 })) });
    // Only the addresses decide: port 80 may be called without the allow list.
    await expect(call(client, 'http://mixed.example/')).rejects.toBeInstanceOf(OutboundFailed);
    answers = ['10.0.0.1'];
    await expect(call(client, 'http://mixed.example/')).rejects.toBeInstanceOf(OutboundRefused);
  });

  it('check each redirect, follow three, and tell no other receiver the headers', async () => {
    const client = open({ allow: ['127.0.0.1'] });
    await expect(call(client, here(`/to/${encodeURIComponent('http://169.254.169.254/latest')}`))).rejects.toBeInstanceOf(OutboundRefused);
    await expect(call(client, here(`/to/${encodeURIComponent('http://10.0.0.1/')}`))).rejects.toBeInstanceOf(OutboundRefused);
    const before = received.length;
    expect(await call(client, here('/loop'))).toMatchObject({ status: 302 });
    expect(received.length - before).toBe(4);
    const named = open({ allow: ['127.0.0.1', 'other.example'], resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    await call(named, here(`/to/${encodeURIComponent(`http://other.example:${port}/ok`)}`), { method: 'GET' });
    expect(received.at(-1)?.headers).toMatchObject({ host: `other.example:${port}`, 'idempotency-key': 'm-1' });
    expect(received.at(-1)?.headers['x-key']).toBeUndefined();
  });

  it('keep method, body and headers at the same origin, and fail with the new address elsewhere', async () => {
    const named = open({ allow: ['127.0.0.1', 'other.example'], resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const elsewhere = `http://other.example:${port}/ok`;
    for (const path of ['/301', '/302', '/308', `/to/${encodeURIComponent('/ok')}`]) {
      received.length = 0;
      expect(await call(named, here(path), { body: '{"a":1}' })).toMatchObject({ status: 200 });
      const sent = { method: 'POST', body: '{"a":1}' };
      expect(received).toMatchObject([sent, { ...sent, url: '/ok', headers: { 'x-key': 'secret', 'idempotency-key': 'm-1' } }]);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      received.length = 0;
      await expect(call(named, here(`/to/${encodeURIComponent(`${elsewhere}?key=1`)}`), { method })).rejects.toThrow(
        `The receiver answered 307: it redirects to ${elsewhere}, and nothing was delivered.`,
      );
      await expect(call(named, here('/see-other'), { method })).rejects.toThrow(`answered 303: it redirects to ${here('/ok')},`);
      expect(received.map(({ url }) => url.slice(0, 4))).toEqual(['/to/', '/see']);
    }
    expect(await call(named, here('/see-other'), { method: 'GET' })).toMatchObject({ status: 200 });
  });

  it('take the encrypted address of the same host for the same receiver', () => {
    const same = (from: string, to: string) => isSameSite(new URL(from), new URL(to));
    expect(same('http://a.example/x', 'https://a.example/y')).toBe(true);
    expect(same('http://a.example:8080/', 'http://a.example:8080/y')).toBe(true);
    for (const to of ['https://b.example/', 'https://a.example:8443/', 'http://a.example:8080/', 'https://x.a.example/'])
      expect([to, same('http://a.example/', to)]).toEqual([to, false]);
    expect(same('https://a.example/', 'http://a.example/')).toBe(false);
  });

  it('end in time when the receiver hangs or drips, and read no more than a megabyte', async () => {
    const client = open({ ...allowed, totalMs: 250 });
    for (const path of ['/hang', '/drip']) {
      await expect(call(client, here(path))).rejects.toBeInstanceOf(OutboundFailed);
    }
    const big = await call(open(allowed), here('/big'));
    expect(big).toMatchObject({ status: 200, truncated: true });
    expect(big.body).toHaveLength(4_096);
    expect((await call(open(allowed), here('/bomb'))).body.length).toBeLessThanOrEqual(4_096);
  });

  it('ask for the state of the circuit, and record how they went', async () => {
    let state: CircuitState = { state: 'closed', failures: 0 };
    const recorded: (string | undefined)[] = [];
    const breaker: CircuitBreaker = {
      enter: () => state,
      recordFailure: (_destination, _owner, failure) => void recorded.push(failure),
      recordSuccess: () => void recorded.push(undefined),
    };
    const client = open({ ...allowed, breaker });
    expect((await call(client, here('/500'))).status).toBe(500);
    expect((await call(client, here('/ok'))).status).toBe(200);
    expect(recorded.splice(0)).toEqual(['The receiver answered 500.']);
    state = { state: 'halfOpen', failures: 4 };
    expect((await call(client, here('/ok'))).status).toBe(200);
    expect((await call(client, here('/429'))).retryAfterMs).toBe(7_000);
    expect(recorded.splice(0)).toEqual([undefined, 'The receiver answered 429.']);
    state = { state: 'open', retryAfterMs: 120_000 };
    await expect(call(client, here('/ok'))).rejects.toMatchObject({ retryAfterMs: 120_000 });
    state = { state: 'disabled' };
    await expect(call(client, here('/ok'))).rejects.toBeInstanceOf(OutboundRefused);
    expect(recorded).toEqual([]);
    // Whoever has just found it closed does not ask again, but its failures count.
    expect((await call(client, here('/500'), { isClosed: true })).status).toBe(500);
    expect(recorded).toEqual(['The receiver answered 500.']);
  });
});
