/** Calls a foreign identity provider: guarded like every outbound call, except that its own host may be private. */
import { randomUUID } from 'node:crypto';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { openOutboundHttp } from '../outbound/http.ts';

export interface ProviderHttp {
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Returns the JSON object at the address, or throws 503. */
  getJson(url: string, headers?: Readonly<Record<string, string>>): Promise<Record<string, unknown>>;
}

const totalMs = 5_000;
const keepBytes = 1_048_576;
/**
 * Returns the error when the provider cannot be called. There is no circuit breaker: an open circuit would block every
 * sign-in.
 */
export const unreachable = (): ApiError =>
  new ApiError('Unavailable', 'The identity provider cannot be reached just now. Please try again.');

/**
 * The host of `authority` may be private, because the operator configures it. Addresses in the provider's documents
 * must pass the same rules as the address of an action.
 */
export function openProviderHttp(authority: string, allow: readonly string[] = []): ProviderHttp {
  const { hostname, protocol } = new URL(authority);
  const http = openOutboundHttp({ allow: [hostname.replace(/^\[|\]$/g, ''), ...allow], totalMs, keepBytes });

  async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    if (protocol === 'https:' && !url.startsWith('https:')) throw new Error(`${url} is not encrypted, though the provider is.`);
    const call = { url, method: 'GET', headers: { accept: 'application/json', ...headers }, messageId: randomUUID() };
    const { status, body, truncated } = await http.send(call);
    if (truncated) throw new Error(`${url} answered more than ${keepBytes} bytes.`);
    return new Response(body, { status, headers: { 'content-type': 'application/json' } });
  }

  return {
    get,
    getJson: async (url, headers) => {
      try {
        const response = await get(url, headers);
        if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
        const body: unknown = await response.json();
        if (typeof body !== 'object' || body === null) throw new Error(`${url} answered no object.`);
        return body as Record<string, unknown>;
      } catch (error) {
        throw Object.assign(unreachable(), { cause: error });
      }
    },
  };
}
