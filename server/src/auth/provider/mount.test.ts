import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash, randomBytes } from 'node:crypto';
import pino from 'pino';
import { SignInFailed, signInByDevice, tokensOf, type DeviceCode } from '@cloudfit/client/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../db/connection.ts';
import { openDatabase } from '../../db/connection.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { createAuthenticator, type Authenticator } from '../authenticate.ts';
import { masterKeyOf } from '../master-key.ts';
import { ensureFirstAdministrator } from '../sign-in/one-time-link.ts';
import { ensureShippedSets } from '../shipped.ts';
import { rotateSigningKeys } from './keys.ts';
import { mountProvider, type MountedProvider } from './mount.ts';

const log = pino({ level: 'silent' });
const password = 'violet tractor lantern';
const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);

/** A browser's cookie jar, and requests that do not follow redirects. */
class Browser {
  readonly cookies = new Map<string, { value: string; path: string }>();
  async go(url: string, init: { method?: string; body?: URLSearchParams; headers?: Record<string, string> } = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...this.cookies]
      .filter(([, c]) => pathname.startsWith(c.path))
      .map(([name, c]) => `${name}=${c.value}`)
      .join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie, ...init.headers } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((a) => a.startsWith('path='))?.slice(5) ?? '/';
      if (value === '' || attributes.some((a) => a.includes('01 Jan 1970'))) this.cookies.delete(name);
      else this.cookies.set(name, { value, path });
    }
    return response;
  }
}

let test: TestDatabase;
let database: Database;
let server: Server;
let mounted: MountedProvider;
let authenticator: Authenticator;
let publicUrl = '';
let link = '';

async function mount(): Promise<void> {
  mounted = await mountProvider({
    database,
    masterKey,
    log,
    publicUrl,
    audience: 'cloudfit',
    clientId: 'cloudfit-portal',
    queueMail: () => Promise.resolve(),
  });
}

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  await ensureShippedSets(database.scoped('all'));
  server = createServer((req, res) => mounted.handler(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
  await mount();
  authenticator = await createAuthenticator({ database, issuer: mounted.issuer, log });
  link = (await ensureFirstAdministrator(database.scoped('all'), { publicUrl })) ?? '';
});

afterAll(async () => {
  await mounted.close();
  await authenticator.close();
  server.closeAllConnections();
  server.close();
  await database.close();
  await test.close();
});

const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });
const ask = (token: string) =>
  authenticator.authenticate({ authorization: `Bearer ${token}`, correlationId: '0190a000-0000-7000-8000-000000000000' });

function authorization(prompt?: string): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'cloudfit-portal',
    response_type: 'code',
    scope: 'openid profile email',
    state: 's',
    nonce: 'n',
    redirect_uri: `${publicUrl}/user/${prompt ? 'silent' : 'callback'}`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(prompt ? { prompt } : {}),
  });
  return { url: `${publicUrl}/idp/auth?${query}`, verifier };
}

interface Tokens {
  access_token: string;
  id_token: string;
  expires_in: number;
}

