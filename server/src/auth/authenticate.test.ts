import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../context/ctx.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { meters } from '../platform/meters.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { createAuthenticator, type Authenticator } from './authenticate.ts';
import { createIntegrationToken } from './integration-token.ts';
import { invalidatePeople, invalidateTokens } from './invalidate.ts';
import { revokeToken } from './revoked-tokens.ts';
import { ensureShippedSets, shippedSets } from './shipped.ts';
import { foreignIssuer, type TokenIssuer } from './token-issuer.ts';

const log = pino({ level: 'silent' });
const issuerUrl = 'https://id.example.org';
const pair = await generateKeyPair('ES256', { extractable: true });
const foreignKeyPair = await generateKeyPair('ES256');
const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };

let test: TestDatabase;
let database: Database;
let db: Db;
let one: Authenticator;
let two: Authenticator;
let userinfoCalls = 0;

const issuer: TokenIssuer = {
  issuer: issuerUrl,
  audience: 'cloudfit',
  algorithms: ['ES256'],
  typ: 'at+jwt',
  groupsClaim: 'realm.groups',
  embedded: false,
  keys: createLocalJWKSet({ keys: [publicJwk] }),
  userinfo: () => {
    userinfoCalls++;
    return Promise.resolve({
      sub: 'from-userinfo',
      name: 'Una Info',
      email: 'una@example.org',
      email_verified: true,
      realm: { groups: 'night shift,desk' },
    });
  },
};

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  db = database.scoped('all');
  await ensureShippedSets(db);
  one = await createAuthenticator({ database, issuer, log });
  two = await createAuthenticator({ database, issuer, log });
});

afterAll(async () => {
  await one.close();
  await two.close();
  await database.close();
  await test.close();
});

function signed(
  claims: Omit<JWTPayload, 'jti'> & { jti?: string | undefined },
  options: { key?: CryptoKey; kid?: string; typ?: string; expires?: string | number } = {},
): Promise<string> {
  return new SignJWT({
    name: 'Ada',
    email: 'ada@example.org',
    realm: { groups: [] },
    jti: randomUUID(),
    iss: issuerUrl,
    aud: 'cloudfit',
    ...(claims as JWTPayload),
  })
    .setProtectedHeader({ alg: 'ES256', kid: options.kid ?? 'k1', typ: options.typ ?? 'at+jwt' })
    .setIssuedAt()
    .setExpirationTime(options.expires ?? '10m')
    .sign(options.key ?? pair.privateKey);
}

const ask = (token: string, by: Authenticator = one): Promise<Ctx> =>
  by.authenticate({ authorization: `Bearer ${token}`, correlationId: randomUUID() });
const refusal = (token: string, by?: Authenticator): Promise<string> =>
  ask(token, by).then(
    () => 'allowed',
    (error: ApiError) => `${error.status}: ${error.message}`,
  );

async function tenant(name: string): Promise<string> {
  const [row] = await db.query<{ tenant_id: string }>({
    text: 'insert into tenant (name) values ($1) returning tenant_id',
    values: [`${name} ${randomUUID()}`],
  });
  return row?.tenant_id ?? '';
}

async function grant(who: { personId?: string; claim?: string }, set: string, tenantId: string | null): Promise<void> {
  await db.query({
    text: 'insert into access_grant (person_id, claim, permission_set_id, tenant_id) values ($1, $2, $3, $4)',
    values: [who.personId ?? null, who.claim ?? null, set, tenantId],
  });
}

