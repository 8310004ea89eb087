import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify, SignJWT, type JSONWebKeySet, type JWK } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database, type Db } from '../../db/connection.ts';
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
    const mounted = await mountProvider({
      database: deaf,
      masterKey,
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
    await expect(jwtVerify(forgedToken, mounted.issuer.keys)).rejects.toThrow(/no applicable key/);
    await mounted.close();
  });

  it('are replaced by themselves after 90 days, once for all servers, and forgotten a day later', async () => {
    const before = (await loadProviderKeys(db, masterKey)).signing.map(({ kid }) => kid);
    const due = (days: number) => rotateSigningKeys(db, masterKey, { by, onlyWhenDue: true, now: new Date(Date.now() + days * day) });
    expect(await due(0)).toBeUndefined();
    const newest = (await Promise.all([due(91), due(91), due(91)])).filter((kid) => kid !== undefined);
    expect(newest).toHaveLength(1);
    // Keys that were retired 91 days ago have been deleted meanwhile; the last one was in use until now.
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
