/** What an agent signs with its key to prove who it is (RFC 7523). */
import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { importJWK } from 'jose/key/import';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { agentTokenPath } from '@cloudfit/contract/agent/identity.ts';

/** The longest lifetime that an assertion may claim. */
const maxSeconds = 300;
const toleranceSeconds = 30;

/** Why an assertion is not accepted, in words for the log of the agent. */
export class AssertionError extends Error {
  override name = 'AssertionError';
}

/** The assertion was signed by another key than the machine's present one, perhaps by a replaced key. */
export class WrongKeyError extends AssertionError {
  override name = 'WrongKeyError';
}

export interface EnrolledMachine {
  registrationId: string;
  /** Base64url of the Ed25519 key. */
  publicKey: string;
  audience: string;
}

export function audienceOf(publicUrl: string): string {
  return publicUrl + agentTokenPath;
}

/** Returns the id of the machine that an assertion names, without verifying the assertion. */
export function namedMachine(assertion: string): string {
  try {
    const { iss } = decodeJwt(assertion);
    if (iss && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(iss)) return iss;
  } catch {
    // The text is not a JWT.
  }
  throw new AssertionError('The assertion is not a JWT whose iss is the id of a machine.');
}

/** Returns the claims of an assertion of this machine; throws if anything about the assertion is wrong. */
export async function verifyAssertion(
  assertion: string,
  machine: EnrolledMachine,
  now: Date,
): Promise<JWTPayload & { jti: string; exp: number }> {
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: machine.publicKey }, 'EdDSA');
  try {
    const { payload } = await jwtVerify(assertion, key, {
      algorithms: ['EdDSA', 'Ed25519'],
      issuer: machine.registrationId,
      subject: machine.registrationId,
      audience: machine.audience,
      requiredClaims: ['jti', 'exp'],
      clockTolerance: toleranceSeconds,
      currentDate: now,
    });
    const { jti = '', exp = 0 } = payload;
    if (exp - now.getTime() / 1_000 > maxSeconds + toleranceSeconds)
      throw new AssertionError(`The assertion is good for too long, or the clock of the machine is ahead: at most ${maxSeconds} s.`);
    if (typeof jti !== 'string' || jti.length < 16 || jti.length > 200)
      throw new AssertionError('The jti of the assertion has 16 to 200 characters.');
    return { ...payload, jti, exp };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new AssertionError('The assertion has expired, or the clock of the machine is behind.');
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new WrongKeyError('The assertion is not signed by the key of this machine.');
    if (error instanceof errors.JOSEError) throw new AssertionError(`The assertion is not valid: ${messageOf(error)}.`);
    throw error;
  }
}