describe('access tokens', () => {
  it('refuses what is expired, for others, of others, unsigned or signed by others', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await refusal(await signed({ sub: 'a' }, { expires: now - 31 }))).toMatch(/^401: Your sign-in has expired/);
    expect(await refusal(await signed({ sub: 'a' }, { expires: now - 10 }))).toBe('allowed');
    expect(await refusal(await signed({ sub: 'a', aud: 'other' }))).toMatch(/^401: .*"aud"/);
    expect(await refusal(await signed({ sub: 'a', iss: `${issuerUrl}/` }))).toMatch(/^401: .*"iss"/);
    expect(await refusal(await signed({ sub: 'a' }, { key: foreignKeyPair.privateKey }))).toMatch(/^401: .*signature/);
    expect(await refusal(await signed({ sub: 'a' }, { kid: 'unknown' }))).toMatch(/^401: .*no applicable key/);
    expect(await refusal(await signed({ sub: 'a' }, { typ: 'JWT' }))).toMatch(/^401: .*"typ"/);
    expect(await refusal(await signed({}))).toMatch(/^401: .*"sub"/);
    expect(await refusal(new UnsecuredJWT({ sub: 'a', iss: issuerUrl, aud: 'cloudfit' }).setExpirationTime('10m').encode())).toMatch(
      /^401: /,
    );
    expect(await refusal('no.token.atall')).toMatch(/^401: /);
  });

  it('accepts no other header than that of a token', async () => {
    await expect(one.authenticate({ correlationId: randomUUID() })).rejects.toMatchObject({ status: 401 });
    await expect(one.authenticate({ authorization: 'Basic YTpi', correlationId: randomUUID() })).rejects.toMatchObject({ status: 401 });
  });

  it('refuses a revoked token or session at once, on every server', async () => {
    const [tokenId, session] = [randomUUID(), randomUUID()];
    const first = await signed({ sub: 'a', jti: tokenId });
    const second = await signed({ sub: 'a', sid: session });
    for (const token of [first, second]) for (const by of [one, two]) expect(await refusal(token, by)).toBe('allowed');
    await revokeToken(db, tokenId, new Date(Date.now() + 600_000));
    await revokeToken(db, session, new Date(Date.now() + 600_000));
    for (const token of [first, second])
      for (const by of [one, two]) await expect.poll(() => refusal(token, by)).toMatch(/^401: You have signed out/);
    const later = await createAuthenticator({ database, issuer, log });
    expect(await refusal(second, later)).toMatch(/^401: You have signed out/);
    await later.close();
  });

  it('[AUTH-003] refuses a token whose person signed out, on every server, even one without an id', async () => {
    const sub = randomUUID();
    const token = await signed({ sub, jti: undefined });
    const other = await signed({ sub, jti: undefined, realm: { groups: ['another'] } });
    for (const by of [one, two]) expect(await refusal(token, by)).toBe('allowed');
    const { endSignIn, actor } = await ask(token);
    const counted = meters.revokedTokenHits;
    await endSignIn?.();
    for (const by of [one, two]) await expect.poll(() => refusal(token, by)).toMatch(/^401: You have signed out/);
    expect(meters.revokedTokenHits).toBeGreaterThan(counted);
    expect(await refusal(other)).toBe('allowed');
    const audit = await db.query({ text: "select 1 from audit where verb = 'sign-out' and entity_id = $1", values: [actor.id] });
    expect(audit).toHaveLength(1);
  });

  it('refuses an ID token where the type of access tokens is not asked for', async () => {
    const { typ: _typ, ...anyType } = issuer;
    const untyped = await createAuthenticator({ database, issuer: anyType, log });
    expect(await refusal(await signed({ sub: 'a' }, { typ: 'JWT' }), untyped)).toBe('allowed');
    for (const claim of [{ nonce: 'n' }, { at_hash: 'h' }])
      expect(await refusal(await signed({ sub: 'a', ...claim }, { typ: 'JWT' }), untyped)).toMatch(/^401: This is an ID token/);
    expect(await refusal(await signed({ sub: 'a', nonce: 'n' }), untyped)).toBe('allowed');
    await untyped.close();
  });
});

