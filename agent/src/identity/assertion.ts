import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { importJWK } from 'jose/key/import';
import { nextKeyClaim } from '@cloudfit/contract/agent/identity.ts';
import { publicHalf, type Identity, type AgentPrivateKey } from './identity-file.ts';

/** The lifetime of an assertion in seconds. Short, because an assertion is sent as soon as it is signed. */
const lifetimeSeconds = 60;

/** Signs an assertion (RFC 7523) that proves to the server who this agent is. `nextKey`: the key that is to replace `key`. */
export async function signAssertion(
  key: AgentPrivateKey,
  { registrationId, audience }: NonNullable<Identity['enrolment']>,
  now: Date,
  nextKey?: AgentPrivateKey,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  return new SignJWT(nextKey ? { [nextKeyClaim]: { jwk: publicHalf(nextKey) } } : {})
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
    .setIssuer(registrationId)
    .setSubject(registrationId)
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetimeSeconds)
    .setJti(randomUUID())
    .sign(await importJWK(key, 'EdDSA'));
}
