import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify, SignJWT, type JSONWebKeySet, type JWK } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { masterKeyOf } from '../master-key.ts';
import { adapterFor, forgetExpiredItems } from './adapter.ts';
import { loadProviderKeys, privateKey, rotateSigningKeys, signingAlgorithm } from './keys.ts';
import { mountProvider, type MountedProvider } from './mount.ts';

const log = pino({ level: 'silent' });
const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
const by = { kind: 'system', id: null, name: 'test' } as const;
const day = 86_400_000;

let test: TestDatabase;
let database: Database;
let db: Db;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  db = database.scoped('all');
});

afterAll(async () => {
  await database.close();
  await test.close();
});

describe('signing keys', () => {
  const servers: { http: Server; mounted: MountedProvider; url: string }[] = [];

  async function serve(): Promise<void> {
    const box: { mounted?: MountedProvider } = {};
    const http = createServer((req, res) => box.mounted?.handler(req, res));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const mounted = await mountProvider({
      database,
      masterKey,
      log,
      publicUrl: 'http://localhost',
      audience: 'cloudfit',
      clientId: 'cloudfit-portal',
      queueMail: () => Promise.resolve(),
    });
    box.mounted = mounted;
    servers.push({ http, mounted, url });
  }

  beforeAll(async () => {
    await serve();
    await serve();
  });

  afterAll(async () => {
    for (const { http, mounted } of servers) {
      await mounted.close();
      http.closeAllConnections();
      http.close();
    }
  });

  const kidsAt = async (url: string) =>
    ((await (await fetch(`${url}/idp/jwks`)).json()) as JSONWebKeySet).keys.map(({ kid, ...key }) => {
      expect(key).not.toHaveProperty('d');
      expect(key).not.toHaveProperty('madeOn');
      return kid;
    });

  const signedBy = async (key: JWK) =>
    new SignJWT({ sub: 'a' })
      .setProtectedHeader({ alg: signingAlgorithm, kid: String(key.kid) })
      .setExpirationTime('5m')
      .sign(await importJWK(key));

  it('are the same on two servers, kept encrypted, and published without their secret', async () => {
    const kids = await Promise.all(servers.map(({ url }) => kidsAt(url)));
    expect(kids[0]).toHaveLength(1);
    expect(kids[1]).toEqual(kids[0]);
    const [row] = await db.query<{ value: object }>({ text: "select value from setting where name = 'identity.keys'" });
    expect(Object.keys(row?.value ?? {})).toContain('wrappedKey');
    expect(JSON.stringify(row?.value)).not.toContain('"d"');
  });

  it('are replaced on all servers at once; the ones before still verify', async () => {
    const [old] = (await loadProviderKeys(db, masterKey)).signing.map(privateKey);
    const token = await signedBy(old as JWK);
    const kid = await rotateSigningKeys(db, masterKey, { by });
    for (const { url, mounted } of servers) {
      await expect.poll(() => kidsAt(url)).toEqual([kid, old?.kid]);
      await expect(jwtVerify(token, mounted.issuer.keys)).resolves.toBeTruthy();
    }
    const [newest] = (await loadProviderKeys(db, masterKey)).signing.map(privateKey);
    expect(newest?.kid).toBe(kid);
    const fresh = await signedBy(newest as JWK);
    for (const { mounted } of servers) await expect(jwtVerify(fresh, mounted.issuer.keys)).resolves.toBeTruthy();
    const audit = await db.query({ text: "select 1 from audit where entity = 'signing-keys' and entity_id = $1", values: [kid] });
    expect(audit).toHaveLength(1);
  });

  it('that a server has not heard of yet are looked up, but not for every made-up token', async () => {
    const deaf = { ...database, listen: () => Promise.resolve(() => Promise.resolve()) };
    let reads = 0;
    const mounted = await mountProvider({
      database: deaf,
      masterKey: { ...masterKey, open: (envelope, purpose) => ((reads += 1), masterKey.open(envelope, purpose)) },
      log,
      publicUrl: 'http://localhost',
      audience: 'cloudfit',
      clientId: 'cloudfit-portal',
      queueMail: () => Promise.resolve(),
    });
    await rotateSigningKeys(db, masterKey, { by });
    const [newest] = (await loadProviderKeys(db, masterKey)).signing.map(privateKey);
    await expect(jwtVerify(await signedBy(newest as JWK), mounted.issuer.keys)).resolves.toBeTruthy();
    const forgedToken = await signedBy({ ...(newest as JWK), kid: 'made-up' });
    const before = reads;
    for (let i = 0; i < 20; i++) await expect(jwtVerify(forgedToken, mounted.issuer.keys)).rejects.toThrow(/no applicable key/);
    expect(reads - before).toBeLessThan(20);
    await mounted.close();
  });

  it('are replaced by themselves after 90 days, once for all servers, and forgotten a day later', async () => {
    const before = (await loadProviderKeys(db, masterKey)).signing.map(({ kid }) => kid);
    const due = (days: number) => rotateSigningKeys(db, masterKey, { by, onlyWhenDue: true, now: new Date(Date.now() + days * day) });
    expect(await due(0)).toBeUndefined();
    const [current] = (await loadProviderKeys(db, masterKey)).signing;
    const ninetyDays = new Date(Date.parse(String(current?.madeOn)) + 90 * day);
    expect(await rotateSigningKeys(db, masterKey, { by, onlyWhenDue: true, now: new Date(ninetyDays.getTime() - 1) })).toBeUndefined();
    const newest = (await Promise.all([due(91), due(91), due(91)])).filter((kid) => kid !== undefined);
    expect(newest).toHaveLength(1);
    // The keys that were retired 91 days earlier have been deleted; the key that was in use until now still verifies.
    expect((await loadProviderKeys(db, masterKey)).signing.map(({ kid }) => kid)).toEqual([newest[0], before[0]]);
    expect(await due(91.5)).toBeUndefined();
    expect((await loadProviderKeys(db, masterKey)).signing).toHaveLength(2);
    expect(await due(92.5)).toBeUndefined();
    expect((await loadProviderKeys(db, masterKey)).signing.map(({ kid }) => kid)).toEqual([newest[0]]);
  });

  it('that became known to others are forgotten at once', async () => {
    const [old] = (await loadProviderKeys(db, masterKey)).signing.map(privateKey);
    const token = await signedBy(old as JWK);
    const kid = await rotateSigningKeys(db, masterKey, { by, forgetOld: true });
    for (const { url, mounted } of servers) {
      await expect.poll(() => kidsAt(url)).toEqual([kid]);
      await expect(jwtVerify(token, mounted.issuer.keys)).rejects.toThrow(/no applicable key/);
    }
  });

  it('of an early version have no date and count as old', async () => {
    const keys = await loadProviderKeys(db, masterKey);
    const early = { ...keys, signing: keys.signing.map(privateKey) };
    await db.query({
      text: "update setting set value = $1 where name = 'identity.keys'",
      values: [JSON.stringify(masterKey.seal(JSON.stringify(early), 'identity.keys'))],
    });
    const kid = await rotateSigningKeys(db, masterKey, { by, onlyWhenDue: true });
    expect((await loadProviderKeys(db, masterKey)).signing.map((key) => key.kid)).toEqual([kid, early.signing[0]?.kid]);
  });
});