describe('people', () => {
  it('are made at the first sign-in, by issuer and subject and never by email', async () => {
    const first = await ask(await signed({ sub: 'bea', name: 'Bea', email: 'bea@example.org', email_verified: true }));
    const again = await ask(await signed({ sub: 'bea', name: 'Bea B.', email: 'bea@example.org' }), two);
    const namesake = await ask(await signed({ sub: 'other', name: 'Not Bea', email: 'BEA@example.org', email_verified: true }));
    expect(again.actor.id).toBe(first.actor.id);
    expect(again.actor.name).toBe('Bea B.');
    expect(first.tenants).toEqual([]);
    expect(first.permissions.size).toBe(0);
    expect(namesake.actor.id).not.toBe(first.actor.id);
    expect(namesake.actor).toMatchObject({ userName: 'BEA@example.org (other)' });
    const audit = await db.query({
      text: "select 1 from audit where entity = 'people' and verb = 'create' and entity_id = $1",
      values: [first.actor.id],
    });
    expect(audit).toHaveLength(1);
  });

  it('are not called by an address that their provider has not verified', async () => {
    const impostor = await ask(await signed({ sub: 'imp', name: 'Imp', email: 'chief@example.org', email_verified: false }));
    expect(impostor.actor).toMatchObject({ userName: 'imp' });
    const named = { sub: 'pru', name: 'Pru', email: 'pru@example.org', email_verified: false, preferred_username: 'pru.p' };
    expect((await ask(await signed(named))).actor).toMatchObject({ userName: 'pru.p' });
    const chief = await ask(await signed({ sub: 'chief', name: 'Chief', email: 'chief@example.org', email_verified: true }));
    expect(chief.actor).toMatchObject({ userName: 'chief@example.org' });
  });

  it('are not called by an address of which their provider says nothing, unless the operator trusts it', async () => {
    const trusting = await createAuthenticator({ database, issuer: { ...issuer, trustsEmail: true }, log });
    const userNameOf = async (claims: JWTPayload, by = one) => {
      const { actor } = await ask(await signed(claims), by);
      return actor.kind === 'person' ? actor.userName : undefined;
    };
    const verified = async (userName: string) =>
      (
        await db.query<{ email_verified: boolean }>({ text: 'select email_verified from person where user_name = $1', values: [userName] })
      )[0]?.email_verified;
    try {
      expect(await userNameOf({ sub: 'eve', email: 'boss@example.org' })).toBe('eve');
      expect(await userNameOf({ sub: 'eva', email: 'eva@example.org', preferred_username: 'boss@example.org' })).toBe('eva');
      expect(await verified('eve')).toBe(false);
      expect(await userNameOf({ sub: 'boss', email: 'boss@example.org' }, trusting)).toBe('boss@example.org');
      expect(await verified('boss@example.org')).toBe(true);
      expect(await userNameOf({ sub: 'liar', email: 'cfo@example.org', email_verified: false }, trusting)).toBe('liar');
      expect(await userNameOf({ sub: 'cog', email: 'cog@example.org', email_verified: 'true' })).toBe('cog@example.org');
    } finally {
      await trusting.close();
    }
  });

  it('are made once by sign-ins at the same moment', async () => {
    const tokens = await Promise.all([1, 2, 3, 4].map(() => signed({ sub: 'cy', email: 'cy@example.org' })));
    const ids = await Promise.all(tokens.map(async (token, i) => (await ask(token, i % 2 ? one : two)).actor.id));
    expect(new Set(ids).size).toBe(1);
  });

  it('take what the token lacks from userinfo, if that is about them', async () => {
    userinfoCalls = 0;
    const token = await signed({ sub: 'from-userinfo', name: undefined, email: undefined, realm: undefined });
    expect((await ask(token)).actor).toMatchObject({ name: 'Una Info', userName: 'una@example.org' });
    await ask(token);
    expect(userinfoCalls).toBe(1);
    const other = await ask(await signed({ sub: 'somebody', name: undefined, email: undefined, realm: undefined }));
    expect(other.actor).toMatchObject({ name: 'somebody', userName: 'somebody' });
  });

  it('are not verified by what userinfo says of another address', async () => {
    const token = await signed({ sub: 'from-userinfo', email: 'ceo@example.org', name: undefined, realm: undefined });
    await ask(token);
    const [row] = await db.query({ text: "select email, email_verified as verified from person where subject = 'from-userinfo'" });
    expect(row).toEqual({ email: 'ceo@example.org', verified: false });
  });

  it('are audited once for each sign-in at the provider', async () => {
    const day = 1_700_000_000;
    for (const auth_time of [day, day, day - 100, day + 60]) await ask(await signed({ sub: 'sia', auth_time }));
    await ask(await signed({ sub: 'sia', auth_time: day + 60 }), two);
    const rows = await db.query<{ at: string | null }>({
      text: "select after->>'at' as at from audit join person on entity_id = person_id::text where verb = 'sign-in' and subject = 'sia' order by audit_id",
    });
    expect(rows.map(({ at }) => Date.parse(String(at)) / 1000)).toEqual([day, day + 60]);
  });

  it('have the permissions of their own grants and of their groups, by tenant', async () => {
    const [east, west] = [await tenant('East'), await tenant('West')];
    await grant({ claim: 'night shift' }, shippedSets.reader.id, east);
    await grant({ claim: 'desk' }, shippedSets.serviceDesk.id, west);
    for (const groups of [['night shift', 'desk'], 'night shift, desk']) {
      const ctx = await ask(await signed({ sub: 'dee', realm: { groups } }));
      expect(ctx.tenants).toEqual([east, west].toSorted());
      expect(ctx.permissions.get(east)?.has('CloudFit.CFS.Devices:view')).toBe(true);
      expect(ctx.permissions.get(east)?.has('CloudFit.CFS.WorkUnits:edit')).toBe(false);
      expect(ctx.permissions.get(west)?.has('CloudFit.CFS.WorkUnits:edit')).toBe(true);
    }
    expect((await ask(await signed({ sub: 'dee', realm: { groups: 'desk other' } }))).tenants).toEqual([west]);
  });

  it('gain and lose access within a second on every server', async () => {
    const token = await signed({ sub: randomUUID() });
    const { actor } = await ask(token);
    await ask(token, two);
    const personId = String(actor.id);
    await db.transaction(async (tx) => {
      await tx.query({
        text: 'insert into access_grant (person_id, permission_set_id) values ($1, $2)',
        values: [personId, shippedSets.administrator.id],
      });
      await invalidatePeople(tx);
    });
    for (const by of [one, two]) await expect.poll(async () => (await ask(token, by)).tenants).toBe('all');
    await db.query({ text: 'update person set enabled = false where person_id = $1', values: [personId] });
    await invalidatePeople(db);
    for (const by of [one, two]) await expect.poll(() => refusal(token, by)).toMatch(/^403: Your account is disabled/);
  });

  it('cost no query once known', async () => {
    let queries = 0;
    const counting: Database = {
      ...database,
      scoped: (scope) => {
        const inner = database.scoped(scope);
        return { ...inner, query: (statement) => (queries++, inner.query(statement)) };
      },
    };
    const by = await createAuthenticator({ database: counting, issuer, log });
    const token = await signed({ sub: 'fay' });
    await ask(token, by);
    const first = queries;
    for (let i = 0; i < 100; i++) await ask(token, by);
    expect(first).toBeGreaterThan(0);
    expect(queries).toBe(first);
    await by.close();
  });
});

