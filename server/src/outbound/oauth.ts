/** Gets access tokens with the client credentials of OAuth 2.0 (RFC 6749, section 4.4). */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { openOutboundHttp } from './http.ts';

export interface OAuthClient {
  tokenAddress: string;
  clientId: string;
  scope: string | null;
  secret: string;
}

/** Why there is no token, for whoever set the client up. */
export class OAuthFailed extends Error {}

const granted = z.object({ access_token: z.string().min(1), token_type: z.string().optional() });
const refused = z.object({ error: z.string(), error_description: z.string().optional() });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a new access token. Throws `OAuthFailed`. */
export type GetAccessToken = (client: OAuthClient) => Promise<string>;

/** Tokens of some providers have several KB. */
const longestAnswer = 65_536;

export function accessTokens({ allow }: { allow: readonly string[] }): GetAccessToken {
  const http = openOutboundHttp({ allow, keepBytes: longestAnswer, totalMs: 15_000 });
  return async ({ tokenAddress, clientId, scope, secret }) => {
    const { host } = new URL(tokenAddress);
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret, ...(scope ? { scope } : {}) };
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const body = new URLSearchParams(form).toString();
    const answer = await http
      .send({ url: tokenAddress, method: 'POST', headers, body, messageId: randomUUID(), confined: true })
      .catch((error: unknown) => {
        throw new OAuthFailed(`${host} gives no token: ${messageOf(error)}`);
      });
    const json = parsed(answer.body);
    const { data: token } = granted.safeParse(json);
    if (answer.status < 300 && token) return token.access_token;
    const { data: refusal } = refused.safeParse(json);
    const why = refusal
      ? `${refusal.error}${refusal.error_description ? `: ${refusal.error_description}` : ''}`
      : `it answered ${answer.status}`;
    throw new OAuthFailed(`${host} gives no token: ${why}`.replaceAll(/\s+/g, ' ').slice(0, 500));
  };
}