describe('the addresses under /idp', () => {
  let http: Server;
  let mounted: MountedProvider;
  let url: string;

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    mounted = await mountProvider({
      database,
      masterKey,
      log,
      publicUrl: 'http://localhost',
      audience: 'cloudfit',
      clientId: 'cloudfit-portal',
      queueMail: () => Promise.resolve(),
    });
    http = createServer((req, res) => mounted.handler(req, res));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/idp`;
  });
  afterAll(async () => {
    await mounted.close();
    vi.useRealTimers();
    http.closeAllConnections();
    http.close();
  });

  async function ask(method: string, path: string) {
    const answer = await fetch(`${url}${path}`, { method, redirect: 'manual' });
    return { status: answer.status, text: await answer.text(), headers: answer.headers, location: answer.headers.get('location') ?? '' };
  }

  it('have the pages of the sign-in, each for its links', async () => {
    for (const [path, text] of [
      ['/set-password/abc', 'This link is no longer good'],
      ['/invitation/abc', 'This invitation is no longer good'],
    ] as const)
      expect(await ask('POST', path)).toMatchObject({ status: 410, text: expect.stringContaining(text) as string });
    expect(await ask('GET', '/interaction/abc')).toMatchObject({ status: 400, text: expect.stringContaining('Start again') as string });
    expect(await ask('POST', '/interaction/abc/passkey')).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^{"error":"This page/) as string,
    });
    for (const path of ['/interaction/abc/passkey', '/interaction/a.b', '/assets/none', '/none', '/accounts'])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 404]);
    expect((await ask('POST', '/account')).location).toMatch(/^http:\/\/localhost\/idp\/auth\?client_id=cloudfit-portal-account&/);
    expect(await ask('POST', '/account/passkeys/options')).toMatchObject({ status: 401 });
    const discovery = JSON.parse((await ask('GET', '/.well-known/openid-configuration')).text) as Record<string, string>;
    expect([discovery['issuer'], discovery['token_endpoint']]).toEqual(['http://localhost/idp', 'http://localhost/idp/token']);
  });

  it('have style sheet and scripts, which browsers keep', async () => {
    const { status, headers } = await ask('GET', '/assets/sign-in.css?v=1');
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=3600',
    ]);
  });

  it('lead pages to the public name of this machine, and nothing else', async () => {
    for (const path of ['/auth?x=1', '/account', '/set-password/abc', '/invitation/abc'])
      expect(await ask('GET', path)).toMatchObject({ status: 303, location: `http://localhost/idp${path}` });
    expect((await ask('GET', '/jwks')).status).toBe(200);
    expect((await ask('POST', '/set-password/abc')).status).toBe(410);
  });

  it('say so when the database is away', async () => {
    const ending = openDatabase({ url: test.url, max: 2, onError: () => undefined });
    const of = { masterKey, log, publicUrl: 'http://localhost', audience: 'a', clientId: 'c', queueMail: () => Promise.resolve() };
    const other = await mountProvider({ ...of, database: ending });
    const [before, answers] = [mounted, () => ask('POST', '/set-password/abc')];
    mounted = other;
    expect((await answers()).status).toBe(410);
    await other.close();
    await ending.close();
    expect(await answers()).toMatchObject({ status: 503, text: expect.stringContaining('Something went wrong') as string });
    mounted = before;
  });

  it('are those of the issuer of access tokens', () => {
    const { keys: _keys, onKeysChange: _onKeysChange, ...issuer } = mounted.issuer;
    expect(issuer).toEqual({
      issuer: 'http://localhost/idp',
      audience: 'cloudfit',
      algorithms: ['ES256'],
      typ: 'at+jwt',
      groupsClaim: 'groups',
      embedded: true,
    });
  });

  it('are tidied every ten minutes: what expired is deleted', async () => {
    const id = randomBytes(8).toString('hex');
    await adapterFor(db, 'Interaction').upsert(id, { kind: 'Interaction' } as never, -1);
    await db.query({
      text: "insert into passkey_challenge (challenge, page, expires_on) values ($1, 'p', now() - interval '1 s'), ($1 || '2', 'p', now() + interval '1 hour')",
      values: [id],
    });
    await db.query({
      text: "insert into sign_in_attempt (attempt_key, attempts, last_attempt) values ($1, 1, now() - interval '1 hour')",
      values: [Buffer.from(id)],
    });
    const left = async () => {
      const items = await db.query({ text: 'select 1 from identity_item where id = $1', values: [id] });
      const challenges = await db.query({ text: "select 1 from passkey_challenge where challenge in ($1, $1 || '2')", values: [id] });
      const attempts = await db.query({ text: 'select 1 from sign_in_attempt where attempt_key = $1', values: [Buffer.from(id)] });
      return [items.length, challenges.length, attempts.length];
    };
    vi.advanceTimersByTime(500_000);
    expect(await left()).toEqual([1, 2, 1]);
    vi.advanceTimersByTime(100_000);
    await expect.poll(left).toEqual([0, 1, 0]);
  });
});