describe('tenant tokens', () => {
  async function add(fields: { tenantId: string | null; set?: string; expires?: string }): Promise<{ token: string; id: string }> {
    const created = createIntegrationToken();
    const [row] = await db.query<{ token_grant_id: string }>({
      text: 'insert into token_grant (tenant_id, name, token_hash, token_hint, permission_set_id, expires_on) values ($1, $2, $3, $4, $5, $6) returning token_grant_id',
      values: [fields.tenantId, 'probe', created.hash, created.hint, fields.set ?? null, fields.expires ?? null],
    });
    return { token: created.token, id: row?.token_grant_id ?? '' };
  }

  it('may be the password of a Basic header over a private connection, under any name', async () => {
    const { token, id } = await add({ tenantId: await tenant('Sheet') });
    const by = (password: string, isPrivate = true) =>
      one
        .authenticate({
          authorization: `Basic ${Buffer.from(`excel:${password}`).toString('base64')}`,
          isPrivate,
          correlationId: randomUUID(),
        })
        .then(
          (ctx) => ctx.actor.id,
          (error: ApiError) => `${error.status}: ${error.message}`,
        );
    expect(await by(token)).toBe(id);
    expect(await by(token, false)).toBe('401: A token is accepted as a password over https only. Use an https address.');
    expect(await by('secret')).toMatch(/^401: The password must be a token/);
    expect(await by(await signed({ sub: 'a' }))).toMatch(/^401: The password must be a token/);
  });

  it('reach their tenant, with no permission unless a set says so', async () => {
    const home = await tenant('Token home');
    const agent = await add({ tenantId: home });
    const ctx = await ask(agent.token);
    expect(ctx.actor).toEqual({ kind: 'token', id: agent.id, name: 'probe', scopes: ['agent', 'ingest'] });
    expect(ctx.tenants).toEqual([home]);
    expect(ctx.permissions.size).toBe(0);
    const integration = await ask((await add({ tenantId: home, set: shippedSets.reader.id })).token);
    expect(integration.permissions.get(home)?.has('CloudFit.CFS.Devices:view')).toBe(true);
    expect((await ask((await add({ tenantId: null, set: shippedSets.reader.id })).token)).tenants).toBe('all');
    await expect
      .poll(
        async () =>
          (
            await db.query<{ last_used: string | null }>({
              text: 'select last_used from token_grant where token_grant_id = $1',
              values: [agent.id],
            })
          )[0]?.last_used,
      )
      .toBeTruthy();
  });

  it('are refused when mistyped, unknown, expired or revoked, the latter within a second', async () => {
    const home = await tenant('Token end');
    const { token, id } = await add({ tenantId: home });
    const last = token.at(-1) === 'A' ? 'B' : 'A';
    expect(await refusal(token.slice(0, -1) + last)).toMatch(/^401: This is not a complete token/);
    expect(await refusal(createIntegrationToken().token)).toMatch(/^401: This token does not exist/);
    expect(await refusal((await add({ tenantId: home, expires: '2020-01-01T00:00:00Z' })).token)).toMatch(/^401: This token has expired/);
    for (const by of [one, two]) expect(await refusal(token, by)).toBe('allowed');
    await db.query({ text: 'update token_grant set revoked_on = now() where token_grant_id = $1', values: [id] });
    await invalidateTokens(db);
    for (const by of [one, two]) await expect.poll(() => refusal(token, by)).toMatch(/^401: This token has been revoked/);
    const audit = await db.query({
      text: "select 1 from audit where entity = 'tokens' and verb = 'refused' and entity_id = $1",
      values: [id],
    });
    expect(audit.length).toBeGreaterThan(0);
  });
});

