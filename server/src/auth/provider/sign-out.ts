/** Makes sign-out final: the API refuses at once what the identity provider ends. */
import type { JSONWebKeySet } from 'jose';
import { createLocalJWKSet } from 'jose/jwks/local';
import { jwtVerify } from 'jose/jwt/verify';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Db } from '../../db/db.ts';
import { recordAboutPerson } from '../audit-entry.ts';
import { isGuid } from '../guid.ts';
import { revokeToken } from '../revoked-tokens.ts';
import { endSession } from '../sessions.ts';
import { sessionSeconds } from './configuration.ts';
import { signingAlgorithm } from './keys.ts';

export interface SignOut {
  db: Db;
  issuer: string;
  jwks: JSONWebKeySet;
}

/** Ends or prolongs sessions and revokes tokens, after the provider has answered the request that causes this. */
export async function afterAnswer(
  { db, issuer, jwks }: SignOut,
  { route, session, params, client, entities }: KoaContextWithOIDC['oidc'],
  answer: { status: number; body: unknown; ip?: string },
): Promise<void> {
  if (route === 'end_session_confirm' && session && 'destroyed' in session && session.destroyed === true) {
    await endSession(db, session.uid);
    await recordSignOut(db, session.accountId);
  }
  const refreshed = entities['RefreshToken'];
  if (route === 'token' && answer.status === 200 && refreshed?.sessionUid !== undefined) await keepSession(db, refreshed.sessionUid);
  const code = entities['DeviceCode'];
  if (route === 'token' && answer.status === 200 && code?.accountId !== undefined) await recordDeviceSignIn(db, code.accountId, answer.ip);
  if (route !== 'revocation' || !client) return;
  const token = params?.['token'];
  if (typeof token === 'string' && answer.status === 400 && token.split('.').length === 3) {
    // The provider library cannot revoke tokens that it does not store, and browsers' OIDC clients abort the sign-out
    // when a revocation is refused.
    await revokeOwn(token);
    answer.status = 200;
  }
  // Browsers' OIDC clients treat an answer that is not JSON as a failure.
  if (answer.status === 200) answer.body = {};

  async function revokeOwn(jwt: string): Promise<void> {
    const verified = await jwtVerify(jwt, createLocalJWKSet(jwks), { issuer, algorithms: [signingAlgorithm] }).catch(() => undefined);
    if (!verified || verified.payload['client_id'] !== client?.clientId) return;
    const { jti, exp } = verified.payload;
    if (jti !== undefined && exp !== undefined) await revokeToken(db, jti, new Date(exp * 1000));
  }
}

/** Prolongs a session whose refresh token was used, as the provider does when the browser gets new tokens by its cookie. */
async function keepSession(db: Db, uid: string): Promise<void> {
  await db.query({
    text: `update identity_item set expires_at = now() + $2 * interval '1 second',
        payload = jsonb_set(payload, '{exp}', to_jsonb(extract(epoch from now())::bigint + $2::bigint))
      where model = 'Session' and uid = $1 and expires_at < now() + $2 * interval '1 second'`,
    values: [uid, sessionSeconds],
  });
}

const recordSignOut = (db: Db, personId: string | undefined) => recordOwn(db, personId, 'sign-out', {});

/** A program has got tokens of a person; `address` is that of the program. */
const recordDeviceSignIn = (db: Db, personId: string, address: string | undefined) =>
  recordOwn(db, personId, 'sign-in', { after: { method: 'device code' }, address });

async function recordOwn(
  db: Db,
  personId: string | undefined,
  verb: 'sign-in' | 'sign-out',
  more: { after?: object; address?: string | undefined },
): Promise<void> {
  if (personId === undefined || !isGuid(personId)) return;
  const [person] = await db.query<{ user_name: string }>({ text: 'select user_name from person where person_id = $1', values: [personId] });
  await recordAboutPerson(db, personId, {
    actor: { kind: 'person', id: personId, name: person?.user_name ?? personId },
    verb,
    entity: 'people',
    entityId: personId,
    correlationId: crypto.randomUUID(),
    ...more,
  });
}
