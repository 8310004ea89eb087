/** The session of a tab: the stored user, its renewal, signing in and out, and what other tabs do. */
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadAgain } from '../testing/load-again.ts';

const key = 'oidc.user:http://localhost/idp:portal';

const provider = vi.hoisted(() => ({
  signinSilent: vi.fn<(options: object) => Promise<object | null>>(),
  signinRedirect: vi.fn<(options: object) => Promise<void>>(),
  signinRedirectCallback: vi.fn<() => Promise<{ state?: unknown }>>(),
  getUser: vi.fn<() => Promise<{ access_token: string; id_token?: string } | null>>(),
  revokeTokens: vi.fn<(types: readonly string[]) => Promise<void>>(),
  removeUser: vi.fn<() => Promise<void>>(),
  signoutRedirect: vi.fn<(options: object) => Promise<void>>(),
}));
const managers = vi.hoisted((): object[] => []);
vi.mock('oidc-client-ts', () => ({
  UserManager: class {
    constructor(settings: object) {
      managers.push(settings);
      Object.assign(this, provider);
    }
  },
  WebStorageStateStore: class {},
}));
const push = vi.hoisted(() => ({
  pushEndpoint: vi.fn<() => Promise<string | undefined>>(),
  unsubscribeHere: vi.fn<() => Promise<void>>(),
}));
vi.mock('./push.ts', () => push);

interface SentCall {
  path: string;
  authorization: string | null;
  body: unknown;
}
let sent: SentCall[] = [];
/** The answers to the next reads of the configuration; afterwards it is that of the embedded provider. */
let configs: (() => Promise<Response>)[] = [];

