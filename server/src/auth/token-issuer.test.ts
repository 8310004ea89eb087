/** The requests to a foreign identity provider, and which of its answers are accepted. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openProviderHttp } from './provider-http.ts';
import { foreignIssuer } from './token-issuer.ts';

let server: Server;
let base: string;
let requests: IncomingMessage[];
let answers: Record<string, { status?: number; body: unknown }>;

beforeAll(async () => {
  server = createServer((req, res) => {
    requests.push(req);
    const { status = 200, body } = answers[req.url ?? ''] ?? { status: 404, body: {} };
    res.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  requests = [];
  answers = {};
});
const paths = () => requests.map(({ url }) => url);
const discovery = '/.well-known/openid-configuration';
const unreachable = { code: 'Unavailable', message: 'The identity provider cannot be reached just now. Please try again.' };

describe('an answer of the provider', () => {
  const ask = (path: string) => openProviderHttp(base).getJson(`${base}${path}`, { authorization: 'Bearer t' });

  it('is an object, which was asked for as JSON', async () => {
    answers['/a'] = { body: { a: 1 } };
    expect(await ask('/a')).toEqual({ a: 1 });
    expect(requests[0]?.headers).toMatchObject({ accept: 'application/json', authorization: 'Bearer t' });
  });

  it('counts for nothing when it is an error, no object or too long', async () => {
    const inOneMegabyte = JSON.stringify({ a: 'x'.repeat(1_048_576 - 8) });
    expect(inOneMegabyte).toHaveLength(1_048_576);
    answers = {
      '/error': { status: 500, body: { a: 1 } },
      '/moved': { status: 302, body: { a: 1 } },
      '/null': { body: 'null' },
      '/number': { body: '5' },
      '/text': { body: 'no JSON' },
      '/long': { body: `${inOneMegabyte} ` },
      '/just': { body: inOneMegabyte },
    };
    for (const path of ['/error', '/moved', '/null', '/number', '/text', '/long', '/none'])
      await expect(ask(path)).rejects.toMatchObject(unreachable);
    expect(Object.keys(await ask('/just'))).toEqual(['a']);
  });

  it('is encrypted where the provider is, and comes from no other private address', async () => {
    answers['/a'] = { body: {} };
    await expect(openProviderHttp('https://id.example.org').get(`${base}/a`)).rejects.toThrow('is not encrypted, though the provider is');
    await expect(openProviderHttp('http://id.example.org').get(`${base}/a`)).rejects.toThrow('is not public');
    expect((await openProviderHttp('http://id.example.org', ['127.0.0.0/8']).get(`${base}/a`)).status).toBe(200);
    expect(paths()).toEqual(['/a']);
  });
});

describe('a foreign provider', () => {
  it('signs access tokens by the usual algorithms, unless the settings say otherwise', () => {
    const { keys: _keys, userinfo: _userinfo, ...usual } = foreignIssuer({ authority: base, audience: 'cloudfit' });
    expect(usual).toEqual({
      issuer: base,
      audience: 'cloudfit',
      algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'],
      typ: 'at+jwt',
      groupsClaim: 'groups',
      trustsEmail: false,
      embedded: false,
    });
    const of = (typ: string | null) =>
      foreignIssuer({ authority: base, audience: 'x', typ, algorithms: ['ES256'], groupsClaim: 'roles', trustsEmail: true });
    expect(of('JWT')).toMatchObject({ typ: 'JWT', algorithms: ['ES256'], groupsClaim: 'roles', trustsEmail: true });
    expect(of(null)).not.toHaveProperty('typ');
  });

  it('is asked once what it offers, and again when it did not answer', async () => {
    const { userinfo } = foreignIssuer({ authority: base, audience: 'cloudfit' });
    await expect(userinfo?.('t')).rejects.toMatchObject(unreachable);
    answers[discovery] = { body: { issuer: base } };
    await expect(userinfo?.('t')).rejects.toMatchObject(unreachable);
    answers[discovery] = { body: { issuer: base, jwks_uri: `${base}/jwks` } };
    expect([await userinfo?.('t'), await userinfo?.('t')]).toEqual([{}, {}]);
    expect(paths()).toEqual([discovery, discovery, discovery]);
  });

  it('is asked for claims by the token of the person', async () => {
    answers = {
      [discovery]: { body: { issuer: `${base}/`, jwks_uri: `${base}/jwks`, userinfo_endpoint: `${base}/me` } },
      '/me': { body: { sub: 'a' } },
    };
    const { userinfo } = foreignIssuer({ authority: `${base}/`, audience: 'cloudfit' });
    expect(await userinfo?.('token')).toEqual({ sub: 'a' });
    expect([paths(), requests[1]?.headers.authorization]).toEqual([[discovery, '/me'], 'Bearer token']);
    const { userinfo: misnamed } = foreignIssuer({ authority: base, audience: 'cloudfit' });
    await expect(misnamed?.('token')).rejects.toThrow(
      `The identity provider gives ${base}/ as its address. Set OIDC_AUTHORITY to the same text.`,
    );
  });

  it('is away: its last keys count as long as it is', async () => {
    const { publicKey } = await generateKeyPair('ES256');
    answers = {
      [discovery]: { body: { issuer: base, jwks_uri: `${base}/jwks` } },
      '/jwks': { body: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] } },
    };
    const { keys } = foreignIssuer({ authority: base, audience: 'cloudfit' });
    const find = async (kid = 'k') => keys({ alg: 'ES256', kid }, { payload: '', signature: '' });
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      await expect(find()).resolves.toBeTruthy();
      vi.setSystemTime(Date.now() + 599_000);
      await find();
      expect(paths()).toEqual([discovery, '/jwks']);
      vi.setSystemTime(Date.now() + 2_000);
      answers = {};
      await expect(find()).resolves.toBeTruthy();
      expect(paths()).toEqual([discovery, '/jwks', '/jwks']);
      await expect(find('another')).rejects.toThrow(/no applicable key/);
    } finally {
      vi.useRealTimers();
    }
  });

  it('whose keys cannot be read is unavailable', async () => {
    answers[discovery] = { body: { issuer: base, jwks_uri: `${base}/jwks` } };
    const { keys } = foreignIssuer({ authority: base, audience: 'cloudfit' });
    const find = async () => keys({ alg: 'ES256', kid: 'k' }, { payload: '', signature: '' });
    await expect(find()).rejects.toMatchObject(unreachable);
    answers['/jwks'] = { body: { keys: [] } };
    await expect(find()).rejects.toThrow(/no applicable key/);
  });
});
