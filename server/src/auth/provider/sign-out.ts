/** Makes sign-out final: what the identity provider ends, the API refuses at once. */
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Db } from '../../db/connection.ts';
import { recordAudit } from '../audit-entry.ts';
import { isGuid } from '../guid.ts';
import { revokeToken } from '../revoked-tokens.ts';
import { endSession } from '../sessions.ts';
import { signingAlgorithm } from './keys.ts';

export interface SignOut {
  db: Db;
  issuer: string;
  jwks: JSONWebKeySet;
}

/** Runs after the provider has answered a request. */
export async function afterAnswer(
  { db, issuer, jwks }: SignOut,
  { route, session, params, client }: KoaContextWithOIDC['oidc'],
  answer: { status: number; body: unknown },
): Promise<void> {
  if (route === 'end_session_confirm' && session && 'destroyed' in session && session.destroyed === true) {
    await endSession(db, session.uid);
    await recordSignOut(db, session.accountId);
  }
  if (route !== 'revocation' || !client) return;
  const token = params?.['token'];
  if (typeof token === 'string' && answer.status === 400 && token.split('.').length === 3) {
    // The provider knows nothing of tokens that it has not stored, and browsers' OIDC clients stop signing out on its refusal.
    await revokeOwn(token);
    answer.status = 200;
  }
  // For the same clients an answer that is not JSON is a failure.
  if (answer.status === 200) answer.body = {};

  async function revokeOwn(jwt: string): Promise<void> {
    const verified = await jwtVerify(jwt, createLocalJWKSet(jwks), { issuer, algorithms: [signingAlgorithm] }).catch(() => undefined);
    if (!verified || verified.payload['client_id'] !== client?.clientId) return;
    const { jti, exp } = verified.payload;
    if (jti !== undefined && exp !== undefined) await revokeToken(db, jti, new Date(exp * 1000));
  }
}

async function recordSignOut(db: Db, personId: string | undefined): Promise<void> {
  if (personId === undefined || !isGuid(personId)) return;
  const [person] = await db.query<{ user_name: string }>({ text: 'select user_name from person where person_id = $1', values: [personId] });
  await recordAudit(db, {
    actor: { kind: 'person', id: personId, name: person?.user_name ?? personId },
    verb: 'sign-out',
    entity: 'people',
    entityId: personId,
    correlationId: crypto.randomUUID(),
  });
}
