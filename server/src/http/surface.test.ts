/** The HTTP server: one error form for all errors, limits on requests, headers on answers. */
import { connect, type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { clientErrorHandler } from './errors.ts';
import { endSlowRequests } from './slow-requests.ts';

let world: TestWorld;
let port: number;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  const { tenantId } = await world.tenant();
  me = holder([tenantId]);
  await world.app.listen({ port: 0, host: '127.0.0.1' });
  const address = world.app.server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => world.close());

/** Sends these bytes and returns the server's answer. */
function raw(text: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (part) => (answer += part.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(answer.split(' ')[1]), body: JSON.parse(answer.split('\r\n\r\n')[1] ?? 'null') }));
  });
}

const form = (code: string) => ({ error: { code, message: expect.any(String), innererror: { requestId: expect.any(String) } } });

describe('the one error form', () => {
  it.each([
    ['GET', '/v1/nothing', 404, 'NotFound'],
    ['GET', '/api/nothing', 404, 'NotFound'],
    ['PATCH', '/nothing', 404, 'NotFound'],
    ['POST', '/assets/x.js', 404, 'NotFound'],
    ['DELETE', '/v1/locations', 405, 'MethodNotAllowed'],
    ['GET', '/v1/locations?$top=x', 400, 'InvalidQueryOption'],
    ['GET', '/v1/%zz', 400, 'InvalidQueryOption'],
    ['GET', `/v1/locations?x=${'y'.repeat(9_000)}`, 414, 'UriTooLong'],
  ])('answers %s %s', async (method, path, status, code) => {
    const answer = await world.call(me, method, path);
    expect([answer.status, answer.body]).toMatchObject([status, form(code)]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  it.each([
    ['no JSON', '{', 'application/json', 400, 'InvalidBody'],
    ['too deep', `{"a":${'['.repeat(80)}${']'.repeat(80)}}`, 'application/json', 400, 'InvalidBody'],
    ['a prototype', '{"__proto__":{}}', 'application/json', 400, 'InvalidBody'],
    ['a hidden prototype', String.raw`{"\u005f_prot\u006f__":{"name":"x"}}`, 'application/json', 400, 'InvalidBody'],
    ['too large', `"${'x'.repeat(1_100_000)}"`, 'application/json', 413, 'PayloadTooLarge'],
    ['plain text', 'name=x', 'text/plain', 415, 'UnsupportedMediaType'],
    ['a form', 'name=x', 'application/x-www-form-urlencoded', 415, 'UnsupportedMediaType'],
    ['parts', '--x--', 'multipart/form-data; boundary=x', 415, 'UnsupportedMediaType'],
    ['lines', '{}', 'application/x-ndjson', 415, 'UnsupportedMediaType'],
    ['XML', '<a/>', 'application/xml', 415, 'UnsupportedMediaType'],
  ])('answers a body that is %s', async (_what, body, type, status, code) => {
    const answer = await world.call(me, 'PUT', '/v1/locations', body, { 'content-type': type });
    expect([answer.status, answer.body]).toMatchObject([status, form(code)]);
  });

  it('names NUL in text by its field', async () => {
    const answer = await world.call(me, 'PUT', '/v1/locations', { name: 'a\u0000b' });
    expect([answer.status, (answer.body['error'] as { target: string }).target]).toEqual([400, 'name']);
  });

  it.each([
    '/v1/locations(%00)',
    '/v1/locations(..%2f..%2fetc)',
    "/v1/locations?$filter=name eq '%00'",
    '/v1/constructor',
    '/v1/__proto__',
  ])('answers 4xx at %s', async (path) => {
    const { status } = await world.call(me, 'GET', path);
    expect([path, status >= 400 && status < 500]).toEqual([path, true]);
  });

  it('names each call in a header, as the error does', async () => {
    const refused = await world.call(me, 'GET', '/v1/nothing');
    const { innererror } = refused.body['error'] as { innererror: { requestId: string } };
    expect(refused.headers['x-request-id']).toBe(innererror.requestId);
    expect((await world.call(me, 'GET', '/v1/locations')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers headers that are too large by 431, and what is no HTTP by 400', async () => {
    expect(await raw(`GET /v1/locations HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatchObject({
      status: 431,
      body: form('HeadersTooLarge'),
    });
    expect(await raw('NOTHING\r\n\r\n')).toMatchObject({ status: 400, body: form('InvalidBody') });
  });

  it('ends requests whose headers or body do not come; files may take a quarter of an hour', async () => {
    expect([world.app.server.headersTimeout, world.app.server.requestTimeout]).toEqual([30_000, 900_000]);
    const app = Fastify({ clientErrorHandler });
    endSlowRequests(app, 100);
    app.addContentTypeParser(
      /^multipart\//,
      (_request, payload, done) => void payload.on('data', () => undefined).on('end', () => done(null)),
    );
    app.post('/', () => 'whole');
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const slowly = (type: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let received = '';
        socket.on('data', (part) => (received += part.toString())).on('close', () => resolve(received));
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: 4\r\n\r\n{ }`);
        setTimeout(() => socket.writable && socket.write(' '), 400);
      });
    const [late, file] = await Promise.all([slowly('application/json'), slowly('multipart/form-data; boundary=x')]);
    await app.close();
    expect(late).toMatch(/^HTTP\/1.1 408 /);
    expect(file).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('headers', () => {
  it.each(['/v1/locations', '/healthz', '/v1/nothing'])('protect %s', async (path) => {
    const { headers } = await world.call(me, 'GET', path);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': expect.stringMatching(/DENY|SAMEORIGIN/),
    });
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('let pages have what they need and no more', async () => {
    const policy = async (path: string) =>
      String((await world.call(null, 'GET', path, undefined, { accept: 'text/html' })).headers['content-security-policy']);
    expect(await policy('/')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']+'; .*frame-ancestors 'none'$/);
    expect(await policy('/user/silent')).toMatch(/frame-ancestors 'self'$/);
    expect(await policy('/docs')).toMatch(/^default-src 'none'/);
  });
});

it('answers 404 to a program at an address that is none, and the portal to a browser', async () => {
  const status = async (path: string, accept: string) => (await world.call(null, 'GET', path, undefined, { accept })).status;
  for (const accept of ['*/*', 'application/json', 'text/html']) expect(await status('/v2/workUnits', accept)).toBe(404);
  expect(await status('/workUnits', 'application/json')).toBe(404);
  for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', '*/*']) expect(await status('/workUnits', accept)).toBe(200);
});

it('tells that it lives, and that it is ready only with its database', async () => {
  expect((await world.call(null, 'GET', '/healthz')).body).toEqual({ status: 'ok' });
  expect((await world.call(null, 'GET', '/readyz')).body).toEqual({ status: 'ok' });
  const answers = vi.spyOn(world.database, 'answers').mockResolvedValue(false);
  expect((await world.call(null, 'GET', '/healthz')).status).toBe(200);
  const answer = await world.call(null, 'GET', '/readyz');
  expect([answer.status, answer.body]).toMatchObject([503, form('Unavailable')]);
  answers.mockRestore();
});
