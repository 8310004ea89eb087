/** Tests sign-in through an external identity provider (glewlwyd), and where it differs from the embedded one. */
import { existsSync } from 'node:fs';
import { expect, test, type Page, type Request } from '@playwright/test';
import { providerProgram, startForeignProvider, type ForeignPerson, type ForeignProvider } from './foreign-provider.ts';
import { showOutputOnFailure, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });
// `npm test` installs it where it may, and fails where it must be there.
test.skip(!existsSync(providerProgram), `${providerProgram} is not installed (Debian: glewlwyd, dbconfig-sqlite3).`);

const una: ForeignPerson = {
  userName: 'una',
  password: 'una keeps a long password',
  name: 'Una Foreign',
  email: 'una@example.org',
  groups: ['night shift', 'desk'],
};

let provider: ForeignProvider;
let world: World;
let page: Page;

showOutputOnFailure(() => world);

interface StoredUser {
  access_token: string;
  id_token: string;
  refresh_token?: string;
  expires_at: number;
}

const storageKey = () => `oidc.user:${provider.authority}:${provider.clientId}`;
const stored = async (): Promise<StoredUser | undefined> => {
  const text = await page.evaluate((key) => localStorage.getItem(key), storageKey());
  return text === null ? undefined : (JSON.parse(text) as StoredUser);
};

function partOf(token: string | undefined, part: 0 | 1): Record<string, unknown> {
  return JSON.parse(Buffer.from(token?.split('.')[part] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

/** The requests of the page to the provider during `while_`. */
async function providerRequests(while_: () => Promise<unknown>): Promise<Request[]> {
  const requests: Request[] = [];
  const note = (request: Request) => void (request.url().startsWith(provider.authority) && requests.push(request));
  page.on('request', note);
  await while_();
  page.off('request', note);
  return requests;
}

/** Has the page renew an expired token. Without a refresh token, the page can renew it only by the provider's session. */
async function renewed(options: { refreshToken: boolean }): Promise<Request[]> {
  const before = await stored();
  await page.evaluate(
    ([key, keep]) => {
      const { refresh_token: refreshToken, ...user } = JSON.parse(localStorage.getItem(key) ?? '{}') as StoredUser;
      localStorage.setItem(key, JSON.stringify({ ...user, ...(keep ? { refresh_token: refreshToken } : {}), expires_at: 1 }));
    },
    [storageKey(), options.refreshToken] as const,
  );
  return providerRequests(async () => {
    await page.reload();
    await expect(page.getByTitle('Profile')).toContainText('Una Foreign');
    await expect.poll(async () => (await stored())?.access_token).not.toBe(before?.access_token);
  });
}

const api = (token: string | undefined) =>
  fetch(`${world.url}/v1/permissions`, { headers: { authorization: `Bearer ${token ?? ''}` } }).then(({ status }) => status);

test.beforeAll(async ({ browser }) => {
  // Installs the provider if it is missing and may be installed.
  provider = await startForeignProvider();
  world = await startWorld({
    env: {
      OIDC_AUTHORITY: provider.authority,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_AUDIENCE: provider.audience,
      // Without this parameter, this provider writes the list of scopes into a token as its audience.
      OIDC_EXTRA_PARAMS: `resource=${encodeURIComponent(provider.audience)}`,
    },
  });
  await provider.addClient(world.url);
  await provider.addPerson(una);
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
});

test.afterAll(async () => {
  await page?.context().close();
  await world?.remove();
  await provider?.remove();
});

test('signs in by settings alone, with nonce and PKCE, and knows the person', async () => {
  const requests = await providerRequests(async () => {
    await page.goto(`${world.url}/user/login`);
    await page.getByRole('button', { name: 'Login' }).click();
    await page.getByPlaceholder('Your username').fill(una.userName);
    await page.getByPlaceholder('Your password').fill(una.password);
    await page.getByRole('button', { name: 'OK' }).click();
    for (const scope of ['profile', 'email']) await page.getByLabel(scope).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await test.step('[AUTH-018] keeps the sign-in under this key', () => expect.poll(stored).toBeTruthy());
  });
  await test.step('[AUTH-001] as OpenID Connect demands', async () => {
    const authorization = new URL(requests.find((request) => request.url().includes('/auth?'))?.url() ?? '').searchParams;
    expect(authorization.get('nonce')).toBeTruthy();
    expect(authorization.get('code_challenge_method')).toBe('S256');
    expect(authorization.get('resource')).toBe(provider.audience);
    const user = await stored();
    expect(partOf(user?.id_token, 1)['nonce']).toBe(authorization.get('nonce'));
    // This provider sends groups as one text with commas, and no name in the access token.
    expect(partOf(user?.access_token, 1)).toMatchObject({ groups: 'night shift,desk', aud: provider.audience });
    expect(partOf(user?.access_token, 1)).not.toHaveProperty('name');
  });
});

test('[AUTH-012] [AUTH-013] lets nobody in who has no grant', async () => {
  await expect(page).toHaveURL(/\/user\/accessDenied/);
});

test('lets those in whose group was granted something', async () => {
  world.admin(['grant', '--claim', 'night shift', '--set', 'Administrator', '--all-tenants']);
  await page.goto(world.url);
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  await expect(page.getByTitle('Profile')).toContainText('Una Foreign');
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true })).toBeVisible();
});

test('[AUTH-002] renews silently by a refresh token', async () => {
  const requests = await renewed({ refreshToken: true });
  const [token] = requests.filter((request) => request.url().endsWith('/token'));
  expect(new URLSearchParams(token?.postData() ?? '').get('grant_type')).toBe('refresh_token');
  expect(await api((await stored())?.access_token)).toBe(200);
});

test('[AUTH-002] renews silently in a frame, naming the person by the ID token', async () => {
  const hint = (await stored())?.id_token;
  const requests = await renewed({ refreshToken: false });
  const authorization = requests.map((request) => new URL(request.url()).searchParams).find((query) => query.get('prompt') === 'none');
  expect(authorization?.get('id_token_hint')).toBe(hint);
  expect(authorization?.get('nonce')).toBeTruthy();
  expect(await api((await stored())?.access_token)).toBe(200);
});

test('follows the provider to a new signing key', async () => {
  const old = await stored();
  await provider.rotateKey();
  // The provider refuses an ID token of the old key as a hint, so silent renewal fails. The session at the provider still signs
  // in without a password.
  await page.evaluate((key) => localStorage.removeItem(key), storageKey());
  await page.goto(`${world.url}/user/login`);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByTitle('Profile')).toContainText('Una Foreign');
  const now = await stored();
  expect(partOf(now?.access_token, 0)['kid']).not.toBe(partOf(old?.access_token, 0)['kid']);
  expect(await api(now?.access_token)).toBe(200);
  expect(await api(old?.access_token)).toBe(200);
});

test('[AUTH-003] signs out although the provider refuses to revoke the token', async () => {
  const token = (await stored())?.access_token;
  const revocation = page.waitForResponse((response) => response.url().endsWith('/revoke'));
  await page.getByTitle('Profile').click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  expect((await revocation).status()).toBe(401);
  await expect(page.getByText('The client wishes you to close the current session')).toBeVisible();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect.poll(() => api(token)).toBe(401);
  await page.goto(world.url);
  await expect(page).toHaveURL(/\/user\/login/);
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible();
  expect(await stored()).toBeUndefined();
});
