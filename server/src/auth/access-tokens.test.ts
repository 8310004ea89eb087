/** How long cached facts about a person's access token are used, and what ends that. The test supplies clock and database. */
import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../db/connection.ts';
import type { Statement, TenantScope } from '../db/db.ts';
import { meters } from '../platform/meters.ts';
import { createAccessTokens, type AccessTokens, type Caller } from './access-tokens.ts';

const pair = await generateKeyPair('ES256', { extractable: true });
const localKeys = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] });
const personId = randomUUID();

interface StoredPerson {
  name: string;
  user_name: string;
  enabled: boolean;
  revoked: boolean;
  grants: (string | null | string[])[][];
  disabled_grants: (string | null | string[])[][];
}

let stored: StoredPerson | undefined;
let statements: Statement[];
/** Tells every process of a revocation. */
const notification = 'select pg_notify($1, $2)';
let revokedIds: Set<string>;
let keysChanged: () => void;
let keys: JWTVerifyGetKey;
let tokens: AccessTokens;
/** Promises that delay the next lookups of the person: each lookup takes the first one and waits for it. */
let pendingLookups: Promise<void>[];

function open(embedded = true): AccessTokens {
  const query = async (statement: Statement) => {
    statements.push(statement);
    const row = stored;
    if (statement.name === 'auth-person-access') {
      await pendingLookups.shift();
      return row ? [row] : [];
    }
    return statement.text.includes('returning person_id') ? [{ person_id: personId }] : [];
  };
  const db = { query, defer: query, last: query, transaction: (run: (tx: object) => unknown) => run(db) };
  const scoped = (scope: TenantScope) => ({ ...db, scope });
  return createAccessTokens({
    database: { scoped } as unknown as Database,
    issuer: {
      issuer: 'https://id.example.org',
      audience: 'cloudfit',
      algorithms: ['ES256'],
      typ: 'at+jwt',
      groupsClaim: 'groups',
      keys: (...args) => keys(...args),
      onKeysChange: (changed) => (keysChanged = changed),
      embedded,
    },
    revoked: { has: (id) => revokedIds.has(id), close: () => Promise.resolve() },
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  stored = { name: 'Ada', user_name: 'ada@example.org', enabled: true, revoked: false, grants: [['t1', ['p']]], disabled_grants: [] };
  statements = [];
  revokedIds = new Set();
  keys = localKeys;
  pendingLookups = [];
  tokens = open();
});
afterEach(() => vi.useRealTimers());

const signed = ({ jti = randomUUID(), ...claims }: Omit<JWTPayload, 'jti'> & { jti?: string | null } = {}, seconds = 600) =>
  new SignJWT({ sub: personId, iss: 'https://id.example.org', aud: 'cloudfit', ...(jti === null ? {} : { jti }), ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
    .sign(pair.privateKey);
const check = async (token: string): Promise<Caller> => tokens.check(token, 'c1', '192.0.2.1');
const refusal = (token: string) =>
  check(token).then(
    () => 'allowed',
    (error: { status: number; message: string }) => `${error.status} ${error.message}`,
  );
const tokenIds = () => (statements.findLast(({ name }) => name === 'auth-person-access')?.values?.[2] ?? []) as string[];
const lookups = () => statements.filter(({ name }) => name === 'auth-person-access').length;
const wait = (ms: number) => void vi.setSystemTime(Date.now() + ms);
const ended = '401 You have signed out. Please sign in again.';

describe('what is known about a token', () => {
  it('is used for half a minute, then looked up again', async () => {
    const token = await signed();
    expect(await check(token)).toMatchObject({ actor: { kind: 'person', id: personId, name: 'Ada' }, tenants: ['t1'] });
    expect(tokens.check(token, 'c2')).not.toBeInstanceOf(Promise);
    Object.assign(stored ?? {}, { name: 'Ada B.' });
    wait(29_999);
    expect([(await check(token)).actor.name, lookups()]).toEqual(['Ada', 1]);
    wait(1);
    expect([(await check(token)).actor.name, lookups()]).toEqual(['Ada B.', 2]);
    wait(29_999);
    await check(token);
    expect(lookups()).toBe(2);
  });

  it('is looked up once for requests of the same moment', async () => {
    const token = await signed();
    await Promise.all([check(token), check(token), check(token)]);
    expect(lookups()).toBe(1);
    wait(30_000);
    await Promise.all([check(token), check(token)]);
    expect(lookups()).toBe(2);
    wait(30_000);
    await check(token);
    expect(lookups()).toBe(3);
  });

  it('is looked up again after any change of people, also where a lookup began before it', async () => {
    const token = await signed();
    await check(token);
    tokens.forgetPeople();
    const { promise, resolve } = Promise.withResolvers<void>();
    pendingLookups = [promise];
    const before = check(token);
    await Promise.resolve();
    tokens.forgetPeople();
    Object.assign(stored ?? {}, { name: 'Ada B.' });
    expect((await check(token)).actor.name).toBe('Ada B.');
    resolve();
    await before;
    // The result of a lookup that began before the change does not count as fresh.
    expect((await check(token)).actor.name).toBe('Ada B.');
    const first = await signed();
    const { promise: slow, resolve: go } = Promise.withResolvers<void>();
    pendingLookups = [slow];
    const verifying = check(first);
    await expect.poll(() => pendingLookups).toEqual([]);
    tokens.forgetPeople();
    go();
    await verifying;
    const counted = lookups();
    await check(first);
    expect(lookups()).toBe(counted + 1);
  });

  it('ends half a minute after the token', async () => {
    const token = await signed({}, 60);
    await check(token);
    vi.setSystemTime((Math.floor(Date.now() / 1_000) + 90) * 1_000 - 1);
    expect(await refusal(token)).toBe('allowed');
    wait(1);
    const counted = lookups();
    for (let i = 0; i < 2; i++) expect(await refusal(token)).toBe('401 Your sign-in has expired. Please sign in again.');
    expect(lookups()).toBe(counted);
  });

  it('ends with the keys, also where they change while the token is verified', async () => {
    const token = await signed();
    await check(token);
    keys = () => Promise.reject(new Error('The keys are gone.'));
    expect(await refusal(token)).toBe('allowed');
    keysChanged();
    expect(await refusal(token)).toBe('undefined The keys are gone.');
    keys = localKeys;
    const { promise, resolve } = Promise.withResolvers<void>();
    pendingLookups = [promise];
    const verifying = refusal(token);
    await expect.poll(() => pendingLookups).toEqual([]);
    keysChanged();
    keys = () => Promise.reject(new Error('The key is forgotten.'));
    resolve();
    expect(await verifying).toBe('undefined The key is forgotten.');
    keys = localKeys;
    expect(await refusal(token)).toBe('allowed');
  });
});

describe('a caller', () => {
  it('is refused whose token, sign-in or hash was revoked, which is counted', async () => {
    for (const id of ['token-1', 'session-1']) {
      const token = await signed({ jti: 'token-1', sid: 'session-1' });
      expect(await refusal(token)).toBe('allowed');
      const counted = meters.revokedTokenHits;
      revokedIds.add(id);
      expect(await refusal(token)).toBe(ended);
      expect(meters.revokedTokenHits).toBe(counted + 1);
      expect(await refusal(await signed({ jti: 'token-1', sid: 'session-1' }))).toBe(ended);
      revokedIds.delete(id);
    }
    Object.assign(stored ?? {}, { revoked: true });
    expect(await refusal(await signed())).toBe(ended);
    expect(tokenIds()).toHaveLength(2);
    // A token without an id is revoked by its hash.
    Object.assign(stored ?? {}, { revoked: false });
    const plain = await signed({ jti: null });
    await check(plain);
    const [hash = '', ...more] = tokenIds();
    expect(more).toEqual([]);
    revokedIds.add(hash);
    expect(await refusal(plain)).toBe(ended);
  });

  it('is refused who is disabled, or whom nobody knows', async () => {
    Object.assign(stored ?? {}, { enabled: false });
    expect(await refusal(await signed())).toBe('403 Your account is disabled. Please ask an administrator.');
    stored = undefined;
    const unknown = '401 The access token belongs to no person of this installation. Please sign in again.';
    expect(await refusal(await signed())).toBe(unknown);
    stored = { name: 'A', user_name: 'a', enabled: true, revoked: false, grants: [], disabled_grants: [] };
    expect(await refusal(await signed({ sub: 'not an id' }))).toBe(unknown);
    expect(await refusal(await signed())).toBe('allowed');
  });

  it('is told apart from a text that is no token at all', async () => {
    for (const text of ['nonsense', 'a.b'])
      expect(await refusal(text)).toBe(
        '401 This is neither a token from Tokens, which begins with cfst_, nor the access token of a person.',
      );
  });

  it('is told which tenants are disabled where all of the own are', async () => {
    const disabled_grants = [
      ['t2', ['p'], 'Birch'],
      ['t1', ['p'], 'Alder'],
    ];
    Object.assign(stored ?? {}, { grants: [], disabled_grants });
    expect(await refusal(await signed())).toBe(
      '403 The tenant Birch, Alder is disabled. Please ask an administrator of this installation.',
    );
    Object.assign(stored ?? {}, { grants: [['t3', ['p']]] });
    const { disabled, tenants } = await check(await signed());
    expect([tenants, disabled?.names, disabled?.permissions.get('t1'), disabled?.db]).toMatchObject([
      ['t3'],
      new Map([
        ['t2', 'Birch'],
        ['t1', 'Alder'],
      ]),
      new Set(['p']),
      { scope: ['t1', 't2'] },
    ]);
    Object.assign(stored ?? {}, { grants: [[null, ['p']]] });
    expect(await check(await signed())).not.toHaveProperty('disabled');
    Object.assign(stored ?? {}, { grants: [['t3', ['p']]], disabled_grants: [] });
    expect(await check(await signed())).not.toHaveProperty('disabled');
    Object.assign(stored ?? {}, { grants: [] });
    expect((await check(await signed())).permissions.size).toBe(0);
  });
});

describe('the end of a sign-in', () => {
  const kinds = () =>
    statements.slice(1).map(({ text }) => /revoked_token|push_subscription|insert into audit/.exec(text)?.[0] ?? text.slice(0, 30));

  it('revokes the token until it expires, and ends the messages to the browser of its sign-in', async () => {
    const token = await signed({ sid: 'session-1' });
    await check(token);
    expect([tokens.sessionOf(token), tokens.sessionOf('another')]).toEqual(['session-1', undefined]);
    await tokens.end(token, 'c1');
    expect(kinds()).toEqual(['revoked_token', notification, 'push_subscription']);
    const [revocation, , messages] = statements.slice(1);
    const [, until] = (revocation?.values ?? []) as string[];
    // The revocation lasts one minute longer than the token is valid.
    expect(Date.parse(String(until)) - Math.floor(Date.now() / 1_000) * 1_000).toBe(660_000);
    expect(messages?.values).toEqual(['session-1']);
  });

  it('is audited here where the provider is a foreign one, and has no messages without a session', async () => {
    tokens = open(false);
    const token = await signed({ sid: 7, name: 'Ada', email: 'ada@example.org', groups: [] });
    await check(token);
    expect(tokens.sessionOf(token)).toBeUndefined();
    statements.splice(1);
    await tokens.end(token, 'c1');
    expect(kinds()).toEqual(['revoked_token', notification, 'insert into audit']);
    expect(statements.at(-1)?.values).toEqual(expect.arrayContaining([personId, 'person', 'ada@example.org', 'sign-out', 'people', 'c1']));
    const embedded = open();
    await embedded.check(token, 'c1');
    statements.splice(1);
    await embedded.end(token, 'c1');
    expect(kinds()).toEqual(['revoked_token', notification]);
  });
});
