import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { importJWK } from 'jose/key/import';
import type { Identity, AgentPrivateKey } from './identity-file.ts';

/** The lifetime of an assertion in seconds. Short, because an assertion is sent as soon as it is signed. */
const lifetimeSeconds = 60;

/** Signs an assertion (RFC 7523) that proves to the server who this agent is. `claims`: what it vouches for besides. */
export async function signAssertion(
  key: AgentPrivateKey,
  { registrationId, audience }: NonNullable<Identity['enrolment']>,
  now: Date,
  claims: Record<string, unknown> = {},
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
    .setIssuer(registrationId)
    .setSubject(registrationId)
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetimeSeconds)
    .setJti(randomUUID())
    .sign(await importJWK(key, 'EdDSA'));
}
