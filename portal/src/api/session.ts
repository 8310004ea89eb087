/** The session: the stored OpenID Connect user, its renewal, signing in and out. No screens here. */
import type { User, UserManager } from 'oidc-client-ts';
import { useSyncExternalStore } from 'react';
import { pushEndpoint, unsubscribeHere } from './push.ts';
import { requestedUrl } from './request-url.ts';

export type SessionState = 'loading' | 'signed-in' | 'signed-out' | 'redirecting' | 'signing-in' | 'signing-out';

interface PortalSession {
  state: SessionState;
  problem?: 'failed' | 'no-provider' | 'ended' | 'expired';
}

interface ClientConfig {
  authority: string;
  clientId: string;
  lifetime?: number;
  scope?: string;
  extraQueryParams?: Record<string, string>;
  loadUserInfo?: boolean;
}

interface OidcUser {
  access_token: string;
  expires_at?: number;
}

const prefix = 'oidc.user:';
const renewSeconds = 60;
const revokeMs = 5_000;
const configMs = 15_000;

let session: PortalSession = { state: 'loading' };
let manager: Promise<UserManager> | undefined;
let renewal: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function change(next: PortalSession) {
  session = next;
  if (next.state === 'signed-in') planRenewal();
  for (const listener of listeners) listener();
}

/** `oidc.user:{authority}:{clientId}`: the library's storage key (AUTH-018). */
function storedKey(): string | undefined {
  return Object.keys(localStorage).find((key) => key.startsWith(prefix));
}

/** The page on which people change their sign-in methods; only the embedded provider has one. */
export function accountAddress(): string | undefined {
  const isOwnProvider = storedKey()?.startsWith(`${prefix}${window.location.origin}/idp:`);
  return isOwnProvider ? '/idp/account' : undefined;
}

function storedUser(): OidcUser | undefined {
  const key = storedKey();
  const raw = key ? localStorage.getItem(key) : null;
  if (!raw) return undefined;
  try {
    return JSON.parse(raw) as OidcUser;
  } catch {
    return undefined;
  }
}

function isFresh(user: OidcUser | undefined): user is OidcUser {
  return user !== undefined && (user.expires_at ?? 0) > Date.now() / 1_000 + 5;
}

async function makeManager(): Promise<UserManager> {
  const [oidc, config] = await Promise.all([
    import('oidc-client-ts'),
    fetch('/api/generalLookup/oidcclientconfig', { signal: AbortSignal.timeout(configMs) }).then((answer) => {
      if (!answer.ok) throw new Error(`The sign-in configuration answered ${answer.status}.`);
      return answer.json() as Promise<ClientConfig>;
    }),
  ]);
  const origin = window.location.origin;
  const created = new oidc.UserManager({
    authority: config.authority,
    client_id: config.clientId,
    redirect_uri: `${origin}/user/callback`,
    silent_redirect_uri: `${origin}/user/silent`,
    post_logout_redirect_uri: `${origin}/user/login`,
    response_type: 'code',
    scope: config.scope ?? 'openid profile email',
    loadUserInfo: config.loadUserInfo ?? false,
    automaticSilentRenew: false,
    includeIdTokenInSilentRenew: true,
    userStore: new oidc.WebStorageStateStore({ store: localStorage }),
    stateStore: new oidc.WebStorageStateStore({ store: localStorage }),
    ...(config.extraQueryParams ? { extraQueryParams: config.extraQueryParams } : {}),
  });
  // Removes users that are stored for another provider or client.
  const key = `${prefix}${config.authority}:${config.clientId}`;
  for (const other of Object.keys(localStorage).filter((k) => k.startsWith(prefix) && k !== key)) localStorage.removeItem(other);
  return created;
}

function provider(): Promise<UserManager> {
  manager ??= makeManager().catch((error: unknown) => {
    manager = undefined;
    throw error;
  });
  return manager;
}

/** Renews the token, one tab at a time; a tab that waited for the lock uses the new token from the storage. */
export async function renew(): Promise<boolean> {
  const before = storedUser()?.access_token;
  if (before === undefined) return false;
  const attempt = async () => {
    const now = storedUser();
    if (now && now.access_token !== before && isFresh(now)) return true;
    try {
      const renewed: User | null = await (await provider()).signinSilent({ nonce: crypto.randomUUID() });
      return renewed !== null;
    } catch (error) {
      // Also when the server does not answer: the next call renews again.
      console.warn('The sign-in could not be renewed.', error);
      return false;
    }
  };
  return navigator.locks ? navigator.locks.request('cloudfit.renew', attempt) : attempt();
}