async function redeem(callback: string, verifier: string): Promise<Tokens> {
  const code = new URL(callback).searchParams.get('code') ?? '';
  const redirect_uri = callback.split('?')[0] ?? '';
  const response = await fetch(`${publicUrl}/idp/token`, {
    ...form({ grant_type: 'authorization_code', client_id: 'cloudfit-portal', code, redirect_uri, code_verifier: verifier }),
    headers: { origin: publicUrl },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe(publicUrl);
  return (await response.json()) as Tokens;
}

const location = (response: Response) => new URL(response.headers.get('location') ?? '', publicUrl).href;

async function signIn(browser: Browser): Promise<Tokens> {
  const { url, verifier } = authorization();
  const page = location(await browser.go(url));
  expect(page).toContain('/idp/interaction/');
  expect((await browser.go(page)).status).toBe(200);
  const resumed = location(await browser.go(page, form({ userName: 'ADMIN@localhost', password })));
  const callback = location(await browser.go(resumed));
  expect(callback).toContain(`${publicUrl}/user/callback?code=`);
  return redeem(callback, verifier);
}

async function silently(browser: Browser): Promise<URL & { verifier?: string }> {
  const { url, verifier } = authorization('none');
  return Object.assign(new URL(location(await browser.go(url))), { verifier });
}

describe('the first administrator', () => {
  it('sets a password by the link once, and only a good one', async () => {
    const browser = new Browser();
    expect(link).toContain(`${publicUrl}/idp/set-password/`);
    const shown = await browser.go(link);
    expect(await shown.text()).toContain('admin@localhost');
    expect(shown.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect((await browser.go(link, form({ password: 'short', repeated: 'short' }))).status).toBe(422);
    expect((await browser.go(link, form({ password, repeated: 'other' }))).status).toBe(422);
    const done = await browser.go(link, form({ password, repeated: password }));
    expect(done.headers.get('location')).toBe(`${publicUrl}/user/login`);
    expect((await browser.go(link)).status).toBe(410);
    expect((await browser.go(link, form({ password, repeated: password }))).status).toBe(410);
  });

  it('is made at the first start only', async () => {
    expect(await ensureFirstAdministrator(database.scoped('all'), { publicUrl })).toBeUndefined();
  });

  it('refuses a link that is older than an hour', async () => {
    const { createOneTimeLink } = await import('../sign-in/one-time-link.ts');
    const db = database.scoped('all');
    const [person] = await db.query<{ person_id: string }>({ text: 'select person_id from person' });
    const old = await createOneTimeLink(db, person?.person_id ?? '', publicUrl);
    await db.query({ text: "update one_time_link set expires_on = now() - interval '1 second' where used_on is null" });
    expect((await new Browser().go(old)).status).toBe(410);
  });
});

describe('sign-in', () => {
  it('gives a token that the API knows, with name and groups, for ten minutes', async () => {
    const tokens = await signIn(new Browser());
    expect(tokens.expires_in).toBe(600);
    const ctx = await ask(tokens.access_token);
    expect(ctx.actor).toMatchObject({ kind: 'person', userName: 'admin@localhost', name: 'Administrator' });
    expect(ctx.tenants).toBe('all');
    const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    expect(claims).toMatchObject({ name: 'Administrator', email: 'admin@localhost', groups: [], aud: 'cloudfit' });
    const identity = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    expect(identity).toMatchObject({ name: 'Administrator', email: 'admin@localhost', nonce: 'n' });
  });

  it('renews silently without a page, and says so when nobody is signed in', async () => {
    const browser = new Browser();
    await signIn(browser);
    const renewed = await silently(browser);
    expect(renewed.pathname).toBe('/user/silent');
    const tokens = await redeem(renewed.href, renewed.verifier ?? '');
    expect((await ask(tokens.access_token)).actor.kind).toBe('person');
    expect((await silently(new Browser())).searchParams.get('error')).toBe('login_required');
  });

  it('is worth nothing once its signing key was forgotten', async () => {
    const browser = new Browser();
    const { access_token: token } = await signIn(browser);
    expect((await ask(token)).actor.kind).toBe('person');
    await rotateSigningKeys(database.scoped('all'), masterKey, { by: { kind: 'system', id: null, name: 'test' }, forgetOld: true });
    await expect.poll(() => ask(token).catch((error: { code: string }) => error.code)).toBe('Unauthorized');
    // The session does not depend on the signing key that was deleted.
    const renewed = await silently(browser);
    expect((await ask((await redeem(renewed.href, renewed.verifier ?? '')).access_token)).actor.kind).toBe('person');
  });

  it('keeps the session when the server restarts', async () => {
    const browser = new Browser();
    await signIn(browser);
    await mounted.close();
    await mount();
    expect((await silently(browser)).searchParams.get('code')).toBeTruthy();
  });

  it('requires PKCE and registered addresses', async () => {
    const plain = await new Browser().go(
      `${publicUrl}/idp/auth?client_id=cloudfit-portal&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(`${publicUrl}/user/callback`)}`,
    );
    expect(new URL(location(plain)).searchParams.get('error')).toBe('invalid_request');
    const foreign = await new Browser().go(
      authorization().url.replace(encodeURIComponent('/user/callback'), encodeURIComponent('/elsewhere')),
    );
    expect(foreign.status).toBe(400);
    expect(await foreign.text()).toContain('Sign-in did not work');
  });

  it('says the same for a wrong password and an unknown name, and slows down guessing', async () => {
    const browser = new Browser();
    const page = location(await browser.go(authorization().url));
    const attempt = async (userName: string) => {
      const response = await browser.go(page, form({ userName, password: 'wrong wrong wrong' }));
      return { status: response.status, alert: /role="alert">([^<]*)</.exec(await response.text())?.[1] };
    };
    const existingPerson = await attempt('admin@localhost');
    expect(existingPerson).toEqual({ status: 422, alert: 'The user name or the password is wrong.' });
    expect(await attempt('nobody@example.org')).toEqual(existingPerson);
    const answers: number[] = [];
    // On a slow machine, the first short delays may have passed before the next attempt.
    while (answers.at(-1) !== 429 && answers.length < 20) answers.push((await attempt('guessed@example.org')).status);
    expect(answers.slice(0, 5)).toEqual([422, 422, 422, 422, 422]);
    expect(answers.at(-1)).toBe(429);
  });

  it('answers an expired page with a way back', async () => {
    const response = await new Browser().go(`${publicUrl}/idp/interaction/unknown`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Start again');
  });

  it('sends other names of this machine to the public address', async () => {
    const response = await new Browser().go(authorization().url.replace('localhost', '127.0.0.1'));
    expect(response.headers.get('location')).toContain(`${publicUrl}/idp/auth?`);
  });
});

describe('an authorization code that is used again', () => {
  const codeOf = async (browser: Browser) => {
    await signIn(browser);
    const callback = await silently(browser);
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'cloudfit-portal',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: `${publicUrl}/user/silent`,
      code_verifier: callback.verifier ?? '',
    };
    return (changed: Record<string, string> = {}) => fetch(`${publicUrl}/idp/token`, form({ ...fields, ...changed }));
  };
  const tokenOf = async (response: Response) => ((await response.json()) as Tokens).access_token;
  const codeFor = (token: string) =>
    ask(token).then(
      () => 'good',
      (error: { code: string }) => error.code,
    );

  it('ends what the first use gave, and the browser signs in again silently', async () => {
    const browser = new Browser();
    const use = await codeOf(browser);
    const token = await tokenOf(await use());
    // Whoever lacks the verifier ends nothing.
    expect((await use({ code_verifier: 'x'.repeat(43) })).status).toBe(400);
    expect(await codeFor(token)).toBe('good');
    expect((await use()).status).toBe(400);
    await expect.poll(() => codeFor(token)).toBe('Unauthorized');
    const renewed = await silently(browser);
    expect(await codeFor((await redeem(renewed.href, renewed.verifier ?? '')).access_token)).toBe('good');
  });

  it('at the same time gives tokens at most once, and they have ended', async () => {
    const use = await codeOf(new Browser());
    const answers = await Promise.all(Array.from({ length: 6 }, () => use()));
    const tokens = await Promise.all(answers.filter(({ status }) => status === 200).map(tokenOf));
    expect(tokens.length).toBeLessThanOrEqual(1);
    for (const token of tokens) await expect.poll(() => codeFor(token)).toBe('Unauthorized');
  });
});

describe('other origins', () => {
  const headersFor = async (path: string, origin: string | undefined, init: RequestInit = {}) => {
    const { headers } = await fetch(`${publicUrl}/idp${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string> | undefined), ...(origin === undefined ? {} : { origin }) },
    });
    return [...headers].filter(([name]) => name.startsWith('access-control-')).map(([name, value]) => `${name}: ${value}`);
  };
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } };

  it.each([
    ['/token', preflight],
    ['/token', form({ grant_type: 'authorization_code', client_id: 'cloudfit-portal', code: 'x', redirect_uri: 'x' })],
    ['/token', form({ client_id: 'unknown' })],
    ['/token/revocation', preflight],
    ['/token/revocation', form({})],
    ['/jwks', {}],
    ['/jwks', preflight],
    ['/.well-known/openid-configuration', {}],
  ])('are told nothing by %s (%j), unlike that of the portal', async (path, init) => {
    expect(await headersFor(path, publicUrl, init)).toContain(`access-control-allow-origin: ${publicUrl}`);
    for (const origin of ['https://evil.example', 'null', publicUrl.replace('localhost', '127.0.0.1'), undefined])
      expect(await headersFor(path, origin, init)).toEqual([]);
  });
});

describe('a device code', () => {
  const config = () =>
    Response.json({
      authority: `${publicUrl}/idp`,
      clientId: 'cloudfit-portal',
      scope: 'openid profile email',
      deviceClientId: 'cloudfit-portal-device',
    });
  /** The requests of a program, whose server answers how people sign in. */
  const programFetch: typeof fetch = (url, init) =>
    String(url).endsWith('/oidcclientconfig') ? Promise.resolve(config()) : fetch(url, init);

  /** Begins the sign-in of a program, without its pauses; returns the code that it shows. */
  async function begin() {
    const ended = new AbortController();
    let shown: (code: DeviceCode) => void = () => undefined;
    const code = new Promise<DeviceCode>((resolve) => (shown = resolve));
    const signedIn = signInByDevice({ server: publicUrl, tell: shown, signal: ended.signal, fetch: quickly(programFetch) });
    signedIn.catch(() => undefined);
    return { code: await code, signedIn };
  }

  /** Lets a program ask each 50 ms instead of each 5 s. */
  const quickly =
    (send: typeof fetch): typeof fetch =>
    async (url, init) => {
      const answer = await send(url, init);
      return String(url).endsWith('/device/auth') ? Response.json({ ...((await answer.json()) as object), interval: 0.05 }) : answer;
    };

  const fieldsOf = (text: string) => ({ xsrf: /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? '' });

  /** Enters a code on the page, as a person does; returns the next page. */
  async function enter(browser: Browser, { address, code }: DeviceCode): Promise<string> {
    const page = await (await browser.go(address)).text();
    expect(page).toContain('<label for="code">Code</label');
    return (await browser.go(address, form({ ...fieldsOf(page), user_code: code }))).text();
  }

  it('signs a program in with the rights of the person who confirms it, audited, and renews its token', async () => {
    const browser = new Browser();
    await signIn(browser);
    const { code, signedIn } = await begin();
    expect(code).toMatchObject({ address: `${publicUrl}/idp/device`, code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/), seconds: 600 });
    const confirmation = await enter(browser, code);
    expect(confirmation).toContain(code.code);
    expect(confirmation).toContain('CloudFit on a command line asks to act with your rights');
    let answer = await browser.go(code.address, form({ ...fieldsOf(confirmation), user_code: code.code, confirm: 'yes' }));
    while (answer.status === 303) answer = await browser.go(location(answer));
    expect(await answer.text()).toContain('The program is signed in');

    const stored = await signedIn;
    expect((await ask(stored.accessToken)).actor).toMatchObject({ kind: 'person', userName: 'admin@localhost' });
    const entries = await database.scoped('all').query<{ n: number }>({
      text: `select count(*)::int as n from audit where verb = 'sign-in' and after->>'method' = 'device code'`,
    });
    expect(entries[0]?.n).toBe(1);
    const renewed: string[] = [];
    const tokens = tokensOf(stored, { store: ({ accessToken }) => void renewed.push(accessToken) });
    expect(await tokens()).toBe(stored.accessToken);
    // Two calls at once that the server refuses renew it once.
    const [next, same] = await Promise.all([tokens(stored.accessToken), tokens(stored.accessToken)]);
    expect([next === same, renewed.length, next === stored.accessToken]).toEqual([true, 1, false]);
    expect((await ask(next)).actor.kind).toBe('person');

    // The code is good once, and the sign-out of the browser ends the program's sign-in too.
    expect(await enter(browser, code)).toContain('This code is wrong, too old or was used already.');
    await database.scoped('all').query({ text: "delete from identity_item where model = 'Session'" });
    await expect(tokens(next)).rejects.toBeInstanceOf(SignInFailed);
  });

  it('gives a program nothing when the person refuses it, or is not signed in', async () => {
    const { code, signedIn } = await begin();
    const browser = new Browser();
    const confirmation = await enter(browser, code);
    const toSignIn = await browser.go(code.address, form({ ...fieldsOf(confirmation), user_code: code.code, confirm: 'yes' }));
    expect(location(toSignIn)).toContain('/idp/interaction/');
    await signIn(browser);
    const other = await begin();
    const asksAgain = await enter(browser, other.code);
    const refusedPage = await browser.go(code.address, form({ ...fieldsOf(asksAgain), user_code: other.code.code, abort: 'yes' }));
    expect(await refusedPage.text()).toContain('The program does not get your rights.');
    await expect(other.signedIn).rejects.toThrow('The sign-in was refused in the browser.');
    expect(await Promise.race([signedIn, Promise.resolve('waits')])).toBe('waits');
  });

  it('is never entered by a link', async () => {
    const { code } = await begin();
    const browser = new Browser();
    await signIn(browser);
    const page = await (await browser.go(`${code.address}?user_code=${code.code}`)).text();
    expect(page).toContain('Enter the code that the program shows.');
    expect(page).not.toContain(code.code);
  });

  it('needs a provider that gives codes', async () => {
    const without = () => Promise.resolve(Response.json({ authority: 'https://idp.example', scope: 'openid' }));
    await expect(signInByDevice({ server: publicUrl, tell: () => undefined, fetch: without })).rejects.toThrow('OIDC_DEVICE_CLIENT_ID');
  });
});

describe('sign-out', () => {
  it('answers a revocation with JSON and refuses the token at once', async () => {
    const { access_token: token } = await signIn(new Browser());
    await ask(token);
    const response = await fetch(`${publicUrl}/idp/token/revocation`, {
      ...form({ token, token_type_hint: 'access_token', client_id: 'cloudfit-portal' }),
      headers: { origin: publicUrl },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    await expect.poll(() => ask(token).catch((error: { code: string }) => error.code)).toBe('Unauthorized');
    const opaque = await fetch(`${publicUrl}/idp/token/revocation`, form({ token: 'opaque', client_id: 'cloudfit-portal' }));
    expect(opaque.headers.get('content-type')).toContain('application/json');
  });

  it('[AUTH-003] ends the session and every token of it', async () => {
    const browser = new Browser();
    const tokens = await signIn(browser);
    const query = new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: `${publicUrl}/user/login` });
    const shown = await browser.go(`${publicUrl}/idp/session/end?${query}`);
    const text = await shown.text();
    expect(text).toContain('/idp/assets/sign-out.js');
    expect((await browser.go(`${publicUrl}/idp/assets/sign-out.js`)).headers.get('content-type')).toContain('text/javascript');
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(action).toBe(`${publicUrl}/idp/session/end/confirm`);
    const done = await browser.go(action, form({ xsrf, logout: 'yes' }));
    expect(location(done)).toBe(`${publicUrl}/user/login`);
    await expect.poll(() => ask(tokens.access_token).catch((error: { code: string }) => error.code)).toBe('Unauthorized');
    expect((await silently(browser)).searchParams.get('error')).toBe('login_required');
  });

  it('asks first when a link does not name the sign-in', async () => {
    const browser = new Browser();
    await signIn(browser);
    const text = await (await browser.go(`${publicUrl}/idp/session/end`)).text();
    expect(text).toContain('Do you want to sign out');
    expect(text).not.toContain('sign-out.js');
  });
});
