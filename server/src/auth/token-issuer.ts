/** The issuer whose access tokens the server trusts: the embedded provider, or a foreign one by configuration. */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Claims } from './claims.ts';
import { openProviderHttp, unreachable } from './provider-http.ts';

export interface TokenIssuer {
  /** Exactly the `iss` of the tokens. */
  issuer: string;
  audience: string;
  algorithms: readonly string[];
  /** Expected `typ` of the token; undefined for providers that send none. */
  typ?: string;
  /** Path of the groups claim. */
  groupsClaim: string;
  keys: JWTVerifyGetKey;
  /** Registers a callback for added or removed keys, so that cached tokens are verified again. */
  onKeysChange?: (changed: () => void) => void;
  /** Whether email addresses count as verified unless the provider says otherwise. */
  trustsEmail?: boolean;
  /** Whether `sub` is the id of a person of the embedded provider. */
  embedded: boolean;
  /** Fetches claims that the access token lacks. */
  userinfo?: (accessToken: string) => Promise<Claims>;
}

export interface ForeignIssuerOptions {
  authority: string;
  audience: string;
  groupsClaim?: string;
  trustsEmail?: boolean;
  /** Default `at+jwt`; null for providers whose access tokens have no such type. */
  typ?: string | null;
  algorithms?: readonly string[];
  /** Private networks and hosts that may be called besides the authority's own host. */
  allow?: readonly string[];
}

/** Minimum milliseconds between fetches of the provider's keys, however many tokens name unknown keys. */
const keyFetchPauseMs = 1_000;

const discoverySchema = z.object({ jwks_uri: z.string(), issuer: z.string(), userinfo_endpoint: z.optional(z.string()) });

type Discovery = z.infer<typeof discoverySchema>;

/**
 * Returns the issuer for any standards-conforming provider. Nothing is fetched before the first token, so the provider
 * may start after the server.
 */
export function foreignIssuer(options: ForeignIssuerOptions): TokenIssuer {
  const authority = options.authority.replace(/\/+$/, '');
  const http = openProviderHttp(authority, options.allow);
  let discovering: Promise<Discovery> | undefined;
  const discovered = (): Promise<Discovery> =>
    (discovering ??= http
      .getJson(`${authority}/.well-known/openid-configuration`)
      .then((document) => {
        const { data } = discoverySchema.safeParse(document);
        if (!data) throw unreachable();
        // A discovery document with another issuer is refused (OpenID Connect Discovery 4.3).
        if (data.issuer !== options.authority)
          throw new ApiError(
            'Unavailable',
            `The identity provider gives ${data.issuer} as its address. Set OIDC_AUTHORITY to the same text.`,
          );
        return data;
      })
      .catch((error: unknown) => {
        discovering = undefined;
        throw error;
      }));

  let remote: ReturnType<typeof createRemoteJWKSet> | undefined;
  const keys: JWTVerifyGetKey = async (header, token) => {
    // The default interval between fetches, 30 s, would delay the first tokens with a new key that long.
    remote ??= createRemoteJWKSet(new URL((await discovered()).jwks_uri), {
      cooldownDuration: keyFetchPauseMs,
      cacheMaxAge: 600_000,
      timeoutDuration: 5_000,
      [customFetch]: (url) => http.get(url),
    });
    try {
      return await remote(header, token).catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !remote?.coolingDown) throw error;
        // The key may be newer than the keys that were fetched a moment ago; after a refusal the person would have to
        // sign in again.
        await setTimeout(keyFetchPauseMs + 10);
        return remote(header, token);
      });
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      // The provider is down: using its last keys is better than locking everybody out.
      const last = remote.jwks();
      if (!last) throw unreachable();
      return createLocalJWKSet(last)(header, token);
    }
  };

  return {
    issuer: options.authority,
    audience: options.audience,
    algorithms: options.algorithms ?? ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'],
    ...(options.typ === null ? {} : { typ: options.typ ?? 'at+jwt' }),
    groupsClaim: options.groupsClaim ?? 'groups',
    trustsEmail: options.trustsEmail ?? false,
    keys,
    embedded: false,
    userinfo: async (accessToken) => {
      const { userinfo_endpoint: url } = await discovered();
      return url ? http.getJson(url, { authorization: `Bearer ${accessToken}` }) : {};
    },
  };
}
