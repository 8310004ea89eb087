/** Signs a person in with a device code (RFC 8628): they confirm in a browser, on any machine, a code that the program shows. */
import { CallFailed, reasonOf, wait, type TokenSupplier } from './send.ts';

/** A sign-in that goes on: what a program stores to act for the person again. Keep it like a password. */
export interface StoredSignIn {
  server: string;
  clientId: string;
  tokenEndpoint: string;
  accessToken: string;
  /** When the access token ends, in milliseconds since 1970. */
  expiresAt: number;
  /** Absent where the provider gives none; then the sign-in ends with its access token. */
  refreshToken?: string | undefined;
}

/** What the person has to be told: open the address and enter the code, within `seconds`. */
export interface DeviceCode {
  address: string;
  code: string;
  seconds: number;
}

interface DeviceSignInOptions {
  server: string;
  /** Shows the code to the person. */
  tell: (code: DeviceCode) => void;
  signal?: AbortSignal | undefined;
  fetch?: typeof globalThis.fetch | undefined;
}

/** A sign-in that did not succeed, or is over. The message is for the person. */
export class SignInFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SignInFailed';
  }
}

interface TokenAnswer {
  access_token?: string;
  expires_in?: number;
  refresh_token?: string;
  error?: string;
  error_description?: string;
}

interface SignInConfig {
  authority: string;
  scope: string;
  deviceClientId?: string;
}

interface ProviderDocument {
  token_endpoint?: string;
  device_authorization_endpoint?: string;
  issuer?: string;
}

interface DeviceAnswer {
  device_code?: string;
  user_code?: string;
  verification_uri?: string;
  expires_in?: number;
  interval?: number;
  error_description?: string;
}

/** How many seconds before its end an access token is renewed, for clocks that differ and slow calls. */
const earlySeconds = 30;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

async function jsonOf<T>(answer: Promise<Response>, what: string): Promise<T> {
  const got = await answer.catch((error: unknown) => {
    throw new CallFailed(0, `${what} does not answer: ${reasonOf(error)}`);
  });
  const body = await got.json().catch(() => {
    throw new SignInFailed(`${what} answered ${got.status} without JSON. Is the address right?`);
  });
  return body;
}

const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

/** Signs a person in: tells a code, waits until they have confirmed it, and returns what is to be stored. Throws `SignInFailed`,
 * and `CallFailed` with status 0 without an answer. */
export async function signInByDevice({ server, tell, signal, fetch = globalThis.fetch }: DeviceSignInOptions): Promise<StoredSignIn> {
  const config = await jsonOf<SignInConfig>(fetch(new URL('/api/generalLookup/oidcclientconfig', server)), server);
  const { authority, scope, deviceClientId: clientId } = config;
  if (authority === undefined) throw new SignInFailed(`${server} is no server of CloudFit.`);
  if (clientId === undefined)
    throw new SignInFailed(
      "This server's identity provider has no sign-in by a code. Use a token of the page Tokens, or ask an administrator for OIDC_DEVICE_CLIENT_ID.",
    );
  const provider = await jsonOf<ProviderDocument>(fetch(`${authority.replace(/\/$/, '')}/.well-known/openid-configuration`), authority);
  const { device_authorization_endpoint: endpoint, token_endpoint: tokenEndpoint } = provider;
  if (endpoint === undefined || tokenEndpoint === undefined)
    throw new SignInFailed(`The identity provider ${authority} has no sign-in by a code.`);
  const scopes = [...new Set([...scope.split(' '), 'offline_access'])].join(' ');
  const begun = await jsonOf<DeviceAnswer>(fetch(endpoint, form({ client_id: clientId, scope: scopes })), authority);
  const { device_code: deviceCode, user_code: code, verification_uri: address, expires_in: seconds = 600 } = begun;
  if (deviceCode === undefined || code === undefined || address === undefined)
    throw new SignInFailed(begun.error_description ?? `The identity provider ${authority} gives no code.`);
  tell({ address, code, seconds });
  const endsAt = Date.now() + seconds * 1_000;
  let pauseSeconds = begun.interval ?? 5;
  while (Date.now() < endsAt) {
    await wait(pauseSeconds * 1_000, signal);
    const fields = { grant_type: deviceGrant, client_id: clientId, device_code: deviceCode };
    // A lost answer is not the end: the next one tells.
    const answer = await jsonOf<TokenAnswer>(fetch(tokenEndpoint, form(fields)), authority).catch(
      () => ({ error: 'authorization_pending' }) satisfies TokenAnswer,
    );
    const tokens = storedFrom(answer, { server, clientId, tokenEndpoint });
    if (tokens) return tokens;
    if (answer.error === 'slow_down') pauseSeconds += 5;
    else if (answer.error === 'access_denied') throw new SignInFailed('The sign-in was refused in the browser.');
    else if (answer.error === 'expired_token') break;
    else if (answer.error !== 'authorization_pending')
      throw new SignInFailed(describedIn(answer) ?? `The identity provider ${authority} gives no token.`);
  }
  throw new SignInFailed('The code was not confirmed in time. Please begin again.');
}

const describedIn = (answer: TokenAnswer): string | undefined => answer.error_description ?? answer.error;

function storedFrom(answer: TokenAnswer, of: Pick<StoredSignIn, 'server' | 'clientId' | 'tokenEndpoint'>): StoredSignIn | undefined {
  const { access_token: accessToken, expires_in: seconds = 300, refresh_token: refreshToken } = answer;
  if (accessToken === undefined) return undefined;
  return { ...of, accessToken, expiresAt: Date.now() + seconds * 1_000, ...(refreshToken === undefined ? {} : { refreshToken }) };
}

/**
 * Returns what gives a client the tokens of a stored sign-in. They are renewed shortly before they end, and after a refusal;
 * `store` gets each new one.
 */
export function tokensOf(
  stored: StoredSignIn,
  { store, fetch = globalThis.fetch }: { store?: (renewed: StoredSignIn) => void | Promise<void>; fetch?: typeof globalThis.fetch } = {},
): TokenSupplier {
  let current = stored;
  let renewing: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const { refreshToken, clientId, tokenEndpoint, server } = current;
    const over = new SignInFailed('Your sign-in is over. Please sign in again: cloudfit login');
    if (refreshToken === undefined) throw over;
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
    const answer = await jsonOf<TokenAnswer>(fetch(tokenEndpoint, form(fields)), tokenEndpoint);
    const renewed = storedFrom(answer, { server, clientId, tokenEndpoint });
    if (!renewed) throw over;
    current = { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken };
    await store?.(current);
    return current.accessToken;
  }

  return (refused) => {
    const isFresh = Date.now() < current.expiresAt - earlySeconds * 1_000;
    if (isFresh && refused !== current.accessToken) return Promise.resolve(current.accessToken);
    return (renewing ??= renew().finally(() => (renewing = undefined)));
  };
}