describe('a foreign provider', () => {
  interface Provider {
    base: string;
    requestedPaths: string[];
    keys: object[];
    /** Further fields of the provider's discovery document. */
    more: Record<string, string>;
    close(): Promise<void>;
  }

  async function provider(): Promise<Provider> {
    const created: Provider = { base: '', requestedPaths: [], keys: [publicJwk], more: {}, close: () => Promise.resolve() };
    const server = createServer((req, res) => {
      const { base, keys, more } = created;
      created.requestedPaths.push(req.url ?? '');
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify(req.url?.startsWith('/.well-known') ? { issuer: base, jwks_uri: `${base}/jwks`, ...more } : { keys }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    created.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    created.close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return created;
  }

  const at = ({ base }: Provider) =>
    createAuthenticator({
      database,
      issuer: foreignIssuer({ authority: base, audience: 'cloudfit', groupsClaim: 'realm.groups', typ: null }),
      log,
    });
  const tokenOf = ({ base }: Provider, sub: string, options: { key?: CryptoKey; kid?: string } = {}) =>
    signed({ sub, iss: base, email: `${sub}@foreign.example` }, { typ: 'JWT', ...options });

  it('is asked for its keys at the first token and may be away afterwards', async () => {
    const foreign = await provider();
    const by = await at(foreign);
    expect(foreign.requestedPaths).toEqual([]);
    expect(await refusal(await tokenOf(foreign, 'gus'), by)).toBe('allowed');
    await foreign.close();
    expect(await refusal(await tokenOf(foreign, 'hal'), by)).toBe('allowed');
    await by.close();
    const unreachable = await at(foreign);
    expect(await refusal(await tokenOf(foreign, 'ida'), unreachable)).toMatch(/^503: The identity provider cannot be reached/);
    await unreachable.close();
  });

  it('is not asked more often for keys that nobody has', async () => {
    const foreign = await provider();
    const by = await at(foreign);
    expect(await refusal(await tokenOf(foreign, 'jan'), by)).toBe('allowed');
    const created = await Promise.all(Array.from({ length: 20 }, (_, i) => tokenOf(foreign, 'jan', { kid: `made-up-${i}` })));
    for (const answer of await Promise.all(created.map((token) => refusal(token, by)))) expect(answer).toMatch(/^401/);
    expect(foreign.requestedPaths.filter((path) => path === '/jwks')).toHaveLength(2);
    await by.close();
    await foreign.close();
  });

  it('may change its keys: the first token under the new one is not refused', async () => {
    const foreign = await provider();
    const by = await at(foreign);
    expect(await refusal(await tokenOf(foreign, 'kim'), by)).toBe('allowed');
    const next = await generateKeyPair('ES256', { extractable: true });
    foreign.keys.unshift({ ...(await exportJWK(next.publicKey)), kid: 'k2', alg: 'ES256' });
    const token = await tokenOf(foreign, 'kim', { key: next.privateKey, kid: 'k2' });
    expect(await refusal(token, by)).toBe('allowed');
    await by.close();
    await foreign.close();
  });

  it('must call itself what the setting says', async () => {
    const foreign = await provider();
    foreign.more['issuer'] = 'https://elsewhere.example';
    const by = await at(foreign);
    expect(await refusal(await tokenOf(foreign, 'leo'), by)).toMatch(/^503: The identity provider gives https:\/\/elsewhere.example/);
    await by.close();
    await foreign.close();
  });

  it('cannot send the server to addresses that no call may reach', async () => {
    const foreign = await provider();
    foreign.more['jwks_uri'] = 'http://169.254.169.254/latest/meta-data';
    const by = await at(foreign);
    expect(await refusal(await tokenOf(foreign, 'mia'), by)).toMatch(/^503/);
    foreign.more['jwks_uri'] = 'http://127.0.0.2/jwks';
    const again = await at(foreign);
    expect(await refusal(await tokenOf(foreign, 'mia'), again)).toMatch(/^503/);
    await by.close();
    await again.close();
    await foreign.close();
  });
});
