/** Sign-in at the OpenID provider of a directory: code flow with PKCE as a confidential client. Nothing of one directory is valid for another. */
import { randomUUID } from 'node:crypto';
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { openOutboundHttp } from '../../outbound/http.ts';
import type { Claims } from '../claims.ts';
import type { OpenDirectory } from './open-directory.ts';

/** What a sign-in remembers until the person is back from the provider. */
export interface PendingSignIn {
  directoryId: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** What is wrong with an ID token, where a person can do something about it. */
export type TokenFault = 'clock' | 'audience' | 'issuer' | 'nonce' | 'signature';

/** A sign-in or a try that the provider makes impossible; the message is for whoever set the directory up. */
export class ProviderFailed extends Error {
  readonly fault: TokenFault | undefined;

  constructor(message: string, options: ErrorOptions & { fault?: TokenFault | undefined } = {}) {
    super(message, options);
    this.fault = options.fault;
  }
}

const faultOfClaim: Readonly<Record<string, TokenFault>> = {
  exp: 'clock',
  nbf: 'clock',
  iat: 'clock',
  aud: 'audience',
  azp: 'audience',
  iss: 'issuer',
  nonce: 'nonce',
};

/** The library wraps its errors; the innermost cause names the claim. */
function faultOf(error: unknown): TokenFault | undefined {
  let isSignature = false;
  for (let each: unknown = error, depth = 0; typeof each === 'object' && each !== null && depth < 5; depth += 1) {
    const { claim, code, message = '', cause } = each as { claim?: unknown; code?: unknown; message?: string; cause?: unknown };
    if (typeof claim === 'string' && faultOfClaim[claim]) return faultOfClaim[claim];
    isSignature ||= code === 'OAUTH_KEY_SELECTION_FAILED' || /signature|"alg"/.test(message);
    each = cause;
  }
  return isSignature ? 'signature' : undefined;
}

const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS384', 'RS512', 'PS384', 'PS512'];
const keepBytes = 1_048_576;
const totalMs = 8_000;

// Most installations have no such directory, so the library is loaded at the first use.
const library = () => import('openid-client');

/** Calls of providers, within the rules of outbound calls. */
function providerFetch(allow: readonly string[]): CustomFetch {
  const http = openOutboundHttp({ allow, keepBytes, totalMs });
  return async (url, { method, headers, body }) => {
    const sent = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined;
    const answer = await http.send({
      url,
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
      messageId: randomUUID(),
      confined: true,
    });
    if (answer.truncated) throw new ProviderFailed(`${url} answered more than ${keepBytes} bytes.`);
    return new Response([204, 304].includes(answer.status) ? null : answer.body, {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  };
}

type Provider = Pick<OpenDirectory, 'directoryId' | 'issuer' | 'clientId' | 'scope'>;

export interface DirectoryProviders {
  /** The address at the provider, and what to remember. `uid` finds the sign-in again. */
  begin(directory: Provider, secret: string, uid: string): Promise<{ url: string; pending: PendingSignIn }>;
  /** The claims of the person whom the provider has sent back with this query. */
  finish(directory: Provider, secret: string, pending: PendingSignIn, query: URLSearchParams): Promise<Claims>;
  /** Reads discovery document and keys; returns what was found, or throws `ProviderFailed`. */
  attempt(directory: Provider): Promise<string>;
}

/** How long a discovery document is believed. */
const freshMs = 600_000;

export function directoryProviders({ publicUrl, allow }: { publicUrl: string; allow: readonly string[] }): DirectoryProviders {
  const redirectUri = `${publicUrl}/idp/directory/callback`;
  const fetching = providerFetch(allow);
  const discovered = new Map<string, { at: number; metadata: Promise<Record<string, unknown>> }>();

  async function read(issuer: string): Promise<Record<string, unknown>> {
    const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
    const response = await fetching(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
      body: undefined,
      redirect: 'manual',
    }).catch((error: unknown) => {
      throw new ProviderFailed(`${url} cannot be read: ${messageOf(error)}`);
    });
    if (!response.ok) throw new ProviderFailed(`${url} answers ${response.status}. Please check the issuer.`);
    const document: unknown = await response.json().catch(() => undefined);
    if (typeof document !== 'object' || document === null) throw new ProviderFailed(`${url} has no JSON document.`);
    const metadata = document as Record<string, unknown>;
    if (metadata['issuer'] !== issuer)
      throw new ProviderFailed(`The provider names itself ${String(metadata['issuer'])}. Please enter the issuer exactly so.`);
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
      if (typeof metadata[name] !== 'string') throw new ProviderFailed(`The discovery document has no ${name}.`);
    // What a plain address says could be changed on its way.
    if (issuer.startsWith('https:'))
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])
        if (typeof metadata[name] === 'string' && !metadata[name].startsWith('https:'))
          throw new ProviderFailed(`The ${name} of the provider is not encrypted.`);
    return metadata;
  }

