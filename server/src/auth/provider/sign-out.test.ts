/** What happens after the provider's answers: sessions end, tokens are revoked, sessions in use are prolonged. */
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { adapterFor, forgetExpiredItems } from './adapter.ts';
import { signingAlgorithm } from './keys.ts';
import { afterAnswer } from './sign-out.ts';

const issuer = 'https://ops.example.org/idp';

let test: TestDatabase;
let database: Database;
let db: Db;
let privateKey: CryptoKey;
let foreignKey: CryptoKey;
let jwk: JWK;
let personId: string;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
  const pair = await generateKeyPair(signingAlgorithm, { extractable: true });
  privateKey = pair.privateKey;
  jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: signingAlgorithm };
  foreignKey = (await generateKeyPair(signingAlgorithm)).privateKey;
});
afterAll(async () => {
  await database.close();
  await test.close();
});
beforeEach(async () => {
  const [row] = await rows<{ id: string }>(
    `insert into person (name, user_name) values ('Vera', gen_random_uuid()::text || '@example.org') returning person_id as id`,
  );
  personId = row?.id ?? '';
});

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
const isRevoked = async (id: string) => (await rows('select from revoked_token where revoked_id = $1', id)).length > 0;
const verbs = async () => (await rows<{ verb: string }>('select verb from audit where entity_id = $1', personId)).map((row) => row.verb);

async function after(oidc: object, status = 200): Promise<{ status: number; body: unknown }> {
  const answer = { status, body: 'text' as unknown };
  await afterAnswer({ db, issuer, jwks: { keys: [jwk] } }, { entities: {}, ...oidc } as unknown as KoaContextWithOIDC['oidc'], answer);
  return answer;
}

describe('the end of a session', () => {
  const session = (extra: object = {}) => ({ uid: randomUUID(), accountId: personId, destroyed: true, ...extra });

  it('revokes its tokens and is audited', async () => {
    const ended = session();
    await after({ route: 'end_session_confirm', session: ended });
    expect([await isRevoked(ended.uid), await verbs()]).toEqual([true, ['sign-out']]);
    const [audit] = await rows<{ actor_name: string; user_name: string }>(
      'select actor_name, user_name from audit join person on person_id::text = entity_id where entity_id = $1',
      personId,
    );
    expect(audit?.actor_name).toBe(audit?.user_name);
  });

  it('is none while the session goes on, or at another request', async () => {
    const sessions = [session({ destroyed: false }), session({ destroyed: undefined }), session()];
    await after({ route: 'end_session_confirm', session: sessions[0] });
    await after({ route: 'end_session_confirm', session: { uid: sessions[1]?.uid, accountId: personId } });
    await after({ route: 'end_session', session: sessions[2] });
    await after({ route: 'end_session_confirm', session: undefined });
    expect([await Promise.all(sessions.map(({ uid }) => isRevoked(uid))), await verbs()]).toEqual([[false, false, false], []]);
  });

  it('of nobody is not audited', async () => {
    for (const accountId of [undefined, 'x']) await after({ route: 'end_session_confirm', session: session({ accountId }) });
    expect(await verbs()).toEqual([]);
  });
});

describe('a revoked access token', () => {
  const client = { clientId: 'cloudfit-portal' };
  const token = async (jti: string, { key = privateKey, clientId = client.clientId, iss = issuer, expires = true } = {}) => {
    const jwt = new SignJWT({ client_id: clientId, jti }).setProtectedHeader({ alg: signingAlgorithm, kid: 'k1' }).setIssuer(iss);
    return (expires ? jwt.setExpirationTime('10 minutes') : jwt).sign(key);
  };
  const revoke = (params: object, status = 400, extra: object = {}) => after({ route: 'revocation', client, params, ...extra }, status);

  it('is refused from now on, though the provider does not store it', async () => {
    const jti = randomUUID();
    expect(await revoke({ token: await token(jti) })).toEqual({ status: 200, body: {} });
    expect(await isRevoked(jti)).toBe(true);
  });

  it('is one of this provider and this client, with an end', async () => {
    const options = [{ key: foreignKey }, { clientId: 'other' }, { iss: 'https://other.example.org' }, { expires: false }];
    for (const one of options) {
      const jti = randomUUID();
      // The answer does not reveal whether a token was valid.
      expect(await revoke({ token: await token(jti, one) })).toEqual({ status: 200, body: {} });
      expect(await isRevoked(jti)).toBe(false);
    }
  });

  it('leaves other answers of the provider as they are', async () => {
    expect(await revoke({ token: 'opaque' })).toEqual({ status: 400, body: 'text' });
    expect(await revoke({ token: 'a.b' })).toEqual({ status: 400, body: 'text' });
    expect(await revoke({})).toEqual({ status: 400, body: 'text' });
    const jti = randomUUID();
    expect(await revoke({ token: await token(jti) }, 401)).toEqual({ status: 401, body: 'text' });
    expect(await revoke({ token: await token(jti) }, 400, { client: undefined })).toEqual({ status: 400, body: 'text' });
    expect(await revoke({ token: await token(jti) }, 400, { route: 'introspection' })).toEqual({ status: 400, body: 'text' });
    expect(await isRevoked(jti)).toBe(false);
    // OIDC clients treat an answer that is not JSON as a failure.
    expect(await revoke({ token: 'opaque' }, 200)).toEqual({ status: 200, body: {} });
  });
});

