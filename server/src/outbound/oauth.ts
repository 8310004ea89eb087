/** Gets access tokens of OAuth 2.0 with the credentials of a client, or with the refresh token of a person (RFC 6749, sections 4.4 and 6). */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { openOutboundHttp } from './http.ts';

export interface OAuthClient {
  tokenAddress: string;
  clientId: string;
  scope: string | null;
  secret: string;
  /** Of a person who has agreed; without it the client acts by itself. */
  refreshToken?: string;
}

interface AccessToken {
  accessToken: string;
  /** The refresh token that replaces the one before, where the provider gives another. */
  refreshToken?: string;
  /** For how long it is valid; undefined if the provider does not say. */
  seconds?: number;
}

/** Why there is no token, for whoever set the client up. */
export class OAuthFailed extends Error {}

const granted = z.object({
  access_token: z.string().min(1),
  token_type: z.string().optional(),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().positive().optional(),
});
const refused = z.object({ error: z.string(), error_description: z.string().optional() });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a new access token. Throws `OAuthFailed`. */
export type GetAccessToken = (client: OAuthClient) => Promise<AccessToken>;

/** Tokens of some providers have several KB. */
const longestAnswer = 65_536;

export function accessTokens({ allow }: { allow: readonly string[] }): GetAccessToken {
  const http = openOutboundHttp({ allow, keepBytes: longestAnswer, totalMs: 15_000 });
  return async ({ tokenAddress, clientId, scope, secret, refreshToken }) => {
    const { host } = new URL(tokenAddress);
    const grant =
      refreshToken === undefined ? { grant_type: 'client_credentials' } : { grant_type: 'refresh_token', refresh_token: refreshToken };
    const form = { ...grant, client_id: clientId, client_secret: secret, ...(scope ? { scope } : {}) };
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const body = new URLSearchParams(form).toString();
    const answer = await http
      .send({ url: tokenAddress, method: 'POST', headers, body, messageId: randomUUID(), confined: true })
      .catch((error: unknown) => {
        throw new OAuthFailed(`${host} gives no token: ${messageOf(error)}`);
      });
    const json = parsed(answer.body);
    const { data: token } = granted.safeParse(json);
    if (answer.status < 300 && token) {
      const { access_token: accessToken, refresh_token: next, expires_in: seconds } = token;
      return {
        accessToken,
        ...(next === undefined || next === refreshToken ? {} : { refreshToken: next }),
        ...(seconds ? { seconds } : {}),
      };
    }
    const { data: refusal } = refused.safeParse(json);
    const why = refusal
      ? `${refusal.error}${refusal.error_description ? `: ${refusal.error_description}` : ''}`
      : `it answered ${answer.status}`;
    throw new OAuthFailed(`${host} gives no token: ${why}`.replaceAll(/\s+/g, ' ').slice(0, 500));
  };
}