describe('what the provider remembers', () => {
  const payload = (more: object) => ({ kind: 'AuthorizationCode', ...more }) as never;
  const codes = () => adapterFor(db, 'AuthorizationCode');

  it('is found until it expires, and then swept away', async () => {
    await codes().upsert('code-1', payload({ grantId: 'g' }), 60);
    await codes().upsert('code-2', payload({ grantId: 'g' }), -1);
    expect(await codes().find('code-1')).toMatchObject({ grantId: 'g' });
    expect(await codes().find('code-2')).toBeUndefined();
    await forgetExpiredItems(db);
    const rows = await db.query<{ id: string }>({ text: "select id from identity_item where id like 'code-%'" });
    expect(rows).toEqual([{ id: 'code-1' }]);
  });

  it('is marked when it is used up, on all servers', async () => {
    await codes().upsert('once', payload({}), 60);
    await codes().consume('once');
    expect((await codes().find('once'))?.consumed).toBeCloseTo(Date.now() / 1000, -1);
  });

  it('goes with its grant', async () => {
    const other = adapterFor(db, 'RefreshToken');
    await codes().upsert('of-a', payload({ grantId: 'a' }), 60);
    await codes().upsert('of-b', payload({ grantId: 'b' }), 60);
    await other.upsert('refresh-a', payload({ grantId: 'a' }), 60);
    await codes().revokeByGrantId('a');
    expect(await codes().find('of-a')).toBeUndefined();
    expect(await codes().find('of-b')).toBeTruthy();
    expect(await other.find('refresh-a')).toBeTruthy();
    await other.revokeByGrantId('a');
    expect(await other.find('refresh-a')).toBeUndefined();
  });

  it('does not bring a session back that was ended meanwhile', async () => {
    const sessions = adapterFor(db, 'Session');
    await sessions.upsert('s', payload({ uid: 'session-1' }), 60);
    await db.query({ text: "insert into revoked_token (revoked_id, expires_on) values ('session-1', now() + interval '1 hour')" });
    await sessions.destroy('s');
    await sessions.upsert('s', payload({ uid: 'session-1' }), 60);
    expect(await sessions.find('s')).toBeUndefined();
  });
});
