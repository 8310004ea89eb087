/** The identity of an agent: its key, and the sign-in with this key (RFC 7523). */
import { z } from 'zod';
import { uninstallOrder } from './uninstall.ts';

/** A public Ed25519 key as a JWK (RFC 8037). */
export const agentPublicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'A public key of Ed25519 has 32 bytes in base64url.'),
});
export type AgentPublicKey = z.infer<typeof agentPublicKey>;

export const agentTokenPath = '/v1/agent/token';
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** The claim of an assertion that carries the next key: `{ jwk }`, as in RFC 7800. */
export const nextKeyClaim = 'cnf';

/** Form of `POST /v1/agent/token` (RFC 6749, 4.4 and RFC 7523, 2.2). */
export const agentTokenRequest = z.object({
  grant_type: z.literal('client_credentials', { error: 'The grant_type is client_credentials.' }),
  client_assertion_type: z.literal(assertionType, { error: `The client_assertion_type is ${assertionType}.` }),
  client_assertion: z.string({ error: 'The client_assertion is missing.' }).min(1).max(4_000),
});

export const agentTokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** The lifetime of the token in seconds. */
  expires_in: z.int(),
});

/**
 * `authorization_pending`: nobody has promoted the machine yet. `access_denied`: the device was cut off, or its tenant is
 * disabled. `invalid_client`: the server does not know the key.
 */
export const agentTokenRefusal = z.object({
  error: z.enum(['invalid_request', 'unsupported_grant_type', 'invalid_client', 'invalid_grant', 'authorization_pending', 'access_denied']),
  error_description: z.string(),
  /** With `access_denied`: the agent is to uninstall itself. */
  uninstall: z.optional(uninstallOrder),
  /** With `access_denied`: the report of the uninstallation is stored. */
  isReported: z.optional(z.boolean()),
});
export type AgentTokenRefusal = z.infer<typeof agentTokenRefusal>;

/** Body of `POST /v1/agent/key`: an assertion with the new key in the claim `cnf`, signed with the current key. */
export const replaceKeyRequest = z.object({ assertion: z.string().min(1).max(4_000) });
export const replaceKeyAnswer = z.object({ keyCreated: z.string() });