/** Schedules the renewal shortly before the token expires; the OpenID Connect library loads only then. */
function planRenewal() {
  clearTimeout(renewal);
  const expires = storedUser()?.expires_at;
  if (expires === undefined) return;
  const wait = Math.max(1_000, expires * 1_000 - Date.now() - renewSeconds * 1_000);
  renewal = setTimeout(() => {
    void renew().then((renewed) => {
      if (renewed) planRenewal();
    });
  }, wait);
}

/** The bearer token for the next call; an expired token is renewed first. */
export async function accessToken(): Promise<string | undefined> {
  const user = storedUser();
  if (isFresh(user)) return user.access_token;
  if (user && (await renew())) return storedUser()?.access_token;
  return undefined;
}

/** The token in the storage, perhaps expired. */
export const storedToken = (): string | undefined => storedUser()?.access_token;

/** Whether the storage has a valid token for calls, also before the session has started. */
export const hasToken = (): boolean => isFresh(storedUser());

window.addEventListener('storage', (event) => {
  if (!event.key?.startsWith(prefix)) return;
  // Somebody signed in in another tab, perhaps another person: cached data must not be shown to them.
  if (session.state === 'signed-out' && event.newValue !== null) window.location.reload();
  if (session.state !== 'signed-in') return;
  if (event.newValue === null) change({ state: 'signed-out', problem: 'ended' });
  else planRenewal();
});

/** Starts the session from the stored user; with a valid token, the page does not wait for the provider. */
export async function startSession(): Promise<void> {
  if (isFresh(storedUser())) {
    change({ state: 'signed-in' });
    return;
  }
  try {
    await provider();
    // While `provider()` loaded, the callback page may have begun to handle the provider's redirect.
    if (session.state !== 'loading') return;
    const stored = storedUser();
    if (isFresh(stored)) change({ state: 'signed-in' });
    else change({ state: stored && (await renew()) ? 'signed-in' : 'signed-out' });
  } catch (error) {
    console.error('The sign-in configuration could not be read.', error);
    change({ state: 'signed-out', problem: 'no-provider' });
  }
}

export async function signIn(requestUrl: string): Promise<void> {
  change({ state: 'redirecting' });
  try {
    await (await provider()).signinRedirect({ state: { requestUrl }, nonce: crypto.randomUUID() });
  } catch (error) {
    console.error('The sign-in could not be started.', error);
    change({ state: 'signed-out', problem: 'no-provider' });
  }
}

/** Completes the redirect from the provider; returns the address to open: the one requested before it, or the login page after an error. */
export async function finishSignIn(): Promise<string> {
  change({ state: 'signing-in' });
  try {
    const user = await (await provider()).signinRedirectCallback();
    change({ state: 'signed-in' });
    return requestedUrl((user.state as { requestUrl?: string } | undefined)?.requestUrl);
  } catch (error) {
    console.error('The sign-in did not complete.', error);
    change({ state: 'signed-out', problem: 'failed' });
    return '/user/login';
  }
}

/** Has our server revoke the token, and ends the push subscription of this browser. */
async function endHere(token: string): Promise<void> {
  const endpoint = await pushEndpoint().catch(() => undefined);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch('/v1/signOut', { method: 'POST', headers, body: JSON.stringify(endpoint === undefined ? {} : { pushEndpoint: endpoint }) });
  if (endpoint !== undefined) await unsubscribeHere();
}

/**
 * Revokes the token, deletes the stored user, then signs out at the provider. A provider that fails or hangs does not
 * prevent the sign-out.
 */
export async function signOut(): Promise<void> {
  change({ state: 'signing-out' });
  try {
    const identityProvider = await provider();
    const user = await identityProvider.getUser();
    // Our server revokes the token too: at a provider without revocation it would stay valid for minutes.
    const ended = [identityProvider.revokeTokens(['access_token', 'refresh_token']), user ? endHere(user.access_token) : Promise.resolve()];
    await Promise.race([
      Promise.allSettled(ended),
      new Promise((resolve) => {
        setTimeout(resolve, revokeMs);
      }),
    ]);
    await identityProvider.removeUser();
    await identityProvider.signoutRedirect(user?.id_token ? { id_token_hint: user.id_token } : {});
  } catch (error) {
    console.error('The provider did not end its session.', error);
    const key = storedKey();
    if (key) localStorage.removeItem(key);
    change({ state: 'signed-out' });
  }
}

/** Ends the session after the server has refused the token. */
export function sessionRefused() {
  if (session.state !== 'signed-in') return;
  const key = storedKey();
  if (key) localStorage.removeItem(key);
  change({ state: 'signed-out', problem: 'expired' });
}

export const isSignedIn = (): boolean => session.state === 'signed-in';

export function useSession(): PortalSession {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}