beforeEach(() => {
  localStorage.clear();
  for (const call of [...Object.values(provider), ...Object.values(push)]) call.mockReset();
  provider.signinSilent.mockResolvedValue(null);
  push.pushEndpoint.mockResolvedValue(undefined);
  [managers.length, sent, configs] = [0, [], []];
  vi.stubGlobal('fetch', (input: string, init: RequestInit = {}) => {
    if (input === '/api/generalLookup/oidcclientconfig')
      return configs.shift()?.() ?? Promise.resolve(Response.json({ authority: 'http://localhost/idp', clientId: 'portal' }));
    const authorization = new Headers(init.headers).get('authorization');
    sent.push({ path: `${init.method} ${input}`, authorization, body: JSON.parse(String(init.body)) as unknown });
    return Promise.resolve(new Response());
  });
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Opens a tab. All tabs share the storage. */
async function openTab() {
  const tab = await loadAgain(() => import('./session.ts'));
  return { ...tab, shown: () => renderHook(() => tab.useSession()).result.current };
}

function store(token: string, seconds: number, at = key) {
  localStorage.setItem(at, JSON.stringify({ access_token: token, expires_at: Date.now() / 1_000 + seconds }));
}

/** Tells the tab that another one has written the user. */
function hear(newValue: string | null, at: string = key) {
  window.dispatchEvent(new StorageEvent('storage', { key: at, newValue }));
}

/** The provider renews the token, each time for ten minutes. */
function renews() {
  provider.signinSilent.mockImplementation(() => {
    store(`renewed ${provider.signinSilent.mock.calls.length}`, 600);
    return Promise.resolve({});
  });
}

describe('start', () => {
  it('is signed in at once with a valid token, and does not ask the provider', async () => {
    store('valid', 600);
    const tab = await openTab();
    expect([tab.shown(), tab.isSignedIn(), tab.hasToken(), tab.storedToken()]).toEqual([{ state: 'loading' }, false, true, 'valid']);
    await tab.startSession();
    expect([tab.shown(), tab.isSignedIn(), managers]).toEqual([{ state: 'signed-in' }, true, []]);
  });

  it('renews an expired token, and is signed out without one or when the provider refuses', async () => {
    const nobody = await openTab();
    await nobody.startSession();
    expect([nobody.shown(), provider.signinSilent.mock.calls.length]).toEqual([{ state: 'signed-out' }, 0]);

    store('expired', -1);
    provider.signinSilent.mockResolvedValueOnce(null);
    const refused = await openTab();
    await refused.startSession();
    expect([refused.shown(), refused.hasToken(), refused.storedToken()]).toEqual([{ state: 'signed-out' }, false, 'expired']);

    renews();
    const renewed = await openTab();
    await renewed.startSession();
    expect([renewed.shown(), renewed.storedToken()]).toEqual([{ state: 'signed-in' }, 'renewed 2']);
  });

  it('uses a token that another tab stored while the configuration was read', async () => {
    configs.push(() => {
      store('of another tab', 600);
      return Promise.resolve(Response.json({ authority: 'http://localhost/idp', clientId: 'portal' }));
    });
    const tab = await openTab();
    await tab.startSession();
    expect([tab.shown(), provider.signinSilent.mock.calls.length]).toEqual([{ state: 'signed-in' }, 0]);
  });

  it('leaves a sign-in alone that was completed meanwhile', async () => {
    const tab = await openTab();
    provider.signinRedirectCallback.mockReturnValue(new Promise(() => undefined));
    const start = tab.startSession();
    void tab.finishSignIn();
    await start;
    expect(tab.shown()).toEqual({ state: 'signing-in' });
  });

  it('says that there is no provider, and reads the configuration again for the next sign-in', async () => {
    configs.push(
      () => Promise.resolve(new Response('', { status: 503 })),
      () => Promise.reject(new TypeError('Failed to fetch')),
    );
    const tab = await openTab();
    await tab.startSession();
    expect(tab.shown()).toEqual({ state: 'signed-out', problem: 'no-provider' });
    await tab.signIn('/rules');
    expect(tab.shown()).toEqual({ state: 'signed-out', problem: 'no-provider' });
    provider.signinRedirect.mockResolvedValue();
    await tab.signIn('/rules');
    await tab.signIn('/rules');
    expect([tab.shown(), managers.length]).toEqual([{ state: 'redirecting' }, 1]);
  });
});

describe('the provider', () => {
  it('is the one of the configuration, and a user of another provider or client is removed', async () => {
    const others = ['oidc.user:http://localhost/idp:agent', 'oidc.user:https://login.example:portal'];
    for (const other of others) store('other', 600, other);
    localStorage.setItem('theme', 'dark');
    store('expired', -1);
    renews();
    const tab = await openTab();
    expect(await tab.renew()).toBe(true);
    expect(others.map((other) => localStorage.getItem(other))).toEqual([null, null]);
    expect([tab.storedToken(), localStorage.getItem('theme')]).toEqual(['renewed 1', 'dark']);
    expect(managers).toEqual([
      expect.objectContaining({
        authority: 'http://localhost/idp',
        client_id: 'portal',
        redirect_uri: 'http://localhost:3000/user/callback',
        silent_redirect_uri: 'http://localhost:3000/user/silent',
        post_logout_redirect_uri: 'http://localhost:3000/user/login',
        response_type: 'code',
        scope: 'openid profile email',
        loadUserInfo: false,
        automaticSilentRenew: false,
        includeIdTokenInSilentRenew: true,
      }),
    ]);
    expect(managers[0]).not.toHaveProperty('extraQueryParams');
  });

  it('gets the scope and parameters that the configuration names', async () => {
    const config = { authority: 'https://login.example', clientId: 'c', scope: 'openid api', loadUserInfo: true };
    configs.push(() => Promise.resolve(Response.json({ ...config, extraQueryParams: { audience: 'cloudfit' } })));
    const tab = await openTab();
    await tab.signIn('/');
    expect(managers).toMatchObject([{ scope: 'openid api', loadUserInfo: true, extraQueryParams: { audience: 'cloudfit' } }]);
  });

  it('has a page for the sign-in methods if it is the embedded one', async () => {
    const tab = await openTab();
    expect(tab.accountAddress()).toBeUndefined();
    store('foreign', 600, 'oidc.user:https://login.example:portal');
    expect(tab.accountAddress()).toBeUndefined();
    localStorage.clear();
    store('own', 600, `oidc.user:${window.location.origin}/idp:portal`);
    expect(tab.accountAddress()).toBe('/idp/account');
  });
});

describe('the token of a call', () => {
  it('is renewed within five seconds of its end, and is none without a user, with a broken one, or when the renewal fails', async () => {
    const tab = await openTab();
    expect([await tab.accessToken(), await tab.renew(), managers.length]).toEqual([undefined, false, 0]);
    localStorage.setItem(key, '{broken');
    expect([await tab.accessToken(), tab.storedToken()]).toEqual([undefined, undefined]);
    localStorage.setItem(key, JSON.stringify({ access_token: 'without an end' }));
    expect(await tab.accessToken()).toBeUndefined();
    store('valid', 8);
    expect(await tab.accessToken()).toBe('valid');
    provider.signinSilent.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    store('about to end', 4);
    expect(await tab.accessToken()).toBeUndefined();
    renews();
    expect(await tab.accessToken()).toBe('renewed 3');
    // Each request of a token has its own nonce.
    const nonces = provider.signinSilent.mock.calls.map(([options]) => (options as { nonce: string }).nonce);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it('is renewed by one of several tabs, and the others use its token', async () => {
    let queue: Promise<unknown> = Promise.resolve();
    const names: string[] = [];
    const request = (name: string, run: () => Promise<unknown>) => {
      names.push(name);
      queue = queue.then(run);
      return queue;
    };
    vi.stubGlobal('navigator', { locks: { request } });
    store('expired', -1);
    renews();
    const tabs = [await openTab(), await openTab(), await openTab()];
    expect(await Promise.all(tabs.map((tab) => tab.accessToken()))).toEqual(['renewed 1', 'renewed 1', 'renewed 1']);
    expect([provider.signinSilent.mock.calls.length, new Set(names).size]).toEqual([1, 1]);
    // The next time that it is refused, it is renewed once more.
    expect(await Promise.all(tabs.map((tab) => tab.renew()))).toEqual([true, true, true]);
    expect(provider.signinSilent).toHaveBeenCalledTimes(2);
  });

  it('is not one that another tab stored while this one waited, if that has ended too', async () => {
    const request = (_name: string, run: () => Promise<unknown>) => {
      store('ended too', -1);
      return run();
    };
    vi.stubGlobal('navigator', { locks: { request } });
    store('expired', -1);
    renews();
    const tab = await openTab();
    expect([await tab.renew(), tab.storedToken()]).toEqual([true, 'renewed 1']);
  });
});

describe('the renewal', () => {
  const renewals = () => provider.signinSilent.mock.calls.length;
  /** Lets seconds pass; then waits for what they began, during which less than a second passes. */
  const pass = async (seconds: number, expected: number) => {
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    await vi.waitFor(() => expect(renewals()).toBe(expected), { interval: 10 });
    await vi.advanceTimersByTimeAsync(0);
  };

  it('is a minute before the end, each time, and once for one token', async () => {
    vi.useFakeTimers();
    store('valid', 600);
    renews();
    const tab = await openTab();
    await tab.startSession();
    // Another tab has renewed the token: its end counts, not the former one.
    await pass(300, 0);
    store('of another tab', 600);
    hear('{}');
    await pass(539.5, 0);
    await pass(1, 1);
    expect(tab.storedToken()).toBe('renewed 1');
    await pass(530, 1);
    await pass(20, 2);
    expect(tab.storedToken()).toBe('renewed 2');
  });

  it('comes soon for a token that is about to end, and is not repeated after a failure', async () => {
    vi.useFakeTimers();
    store('ends soon', 30);
    provider.signinSilent.mockResolvedValue(null);
    const tab = await openTab();
    await tab.startSession();
    await pass(0.9, 0);
    await pass(0.2, 1);
    await pass(3_600, 1);
    expect(tab.shown()).toEqual({ state: 'signed-in' });
  });

  it('is not planned without an end of the token', async () => {
    vi.useFakeTimers();
    const tab = await openTab();
    provider.signinRedirectCallback.mockImplementation(() => {
      localStorage.setItem(key, JSON.stringify({ access_token: 'without an end' }));
      return Promise.resolve({});
    });
    await tab.finishSignIn();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([tab.shown(), renewals()]).toEqual([{ state: 'signed-in' }, 0]);
  });
});

describe('another tab', () => {
  it('that signed out ends the session here', async () => {
    store('valid', 600);
    const tab = await openTab();
    await tab.startSession();
    hear(null, 'theme');
    expect(tab.shown()).toEqual({ state: 'signed-in' });
    const { result } = renderHook(() => tab.useSession());
    act(() => hear(null));
    expect(result.current).toEqual({ state: 'signed-out', problem: 'ended' });
  });

  it('that signed in makes this one load again, unless it is signed in or still starts', async () => {
    const reload = vi.fn<() => void>();
    vi.stubGlobal('location', { origin: window.location.origin, reload });
    const tab = await openTab();
    hear('{}');
    await tab.startSession();
    expect([tab.shown(), reload.mock.calls.length]).toEqual([{ state: 'signed-out' }, 0]);
    hear(null);
    hear('{}', 'theme');
    expect([tab.shown(), reload.mock.calls.length]).toEqual([{ state: 'signed-out' }, 0]);
    hear('{}');
    expect(reload).toHaveBeenCalledTimes(1);

    store('valid', 600);
    const second = await openTab();
    await second.startSession();
    reload.mockClear();
    // The first tab, which is still signed out, loads again; this one does not.
    hear('{}');
    expect([second.shown(), reload.mock.calls.length]).toEqual([{ state: 'signed-in' }, 1]);
  });
});

describe('signing in', () => {
  it('redirects to the provider with the requested address', async () => {
    const tab = await openTab();
    provider.signinRedirect.mockResolvedValue();
    await tab.signIn('/rules?page=2');
    await tab.signIn('/rules?page=2');
    expect(tab.shown()).toEqual({ state: 'redirecting' });
    const [first, second] = provider.signinRedirect.mock.calls.map(([options]) => options as { nonce: string });
    expect([first, second]).toMatchObject([{ state: { requestUrl: '/rules?page=2' } }, { state: { requestUrl: '/rules?page=2' } }]);
    expect(first?.nonce).not.toBe(second?.nonce);
    provider.signinRedirect.mockRejectedValue(new Error('No metadata.'));
    await tab.signIn('/');
    expect(tab.shown()).toEqual({ state: 'signed-out', problem: 'no-provider' });
  });

  it('renews nothing while the page leaves for the provider', async () => {
    vi.useFakeTimers();
    store('ended', -60);
    const tab = await openTab();
    provider.signinRedirect.mockResolvedValue();
    await tab.signIn('/');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(provider.signinSilent).not.toHaveBeenCalled();
  });

  it.each([
    ['/rules?page=2', '/rules?page=2'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['/user/login', '/'],
    [undefined, '/'],
  ])('opens the requested address of this portal alone: %s', async (requestUrl, opened) => {
    const tab = await openTab();
    provider.signinRedirectCallback.mockResolvedValue(requestUrl === undefined ? {} : { state: { requestUrl } });
    expect([await tab.finishSignIn(), tab.shown()]).toEqual([opened, { state: 'signed-in' }]);
  });

  it('returns to the sign-in page after an error, and says so', async () => {
    const tab = await openTab();
    provider.signinRedirectCallback.mockRejectedValue(new Error('access_denied'));
    expect(await tab.finishSignIn()).toBe('/user/login');
    expect(tab.shown()).toEqual({ state: 'signed-out', problem: 'failed' });
  });
});

describe('signing out', () => {
  async function signedIn() {
    store('valid', 600);
    const tab = await openTab();
    await tab.startSession();
    provider.getUser.mockResolvedValue({ access_token: 'valid', id_token: 'id' });
    provider.revokeTokens.mockResolvedValue();
    provider.removeUser.mockResolvedValue();
    provider.signoutRedirect.mockResolvedValue();
    return tab;
  }

  it('revokes the token here and at the provider, ends the push messages of this browser, then leaves', async () => {
    const tab = await signedIn();
    push.pushEndpoint.mockResolvedValue('https://push.example/7');
    await tab.signOut();
    expect(tab.shown()).toEqual({ state: 'signing-out' });
    expect(sent).toEqual([{ path: 'POST /v1/signOut', authorization: 'Bearer valid', body: { pushEndpoint: 'https://push.example/7' } }]);
    expect(push.unsubscribeHere).toHaveBeenCalledTimes(1);
    expect(provider.revokeTokens.mock.calls).toEqual([[['access_token', 'refresh_token']]]);
    expect(provider.removeUser).toHaveBeenCalledTimes(1);
    expect(provider.signoutRedirect.mock.calls).toEqual([[{ id_token_hint: 'id' }]]);
  });

  it.each(['is not subscribed', 'cannot say whether it is subscribed'])('revokes the token of a browser that %s', async (how) => {
    const tab = await signedIn();
    if (how !== 'is not subscribed') push.pushEndpoint.mockRejectedValue(new Error('No registration.'));
    await tab.signOut();
    expect([sent.map(({ body }) => body), push.unsubscribeHere.mock.calls.length]).toEqual([[{}], 0]);
    expect(provider.signoutRedirect).toHaveBeenCalledTimes(1);
  });

  it('leaves without a user, and without a hint at who it was', async () => {
    const tab = await signedIn();
    provider.getUser.mockResolvedValue(null);
    await tab.signOut();
    expect([sent, provider.signoutRedirect.mock.calls]).toEqual([[], [[{}]]]);
  });

  it('waits five seconds for a provider that hangs, and no longer', async () => {
    vi.useFakeTimers();
    const tab = await signedIn();
    provider.revokeTokens.mockReturnValue(new Promise(() => undefined));
    const left = tab.signOut();
    await vi.waitFor(() => expect(sent).toHaveLength(1), { interval: 10 });
    await vi.advanceTimersByTimeAsync(4_500);
    expect(provider.removeUser).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(600);
    await left;
    expect(provider.signoutRedirect).toHaveBeenCalledTimes(1);
  });

  it('signs out here when the provider fails', async () => {
    const tab = await signedIn();
    provider.revokeTokens.mockRejectedValue(new Error('No revocation.'));
    provider.signoutRedirect.mockRejectedValue(new Error('No metadata.'));
    await tab.signOut();
    expect([tab.shown(), tab.storedToken(), provider.removeUser.mock.calls.length]).toEqual([{ state: 'signed-out' }, undefined, 1]);
  });
});

it('a session that the server refused ends, and says so', async () => {
  store('refused', 600);
  const tab = await openTab();
  tab.sessionRefused();
  expect([tab.shown(), tab.storedToken()]).toEqual([{ state: 'loading' }, 'refused']);
  await tab.startSession();
  tab.sessionRefused();
  expect([tab.shown(), tab.isSignedIn(), tab.storedToken()]).toEqual([{ state: 'signed-out', problem: 'expired' }, false, undefined]);
  tab.sessionRefused();
  expect(tab.shown()).toEqual({ state: 'signed-out', problem: 'expired' });
});