describe('a session whose refresh token is used', () => {
  it('lasts a day from then on, unless it lasts longer', async () => {
    const seconds = async (uid: string) => {
      const [row] = await rows<{ column: number; payload: number }>(
        `select extract(epoch from expires_at - now())::int as column, (payload->>'exp')::bigint - extract(epoch from now())::int as payload
         from identity_item where uid = $1`,
        uid,
      );
      return [row?.column, Number(row?.payload)];
    };
    const [short, long, other] = [randomUUID(), randomUUID(), randomUUID()];
    const exp = (left: number) => Math.floor(Date.now() / 1_000) + left;
    for (const [uid, left] of [
      [short, 60],
      [long, 1_000_000],
      [other, 60],
    ] as const)
      await adapterFor(db, 'Session').upsert(uid, { uid, accountId: personId, exp: exp(left) }, left);
    const refresh = (sessionUid: string | undefined, status = 200, route = 'token') =>
      after({ route, entities: { RefreshToken: { sessionUid } } }, status);
    for (const uid of [short, long]) await refresh(uid);
    await refresh(other, 400);
    await refresh(other, 200, 'userinfo');
    await refresh(undefined);
    await after({ route: 'token' });
    const [prolonged = [], longer = [], unused = []] = await Promise.all([short, long, other].map(seconds));
    for (const value of prolonged) expect(value).toBeGreaterThan(80_000);
    for (const value of prolonged) expect(value).toBeLessThanOrEqual(86_400);
    for (const value of longer) expect(value).toBeGreaterThan(990_000);
    for (const value of unused) expect(value).toBeLessThanOrEqual(60);
  });
});

describe('what the provider stores', () => {
  const items = () => adapterFor(db, 'RefreshToken');
  const payload = (extra: object = {}) => ({ accountId: personId, grantId: randomUUID(), ...extra });

  it('is found by its id, uid or code, of its model, until it expires', async () => {
    const [id, uid, userCode] = [randomUUID(), randomUUID(), randomUUID()];
    const stored = payload({ uid, userCode });
    await items().upsert(id, stored, 60);
    expect(await Promise.all([items().find(id), items().findByUid(uid), items().findByUserCode(userCode)])).toEqual([
      stored,
      stored,
      stored,
    ]);
    const other = adapterFor(db, 'DeviceCode');
    expect(await Promise.all([other.find(id), other.findByUid(uid), other.findByUserCode(userCode)])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await items().upsert(id, { ...stored, scope: 'openid' }, 60);
    expect(await items().find(id)).toMatchObject({ scope: 'openid' });
    await items().upsert(id, stored, -1);
    expect(await items().find(id)).toBeUndefined();
    const current = randomUUID();
    await items().upsert(current, stored, 60);
    await forgetExpiredItems(db);
    expect((await rows('select from identity_item where id = any($1)', [id, current])).length).toBe(1);
  });

  it('is used up, removed alone, or with its grant', async () => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const shared = payload();
    for (const id of [one, two]) await items().upsert(id, shared, 60);
    await items().upsert(three, payload(), 60);
    await items().consume(one);
    expect((await items().find(one))?.['consumed']).toBeCloseTo(Date.now() / 1_000, -2);
    expect(await items().find(two)).not.toHaveProperty('consumed');
    await items().destroy(one);
    expect([await items().find(one), await items().find(two)]).toEqual([undefined, shared]);
    await items().revokeByGrantId(shared.grantId);
    expect([await items().find(two), (await items().find(three))?.accountId]).toEqual([undefined, personId]);
  });

  it('does not bring back a session that has ended', async () => {
    const uid = randomUUID();
    await after({ route: 'end_session_confirm', session: { uid, accountId: personId, destroyed: true } });
    await adapterFor(db, 'Session').upsert('late', payload({ uid }), 60);
    await items().upsert('other', payload({ uid }), 60);
    expect([await adapterFor(db, 'Session').find('late'), (await items().find('other'))?.uid]).toEqual([undefined, uid]);
  });
});