  function metadataOf(issuer: string): Promise<Record<string, unknown>> {
    const stored = discovered.get(issuer);
    if (stored && Date.now() - stored.at < freshMs) return stored.metadata;
    const metadata = read(issuer);
    discovered.set(issuer, { at: Date.now(), metadata });
    metadata.catch(() => discovered.delete(issuer));
    return metadata;
  }

  async function configured({ issuer, clientId }: Provider, secret: string): Promise<Configuration> {
    if (!issuer || !clientId) throw new ProviderFailed('The directory has no issuer, or no client ID.');
    const oidc = await library();
    const metadata = await metadataOf(issuer);
    const supported = metadata['token_endpoint_auth_methods_supported'];
    const isPost = Array.isArray(supported) && !supported.includes('client_secret_basic') && supported.includes('client_secret_post');
    const configuration = new oidc.Configuration(
      // The algorithms are ours, whatever the document offers: `none` and those with a shared secret are never taken.
      { ...(metadata as ServerMetadata), issuer, id_token_signing_alg_values_supported: algorithms },
      clientId,
      { client_secret: secret },
      isPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret),
    );
    configuration[oidc.customFetch] = fetching;
    configuration.timeout = totalMs / 1_000;
    // The signature of the ID token is checked, although it comes directly from the provider.
    oidc.enableNonRepudiationChecks(configuration);
    // Only the portal's check of the issuer lets such an address through: that of this machine.
    if (issuer.startsWith('http:')) oidc.allowInsecureRequests(configuration);
    return configuration;
  }

  return {
    begin: async (directory, secret, uid) => {
      const oidc = await library();
      const configuration = await configured(directory, secret);
      const pending = {
        directoryId: directory.directoryId,
        state: `${uid}.${oidc.randomState()}`,
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: directory.scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, pending };
    },
    finish: async (directory, secret, pending, query) => {
      const oidc = await library();
      const configuration = await configured(directory, secret);
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          pkceCodeVerifier: pending.verifier,
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new ProviderFailed('The provider has sent no ID token.');
        const complete = ['email', 'name'].every((name) => name in claims);
        const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
        const more =
          complete || !userinfo ? {} : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(() => ({}));
        return { ...more, ...claims };
      } catch (error) {
        if (error instanceof ProviderFailed) throw error;
        const {
          cause,
          error: code,
          error_description: description,
        } = error as { cause?: unknown; error?: string; error_description?: string };
        throw new ProviderFailed(description ?? code ?? messageOf(cause instanceof Error ? cause : error), {
          cause: error,
          fault: faultOf(error),
        });
      }
    },
    attempt: async ({ issuer }) => {
      if (!issuer) throw new ProviderFailed('The directory has no issuer.');
      discovered.delete(issuer);
      const metadata = await metadataOf(issuer);
      const url = String(metadata['jwks_uri']);
      const response = await fetching(url, {
        method: 'GET',
        headers: { accept: 'application/json' },
        body: undefined,
        redirect: 'manual',
      }).catch((error: unknown) => {
        throw new ProviderFailed(`The keys at ${url} cannot be read: ${messageOf(error)}`);
      });
      const keys: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
      const list = typeof keys === 'object' && keys !== null && 'keys' in keys && Array.isArray(keys.keys) ? keys.keys : [];
      if (list.length === 0) throw new ProviderFailed(`There are no keys at ${url}.`);
      return `The provider answers, with ${list.length === 1 ? '1 key' : `${list.length} keys`}. Register ${redirectUri} there as redirect address.`;
    },
  };
}
