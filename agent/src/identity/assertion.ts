import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { nextKeyClaim } from '@cloudfit/contract/agent/identity.ts';
import { publicHalf, type Identity, type AgentPrivateKey } from './identity-file.ts';

/** Short, because an assertion is sent as soon as it is signed. */
const lifetimeSeconds = 60;

/** Proves to the server who this agent is (RFC 7523). `nextKey`: the key that is to replace the one that signs. */
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
